//! From a text in any script to tokens: folded, stemmed, and marked as function words where they are.
//!
//! Not here: what a word means ([`super::concepts`]) or how much it counts ([`super::index`]). Positions point into the text
//! as the person wrote it, so that reasons can quote it.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer texts are cut here: 2,000 characters are asked for, and a character has at most four bytes.
pub(super) const TEXT_BYTES_MAX: usize = 8_000;

/// A word of a text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Byte range in the text as written.
    pub start: usize,
    /// End of the byte range.
    pub end: usize,
    /// Lower case, without accents and apostrophes.
    pub folded: String,
    /// Snowball stem of `folded`.
    pub stem: String,
    /// A function word or part of the way of asking: never counts by itself, but is part of phrases.
    pub stop: bool,
    /// Transparent in phrases: articles and pronouns ("lose our customers" is "lose customers").
    pub transparent: bool,
    /// Number of the sentence.
    pub sentence: u16,
}

/// Words that hold an English sentence together, and the ways of asking. Contractions stand without apostrophe.
const STOP: &str = "a about above after again all also although always am an and any anybody anyone anything anyway are arent around as ask \
asked asking at away back be because been before being below between both but by came can cannot cant come comes coming could couldnt \
did didnt do does doesnt doing done dont down during each either else etc even ever every everybody everyone everything far few \
find first for from get gets getting give given gives go goes going gone gonna good got gotten had hadnt has hasnt have havent having he hello help hence her here hers herself \
hey hi him himself his how however hows i id if ill im in into is isnt it its itself ive just keep keeps kept kind know known knows last later least less let lets like \
little ll look looking looks lot lots made make makes making many may maybe me mean means might mine more most much must my myself need needed needs neither never \
next no nobody none nor not nothing now of off often ok okay on once one ones only or other others otherwise ought our ours \
ourselves out over own per perhaps please pls put quite rather re really right s said same saw say saying says see seem seems seen shall she should \
shouldnt show since so some somebody somehow someone something sometimes soon sort still such suggest take taken takes taking tell than thank thanks that thats the their theirs them \
themselves then there theres these they theyre theyve thing things think this those though through thus til till to today together told tomorrow too took toward towards tried try \
trying two under until up upon us use used uses using ve very via want wanna wanted wants was wasnt way ways we well went were werent weve \
what whatever whats when whenever where whether which while who whoever whole whom whose why will with within without wont word words work would wouldnt \
yes yesterday yet you youre your yours yourself youve t d m o ll u ur r b c e f g h j k l n p q v w x y z thx bit got stuff actually basically literally \
three four five six seven eight nine ten dozen hundred thousand week weeks month months year years day days hour hours minute minutes ago monday tuesday wednesday thursday friday saturday sunday \
january february march april june july august september october november december spring summer autumn winter morning evening night tonight \
us theyd wed youd hed shed itll thatll whos cause cuz tho thru plz wouldve couldve shouldve isn aren wasn weren don doesn didn won hasn haven couldn wouldn shouldn";

/// Articles, pronouns and the like, which phrases ignore.
const TRANSPARENT: &str =
    "a an the my our your their his her its this that these those it them us me him some any very really so just";

/// Function words of other languages: enough to notice the language and not to take them for content.
const FOREIGN: &[(&str, &str)] = &[
    (
        "de",
        "aber als am an auch auf aus bei beim bin bis bist da damit das dass dem den denn der des dessen die dies diese dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch fuer fur ganz gegen gibt haben habe hat hatte hier ich ihm ihn ihr ihre im immer in ist ja jede jeder jedes jetzt kann kein keine konnen koennen man mehr mein meine mich mir mit muss nach nicht nichts noch nur ob oder ohne schon sehr sein seine sich sie sind so soll sollen sollte uber ueber um und uns unser unsere unserem unseren vom von vor war warum was weil welche welcher wenn wer werden wie wieder will wir wird wo zu zum zur zwei zwischen",
    ),
    (
        "fr",
        "alors au aussi aux avec avant beaucoup bien car ce cela ces cet cette chaque chez comme comment dans de des deux dire dois doit donc dont du elle elles en entre est et etre eux fait faire faut il ils j je jusqu l la le les leur leurs lui ma mais meme mes moi mon ne nos notre nous on ont ou par pas peu peut peux plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous sur ta te tous tout toute toutes tres tu un une vos votre vous y",
    ),
    (
        "es",
        "a al algo alguien ante antes aqui asi aun aunque bien cada como con contra cual cuales cuando cuanto de debe debemos debo del desde donde dos e el ella ellos en entre era es esa ese eso esta estan estas este esto estos fue ha hace hacer hacia han hasta hay he la las le les lo los mas me mi mis muy nada ni no nos nosotros nuestra nuestro nuestros o otra otro para pero poco podemos por porque pues puede puedo que quien se sea segun ser si sin sobre solo somos son soy su sus tambien tan tanto te tengo tenemos tiene tienen toda todo todos tu un una uno unos y ya yo",
    ),
    (
        "pt",
        "a ao aos as ate com como da das de dela dele deles depois desde do dos e ela elas ele eles em entre era essa esse esta estamos estao estar este eu faz fazer foi ha isso isto ja la lhe mais mas me mesmo meu meus minha muito na nao nas nem no nos nossa nosso nossos num numa o onde os ou para pela pelo por porque posso podemos qual quando que quem sao se seja sem ser seu seus so sobre sou sua suas tambem tem temos tenho ter todo todos tudo um uma voce voces",
    ),
    (
        "nl",
        "aan al alle als altijd bij dan dat de deze die dit doe doen door dus een en er geen gaan gaat had heb hebben heeft het hier hij hoe ik in is ja je jij jullie kan kunnen maar meer met mij mijn moet moeten na naar niet niets nog nu of om omdat ons onze ook op over te tegen tot u uit van veel voor waar waarom wanneer want waren was wat we wel welke werd wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou zullen",
    ),
    (
        "it",
        "a ad agli ai al alla alle anche ancora avere che chi ci come con cosa cui da dal dalla dei del della delle di dobbiamo dove due e ed era essere fare gli ha hanno ho i il in io la le lei li lo loro ma mi mia mio molto ne nei nel nella noi non nostra nostro o ogni per perche piu po posso possiamo prima quale quando quello questa questo se senza si sia siamo sono su sul sulla suo tra tutti tutto un una uno voi",
    ),
];

static STOP_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP.split_whitespace().collect());
static TRANSPARENT_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| TRANSPARENT.split_whitespace().collect());
static FOREIGN_SETS: LazyLock<Vec<HashSet<&'static str>>> =
    LazyLock::new(|| FOREIGN.iter().map(|(_, words)| words.split_whitespace().collect()).collect());

/// Whether a folded word is an English function word.
pub(super) fn is_stop(folded: &str) -> bool {
    STOP_SET.contains(folded)
}

/// The tokens of a text, and whether it is written in another language than English. Words of a foreign text that the lexicon
/// knows are already English ones, at the place of the foreign word.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    /// In order.
    pub tokens: Vec<Token>,
    /// More function words of another language than of English.
    pub foreign: bool,
}

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Text {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut out: Vec<Token> = Vec::new();
    let mut sentence = 0_u16;
    for (start, end, script) in runs(text) {
        match script {
            Script::Break => {
                sentence = sentence.saturating_add(1);
            }
            Script::Spaced => {
                let folded = fold(&text[start..end]);
                if !folded.is_empty() {
                    out.push(token_at(folded, (start, end, sentence), &stemmer));
                }
            }
            // Scripts without spaces: overlapping pairs of characters stand for words.
            Script::Unspaced => {
                let marks: Vec<(usize, char)> = text[start..end].char_indices().collect();
                for pair in marks.windows(2) {
                    let (from, to) = (start + pair[0].0, start + pair[1].0 + pair[1].1.len_utf8());
                    out.push(token_at(text[from..to].to_owned(), (from, to, sentence), &stemmer));
                }
            }
        }
    }
    match foreign_language(&out) {
        Some(language) => Text { tokens: super::lexicon::translate(out, language, &stemmer), foreign: true },
        None => Text { tokens: out, foreign: false },
    }
}

/// Finds another language than English by its function words: its position in [`FOREIGN`].
fn foreign_language(tokens: &[Token]) -> Option<usize> {
    let english = tokens.iter().filter(|token| STOP_SET.contains(token.folded.as_str())).count();
    let count = |set: &HashSet<&str>| tokens.iter().filter(|token| set.contains(token.folded.as_str())).count();
    let (language, count) =
        FOREIGN_SETS.iter().map(count).enumerate().max_by_key(|(at, count)| (*count, usize::MAX - at))?;
    (count > english && count * 6 >= tokens.len()).then_some(language)
}

/// Whether a folded word is a function word of a foreign language.
pub(super) fn is_foreign_stop(language: usize, folded: &str) -> bool {
    FOREIGN_SETS.get(language).is_some_and(|set| set.contains(folded))
}

/// A token for an English word at a place of the text.
pub(super) fn token_at(folded: String, place: (usize, usize, u16), stemmer: &Stemmer) -> Token {
    let (start, end, sentence) = place;
    let stem = stemmer.stem(&folded).into_owned();
    let stop = STOP_SET.contains(folded.as_str()) || folded.bytes().all(|byte| byte.is_ascii_digit());
    let transparent = TRANSPARENT_SET.contains(folded.as_str());
    Token { start, end, folded, stem, stop, transparent, sentence }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Spaced,
    Unspaced,
    Break,
}

/// Runs of word characters with their byte ranges, and the ends of sentences between them.
fn runs(text: &str) -> Vec<(usize, usize, Script)> {
    let mut out = Vec::new();
    let mut open: Option<(usize, Script)> = None;
    for (at, c) in text.char_indices() {
        if at >= TEXT_BYTES_MAX {
            break;
        }
        let script = if is_unspaced(c) {
            Some(Script::Unspaced)
        } else if c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '\'' | '’' | '`') {
            Some(Script::Spaced)
        } else {
            None
        };
        if let Some((start, kind)) = open
            && script != Some(kind)
        {
            out.push((start, at, kind));
            open = None;
        }
        match script {
            Some(kind) if open.is_none() => open = Some((at, kind)),
            None if matches!(c, '.' | '!' | '?' | ';' | ':' | '\n' | '。' | '！' | '？') => {
                out.push((at, at, Script::Break));
            }
            _ => {}
        }
    }
    if let Some((start, kind)) = open {
        out.push((start, text.len().min(TEXT_BYTES_MAX + 4), kind));
    }
    // A cut inside a character never happens: the last run ends where the loop stopped.
    if let Some(last) = out.last_mut()
        && !text.is_char_boundary(last.1)
    {
        last.1 = (0..=last.1).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(last.0);
    }
    out
}

/// Han, kana, Thai, Lao, Khmer: written without spaces.
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Lower case, compatibility forms and accents resolved, `'s` and apostrophes away.
pub(super) fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    if word.is_ascii() {
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        for c in word.nfkd().filter(|c| !is_combining_mark(*c)) {
            match c {
                '’' | '`' => out.push('\''),
                'ß' => out.push_str("ss"),
                'ø' | 'Ø' => out.push('o'),
                'æ' | 'Æ' => out.push_str("ae"),
                'œ' | 'Œ' => out.push_str("oe"),
                _ => out.extend(c.to_lowercase()),
            }
        }
    }
    let trimmed = out.trim_matches('\'');
    let trimmed = trimmed.strip_suffix("'s").unwrap_or(trimmed);
    if trimmed.contains('\'') { trimmed.replace('\'', "") } else { trimmed.to_owned() }
}

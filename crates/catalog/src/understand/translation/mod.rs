//! Questions put into the words of the catalog. Those in other languages become English: dictionary-based query translation, as in
//! cross-language retrieval. Words that the dictionary does not have, such as names, stay as they are.

mod compound;
mod dictionary;
mod foreign;
mod typed_names;

use refdesk_core::text::script::is_unspaced;
use refdesk_search::text;

use crate::understand::dates::MONTHS;
use dictionary::{Beside, DICTIONARY, Translation, WordOrder, ends_number};
use foreign::is_foreign;
pub use typed_names::{with_letter, without_quantisation};

/// A word of a question.
struct TypedWord<'a> {
    text: &'a str,
    folded: String,
    /// It is in capitals beside words that are not.
    is_acronym: bool,
}

/// Whether a text is in capitals.
fn is_in_capitals(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

fn folded(word: &str) -> String {
    text::folded(without_elision(word))
}

/// French and Italian write some words before another one without a blank: `d'images`.
fn without_elision(word: &str) -> &str {
    let Some((before, rest)) = word.split_once(['\'', '’']) else { return word };
    let elided = ["d", "l", "j", "m", "n", "dell", "nell", "all", "un"];
    if !rest.is_empty() && elided.iter().any(|known| before.eq_ignore_ascii_case(known)) { rest } else { word }
}

/// What hangs in Korean on what something is compared with: `gpt-4o보다 싼`.
const THAN: &str = "보다";

/// A word, and what hangs on it where it is compared with; else nothing.
fn comparison_apart(word: &str) -> [&str; 2] {
    match word.strip_suffix(THAN) {
        Some(name) if !name.is_empty() => [name, THAN],
        _ => [word, ""],
    }
}

fn is_hangul(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\u{ac00}'..='\u{d7af}'))
}

/// A question in English words, as far as the dictionary goes; `None` when it has no word of another language.
pub fn translated(text: &str) -> Option<String> {
    let typed = text.split_whitespace().map(|word| word.trim_matches(|c: char| "?!,;:.()\"¿¡？。、！「」".contains(c)));
    let may_have_acronyms = !is_in_capitals(text);
    let typed = typed.flat_map(comparison_apart);
    let word = |text| TypedWord { text, folded: folded(text), is_acronym: may_have_acronyms && is_in_capitals(text) };
    let words: Vec<TypedWord<'_>> = typed.filter(|word| !word.is_empty()).map(word).collect();
    if !is_foreign(&words) {
        return None;
    }
    let (mut out, mut at) = (English::default(), 0);
    while at < words.len() {
        let is_whole = |meaning: &&Translation| meaning.parts.len() > 1 || compound::parts(&words[at].folded).is_none();
        if let Some(meaning) = DICTIONARY.at(&words, at).filter(is_whole) {
            out.add(meaning);
            at += meaning.parts.len();
            continue;
        }
        let of_word: Vec<WordPiece<'_>> = pieces(&words[at]).collect();
        // `e-commerce` has no Italian `e` in it.
        let is_latin = words[at].folded.is_ascii();
        let is_known =
            |piece: &WordPiece<'_>| matches!(piece, WordPiece::Known(meaning) if !(is_latin && meaning.only_binds));
        if of_word.iter().any(is_known) {
            out.extend(&of_word);
        } else {
            out.0.push(without_elision(words[at].text));
        }
        at += 1;
    }
    Some(out.0.join(" "))
}

/// The words of a translation so far.
#[derive(Default)]
struct English<'a>(Vec<&'a str>);

impl<'a> English<'a> {
    fn add(&mut self, meaning: &Translation) {
        let at = match meaning.place {
            WordOrder::Same => self.0.len(),
            WordOrder::Before => self.0.len() - self.last_length(),
        };
        if !meaning.english.is_empty() {
            self.0.insert(at, meaning.english);
        }
    }

    /// How many words the last thing takes that was said: a number with its units, or a date, is one.
    fn last_length(&self) -> usize {
        let is_of_number = |word: &&&str| ends_number(word) || OF_NUMBERS.iter().any(|units| units.contains(*word));
        self.0.iter().rev().take_while(is_of_number).count().max(1).min(self.0.len())
    }

    /// Adds the parts of a word. An unknown one behind a known one may be an ending, which says nothing.
    fn extend(&mut self, pieces: &[WordPiece<'a>]) {
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                WordPiece::Known(meaning) => self.add(meaning),
                WordPiece::Unknown(text) if at > 0 && is_ending(text) => {}
                WordPiece::Unknown(text) => self.0.push(text),
            }
        }
    }
}

/// What else numbers and dates are said with, in English.
const OF_NUMBERS: [&[&str]; 3] = [
    &[
        "thousand",
        "ten thousand",
        "million",
        "hundred million",
        "billion",
        "dollars",
        "cents",
        "euros",
        "tokens",
        "token",
    ],
    &MONTHS,
    &["q1", "q2", "q3", "q4", "h1", "h2", "spring", "summer", "autumn", "winter", "USD", "$"],
];

/// Syllables of the longest particle behind a Korean word.
const PARTICLE_CHARS: usize = 2;

/// Endings of verbs and particles: hiragana, and a syllable or two of hangul.
fn is_ending(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\u{3040}'..='\u{309f}'))
        || (is_hangul(text) && text.chars().count() <= PARTICLE_CHARS)
}

/// A part of a word.
#[derive(Clone, Copy)]
enum WordPiece<'a> {
    Known(&'static Translation),
    /// Characters that the dictionary does not have.
    Unknown(&'a str),
}

/// The runs of a word of two scripts, where a name with hyphens is in one that has no blanks: `gpt-5` and `和` and `gpt-5-mini` and `的区别`.
fn runs(text: &str) -> Vec<&str> {
    let (mut runs, mut start) = (Vec::new(), 0);
    if !text.contains(is_unspaced) || !text.contains('-') {
        return vec![text];
    }
    for (at, c) in text.char_indices().skip(1) {
        let last = text[..at].chars().next_back();
        if last.is_some_and(|last| is_unspaced(last) != is_unspaced(c)) {
            runs.push(&text[start..at]);
            start = at;
        }
    }
    runs.push(&text[start..]);
    runs
}

/// The parts of a word: between hyphens, those of compounds, and of scripts without blanks the forms in it, the longest first.
fn pieces<'a>(word: &'a TypedWord<'_>) -> impl Iterator<Item = WordPiece<'a>> {
    let runs = runs(&word.folded);
    let is_of_one = runs.len() == 1;
    runs.into_iter().flat_map(move |run| {
        let is_name = !is_of_one && run.is_ascii() && run.contains('-');
        if is_name { vec![WordPiece::Unknown(run)] } else { pieces_between_hyphens(word, run) }
    })
}

fn pieces_between_hyphens<'a>(word: &TypedWord<'_>, run: &'a str) -> Vec<WordPiece<'a>> {
    let of_part = |part: &'a str| {
        if let Some(parts) = compound::parts(part) {
            return parts;
        }
        let is_acronym = word.text.split('-').any(|typed| is_in_capitals(typed) && typed.eq_ignore_ascii_case(part));
        let alone = [TypedWord { text: part, folded: part.to_owned(), is_acronym }];
        if let Some(meaning) = DICTIONARY.at(&alone, 0).filter(|meaning| meaning.parts.len() == 1) {
            return vec![WordPiece::Known(meaning)];
        }
        unspaced_pieces(part)
    };
    run.split('-').filter(|part| !part.is_empty()).flat_map(of_part).collect()
}

fn unspaced_pieces(text: &str) -> Vec<WordPiece<'_>> {
    // No form of these scripts begins so, and no border of scripts is in it.
    if text.is_ascii() {
        return vec![WordPiece::Unknown(text)];
    }
    let (mut pieces, mut unknown, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = text[at..].chars().next() {
        let form = DICTIONARY.unspaced.get(&c).into_iter().flatten();
        // `3月` is none of `13月`, and `20万` is of a number what `万能` is not.
        let is_behind_number = ends_number(&text[..at]);
        let found = form.into_iter().find(|(form, meaning)| {
            let is_unit = meaning.beside == Beside::Number;
            let is_in_place = if c.is_ascii_digit() { !is_behind_number } else { is_behind_number || !is_unit };
            is_in_place && meaning.parts.len() == 1 && text[at..].starts_with(&**form)
        });
        let Some((form, meaning)) = found else {
            // A script without blanks ends where another begins.
            let is_border =
                at > unknown && text[unknown..at].chars().next_back().is_some_and(|last| script(last) != script(c));
            if is_border {
                pieces.push(WordPiece::Unknown(&text[unknown..at]));
                unknown = at;
            }
            at += c.len_utf8();
            continue;
        };
        if at > unknown {
            pieces.push(WordPiece::Unknown(&text[unknown..at]));
        }
        pieces.push(WordPiece::Known(meaning));
        at += form.len();
        unknown = at;
    }
    if unknown < text.len() {
        pieces.push(WordPiece::Unknown(&text[unknown..]));
    }
    pieces
}

/// Hiragana, another script without blanks, or any other.
fn script(c: char) -> u8 {
    match c {
        '\u{3040}'..='\u{309f}' => 0,
        c if is_unspaced(c) => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{folded, translated};
    use crate::understand::words::table;
    use refdesk_search::text::is_stop_word;

    /// Questions, and what is searched for.
    const QUESTIONS: [(&str, &str); 86] = [
        ("günstigstes Modell mit Bildeingabe", "cheapest model with image input"),
        ("Modelle ohne Anmeldung", "model without login"),
        ("modelo más barato con un millón de tokens de contexto", "model cheapest with million tokens context"),
        ("serveur MCP pour lire des fichiers", "server MCP for read file"),
        ("génération d'images", "image generation"),
        ("модели с открытыми весами", "model with open weights"),
        ("mcp-сервер для GitHub", "mcp server for GitHub"),
        ("最便宜的视觉模型", "cheapest vision model"),
        ("Slack に投稿する MCP サーバー", "Slack post MCP server"),
        ("임베딩 모델을 찾아줘", "embeddings model 찾아줘"),
        ("노션 mcp 서버", "Notion mcp server"),
        ("東京の天気", "東京 weather"),
        ("modelos que no son de OpenAI", "model not OpenAI"),
        ("不是OpenAI的模型", "not openai model"),
        ("OpenAI以外のモデル", "not openai model"),
        ("modèles d'OpenAI", "model OpenAI"),
        ("Modelle über 100k Kontext", "model over 100k context"),
        ("Modelle ab 200k Kontext", "model at least 200k context"),
        ("modelli oltre 2 dollari", "model over 2 dollars"),
        ("Anleitungen über Agenten", "tutorial über agent"),
        ("토스결제 서버", "토스 payments server"),
        ("языковые модели для базы данных", "language model for database"),
        ("modelos con licencia MIT", "model with license MIT"),
        ("Modelle mit MIT-Lizenz", "model with mit license"),
        ("servidor para e-commerce", "server for e-commerce"),
        ("ログインなしのMCPサーバー", "without login mcp server"),
        ("로그인 없는 mcp 서버", "without login mcp server"),
        ("不支持工具的模型", "without tool model"),
        ("welches Modell ersetzt gpt-4", "which model replaces gpt-4"),
        ("Alternative zu LangChain", "alternative to LangChain"),
        ("alternative à LangChain sans inscription", "alternative to LangChain without login"),
        ("günstigstes KI-Modell", "cheapest AI model"),
        ("読み上げモデル", "text to speech model"),
        ("KI Modelle ohne Anmeldung", "AI model without login"),
        ("modèles d'IA open source", "AI model open source"),
        ("MCP-Server um Mails zu lesen", "MCP-Server email read"),
        ("音声をテキストに変換するモデル", "audio to text model"),
        ("把语音转成文字的模型", "speech to text model"),
        ("selbst gehosteter MCP Server", "self-hosted MCP Server"),
        ("Fehler: Modell nicht gefunden", "error model not found"),
        ("comment réduire les hallucinations", "how reduce hallucinations"),
        ("kostenlose Modelle auf OpenRouter", "free model on OpenRouter"),
        ("modèles gratuits sur OpenRouter", "model free on OpenRouter"),
        ("OpenRouter上的免费模型", "openrouter free model"),
        ("Skills von Anthropic", "Skills by Anthropic"),
        ("MCP-Server auf npm", "MCP-Server on npm"),
        ("Dokumente auf Deutsch", "document in German"),
        ("Wie viele Modelle hat OpenAI", "how many model OpenAI"),
        ("gpt-4o多少钱", "gpt-4o how much"),
        ("gpt-5和gpt-5-mini的区别", "gpt-5 and gpt-5-mini difference"),
        ("mcp server nicht von google", "mcp server not by google"),
        ("mcp server non di google", "mcp server not google"),
        ("modelos lanzados en 2025 por google", "model released 2025 by google"),
        ("modelos feitos por mistral", "model made by mistral"),
        ("modelos de deepseek ofrecidos por azure", "model deepseek offered by azure"),
        ("nachfolger von gpt-4o", "successor of gpt-4o"),
        ("преемник gpt-4o", "successor of gpt-4o"),
        ("ersatz für gpt-4-turbo", "replacement for gpt-4-turbo"),
        ("замена gpt-4o", "replacement for gpt-4o"),
        ("substituto do gpt-4", "replacement for gpt-4"),
        ("alternatives à gpt-4o", "alternatives to gpt-4o"),
        ("gpt-4o的替代品", "gpt-4o alternative"),
        ("gpt-4oの代わり", "gpt-4o alternative"),
        ("models für coding", "models for coding"),
        ("Datenbankmigration", "database migration"),
        ("Rechnungsvorlage", "invoice template"),
        ("Rechnungs-Vorlage", "invoice template"),
        ("Kontext-Fenster ab 200k", "context at least 200k"),
        ("convertir audio en texto", "convert audio to text"),
        ("Übersetzungsserver", "translation server"),
        ("Textzusammenfassung mit Modellen", "text summary with model"),
        ("Spracherkennungsmodelle", "speech recognition model"),
        ("Preisvergleich-Tool", "price compare tool"),
        ("Datenbankabfragen in natürlicher Sprache", "database query in natural language"),
        ("Wettervorhersagen", "weather forecast"),
        ("Datenbanken", "database"),
        ("Programmiersprachen", "programming language"),
        ("20달러보다 비싼 모델", "more expensive than 20 dollars model"),
        ("gpt-4oより安いモデル", "cheaper than gpt-4o model"),
        ("Modelle der letzten drei Monate", "model last three months"),
        ("支持图片的模型", "supporting image model"),
        ("modelos más baratos que gpt-4o", "model cheaper than gpt-4o"),
        ("el modelo más barato que lee imágenes", "model cheapest read image"),
        ("modelos con menos contexto que 200k", "model with smaller context than 200k"),
        ("modelo mais caro do que gpt-4o", "model more expensive than gpt-4o"),
        ("modelos con contexto mayor que 200k", "model with bigger context than 200k"),
    ];

    #[test]
    fn a_question_is_put_into_english_words() {
        for (question, english) in QUESTIONS {
            assert_eq!(translated(question).as_deref(), Some(english), "{question}");
        }
    }

    #[test]
    fn what_is_english_or_a_name_stays_as_it_is() {
        for question in [
            "cost per token",
            "comment on pull requests",
            "no login",
            "die roll simulator",
            "mistral large",
            "gemini pro con extras",
            "sin city",
            "read files",
            "what is few-shot prompting",
            "voyage embeddings",
            "open meteo",
            "claude-sonnet-4-5",
            "漢字",
            "I want to track a package that was sent with Correo Argentino, and its status",
            "a musical on Broadway",
            "von Neumann architecture",
            "big sur weather",
            "alternatives a team can host",
            "non profit mcp server",
            "made by door sensors",
            "database timetable",
            "costliest model",
            "",
        ] {
            assert_eq!(translated(question), None, "{question}");
        }
    }

    #[test]
    fn no_word_stands_twice_and_none_is_a_stop_word_of_english() {
        let mut seen: HashMap<String, &str> = HashMap::new();
        for row in table(include_str!("translations.txt")) {
            assert_eq!(row.len(), 2, "{row:?}");
            // In front of names these are read first.
            if row[0].starts_with(['@', '&']) {
                continue;
            }
            for form in row[1].split(',').map(str::trim).filter(|form| !form.is_empty()) {
                if let Some(other) =
                    seen.insert(form.split_whitespace().map(folded).collect::<Vec<_>>().join(" "), row[0])
                {
                    assert_eq!(other, row[0], "`{form}` stands for both");
                    panic!("`{form}` appears twice for {other}");
                }
                let is_content = !row[0].starts_with(['~', '^', '>', '%']);
                assert!(!(is_content && form.is_ascii() && is_stop_word(form)), "`{form}`");
            }
        }
    }
}

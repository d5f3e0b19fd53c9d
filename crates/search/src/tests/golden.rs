//! Pins scores: what a generated corpus answers to some thousand queries, as a digest and, for a few of them, in full.
//!
//! A change of code that is meant to keep the ranking must keep this test; after an intended one, `UPDATE_GOLDEN=1` writes
//! the new values for review.

use super::{Segments, similar_names};
use crate::{
    CosineSimilarities, DocInput, Field, MatchField, MatchKind, NameKind, QueryText, SearchIndex, SearchOutcome,
    SearchRequest, SegmentSet, SnippetGenerator, WHOLE_NAME_SCORE_MIN,
};
use refdesk_core::Kind;

const ITEMS: usize = 9_000;
const VENDORS: [&str; 8] = ["acme", "bolt", "cirrus", "dune-labs", "ember", "io.github.fjord", "@gale", "Huber & Co"];
const FAMILIES: [&str; 12] =
    ["orca", "heron", "lynx", "stork", "marten", "otter", "ospreyHub", "pelican", "quail", "raven", "sandpiper", "mcp"];
const VARIANTS: [&str; 9] = ["mini", "large", "flash", "flash-lite", "pro", "audio", "instruct", "code", "search"];
const VERSIONS: [&str; 10] = ["1", "2.5", "3.1-70b", "3.1-8b", "4o", "4.5-20250929", "v2", "2024-11-05", "s3", "0.9"];
const WORDS: [&str; 40] = [
    "converts",
    "speech",
    "text",
    "database",
    "search",
    "searches",
    "image",
    "images",
    "web",
    "browser",
    "server",
    "authentication",
    "stream",
    "streaming",
    "streams",
    "price",
    "model",
    "models",
    "agent",
    "agents",
    "file",
    "files",
    "list",
    "create",
    "issue",
    "issues",
    "ticket",
    "weather",
    "Straße",
    "résumé",
    "言語モデル",
    "языковая",
    "4.5",
    "C++",
    "createPullRequest",
    "postgres",
    "kubernetes",
    "deploy",
    "deployment",
    "the",
];

/// A linear congruential generator: the same corpus everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn text(&mut self, most: usize) -> String {
        let words: Vec<String> = (0..=self.below(most))
            .map(|_| match self.below(3) {
                0 => format!("w{}z", ["q", "x", "j"].iter().map(|c| c.repeat(self.below(4))).collect::<String>()),
                // The lower the number of a word, the more texts have it.
                _ => WORDS[self.below(40) * self.below(40) / 40].to_owned(),
            })
            .collect();
        words.join(" ")
    }
}

fn corpus() -> (Vec<String>, SearchIndex) {
    let mut random = Random(7);
    let mut segments = Segments::default();
    let mut all = Vec::new();
    for item in 0..ITEMS {
        let (vendor, family) = (random.pick(&VENDORS), random.pick(&FAMILIES));
        let (variant, version) = (random.pick(&VARIANTS), random.pick(&VERSIONS));
        let id = format!("{vendor}/{family}-{variant}-{version}-{}", item % 1_000);
        let name = format!("{vendor}: {family} {variant} {version} {}", item % 1_000);
        let alias = format!("{family}{}{}", random.pick(&VARIANTS), item % 77);
        let (description, keywords, body) = (random.text(14), random.text(3), random.text(30));
        let passages: Vec<(String, String)> =
            (0..random.below(4)).map(|_| (random.text(2).replace(' ', "_"), random.text(8))).collect();
        let fields = vec![
            (Field::Title, name.as_str()),
            (Field::Description, &description),
            (Field::Keywords, &keywords),
            (if item % 2 == 0 { Field::Body } else { Field::Headings }, &body),
        ];
        let stale = random.below(5) == 0;
        segments.add(
            item % 7,
            stale,
            DocInput {
                demotion: if random.below(9) == 0 { 3 } else { 0 },
                names: vec![(NameKind::Id, &id), (NameKind::Name, &name), (NameKind::Alias, &alias)],
                fields,
                passages: passages.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect(),
            },
        );
        all.extend([id, name, alias]);
    }
    (all, segments.finish())
}

/// A name as somebody may type it.
fn mistype(name: &str, way: usize, random: &mut Random) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() < 3 {
        return name.to_owned();
    }
    let at = 1 + random.below(chars.len() - 2);
    let (head, tail): (String, String) = (chars[..at].iter().collect(), chars[at + 1..].iter().collect());
    match way {
        0 => name.to_owned(),
        1 => name.replace([' ', '-', '/', '.', ':'], ""),
        2 => name.replace(['-', '/', ':', '_'], " "),
        3 => head,
        4 => head + &tail,
        5 => format!("{head}{}{}{}", chars[at], chars[at], tail),
        6 => format!("{}{}{}", &name[..chars[0].len_utf8()], tail, chars[at]),
        7 => format!("price of {name}"),
        8 => name.rsplit([' ', '-', '/']).collect::<Vec<_>>().join(" "),
        9 => name.split(['-', ' ']).take(2).collect::<Vec<_>>().join("-") + "-",
        10 => format!("how do I use {} for {}", name.split(['-', ' ']).take(3).collect::<Vec<_>>().join(" "), "images"),
        _ => name.split(['/', ' ']).next_back().unwrap_or(name).to_uppercase(),
    }
}

fn queries(names: &[String]) -> Vec<String> {
    let mut random = Random(11);
    let mut out: Vec<String> = (0..600)
        .map(|at| {
            let name = &names[random.below(names.len())];
            mistype(name, at % 12, &mut random)
        })
        .collect();
    for at in 0..400 {
        let text = random.text(6);
        out.push(match at % 4 {
            0 => text,
            1 => format!("how do I {text}"),
            2 => mistype(&text, 4, &mut random),
            _ => mistype(&text, 3, &mut random),
        });
    }
    out
}

fn line(query: &str, outcome: &SearchOutcome) -> String {
    let hits: Vec<String> = outcome
        .hits
        .iter()
        .map(|hit| {
            let matched: Vec<String> =
                hit.matched.iter().map(|(field, how)| format!("{}={}", *field as u8, *how as u8)).collect();
            format!("{}:{:.4}:{}", hit.ordinal, hit.score, matched.join("+"))
        })
        .collect();
    let (total, stale) = (outcome.total, outcome.excluded_stale);
    format!("{query} | {total} {stale} {} | {}", outcome.corrected.join(","), hits.join(" "))
}

/// The first hit, if it is found by its whole name.
fn named_first(index: &SearchIndex, query: &str) -> Option<u32> {
    let hit = index.search(&SearchRequest::new(query, 1)).hits.into_iter().next()?;
    let is_name = hit.matched.iter().take(1).any(|(field, how)| {
        matches!(field, MatchField::Id | MatchField::Name | MatchField::Alias)
            && matches!(how, MatchKind::Exact | MatchKind::Alias)
    });
    (is_name && hit.score > WHOLE_NAME_SCORE_MIN).then_some(hit.ordinal)
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn scores_are_what_they_were() {
    let (names, index) = corpus();
    let every_other: SegmentSet = Kind::ALL.into_iter().step_by(2).collect();
    let mut random = Random(13);
    let (mut all, mut shown) = (String::new(), String::new());
    for (at, query) in queries(&names).iter().enumerate() {
        let compared =
            (0..ITEMS as u32).step_by(7).map(|ordinal| (ordinal, random.below(1_000) as f32 / 1_000.0)).collect();
        let near = CosineSimilarities { compared };
        let request = SearchRequest {
            segments: if at % 5 == 4 { every_other } else { SegmentSet::ALL },
            fresh_only: at % 6 == 5,
            semantic: (at % 10 == 9).then_some(&near),
            ..SearchRequest::new(query, [1, 3, 8][at % 3])
        };
        let outcome = index.search(&request);
        let line = line(query, &outcome);
        if at % 29 == 0 {
            shown += &format!("{line}\n");
        }
        all += &line;
        let analysed = SearchRequest { text: QueryText::Analysed(&index.analyse(query)), ..request };
        assert_eq!(index.search(&analysed), outcome, "{query:?} is found alike when it was analysed before");
        assert_eq!(index.whole_name(query, SegmentSet::ALL, &[]), named_first(&index, query), "{query:?}");
        all += &format!("{:?}", similar_names(&index, query, SegmentSet::ALL, 3));
        let text = format!("{} {}", names[at], random.text(40));
        all += &format!("{:?}", SnippetGenerator::new(query).with_corrected(&outcome.corrected).snippet(&text, 80));
    }
    shown += &format!("everything: {:016x}\n", fnv1a(&all));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/golden.txt"), &shown).unwrap();
    }
    assert_eq!(shown, include_str!("golden.txt"));
}

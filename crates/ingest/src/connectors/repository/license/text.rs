//! Which licence a text is, by the lines that only it has. Prohibitions are told by their wording: a negation before a verb of copying,
//! or a noun of copying before "prohibited". Nothing is guessed from a mere name inside of another text.

use super::Licence;
use refdesk_core::text::first_chars;

/// How far a prohibition may stand from its verb, in characters; lists of what is forbidden are long.
const REACH_CHARS: usize = 400;
/// How much of a text is its head, where a licence says which one it is.
const HEAD_CHARS: usize = 400;

pub(super) fn licence(text: &str) -> Licence {
    let text = folded(text);
    if let Some(id) = full_text(&text) {
        return if TAKEN_BACK.iter().any(|phrase| text.contains(phrase)) {
            Licence::Proprietary
        } else {
            Licence::Named(id)
        };
    }
    if forbids(&text) {
        return Licence::Proprietary;
    }
    notice(&text).map_or(Licence::Unknown, Licence::Named)
}

/// Lower case, one blank for each run of blanks, straight quotes; marks of Markdown and comments are gone.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '*' | '#' | '`' | '>' | '_' | '\u{feff}' => {}
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            '“' | '”' => out.push('"'),
            '‘' | '’' => out.push('\''),
            c => out.push(c),
        }
    }
    out
}

/// What no open licence says: terms that take its grant back.
const TAKEN_BACK: [&str; 7] = [
    "no redistribution",
    "not be redistributed",
    "not redistribute",
    "redistribution is prohibited",
    "redistribution is not permitted",
    "redistribution is forbidden",
    "not for redistribution",
];

/// The SPDX id of the licence whose operative lines stand in the text.
fn full_text(text: &str) -> Option<String> {
    let has = |phrase: &str| text.contains(phrase);
    let head = first_chars(text, HEAD_CHARS);
    if has("permission is hereby granted, free of charge, to any person obtaining a copy") {
        return Some("MIT".into());
    }
    if has("permission to use, copy, modify, and/or distribute this software for any purpose with or without fee")
        || has("permission to use, copy, modify, and distribute this software for any purpose with or without fee")
    {
        return Some(if has("provided that the above copyright notice") { "ISC" } else { "0BSD" }.into());
    }
    if has("redistribution and use in source and binary forms, with or without modification, are permitted") {
        let third = has("neither the name") || has("names of its contributors may be used to endorse");
        return Some(if third { "BSD-3-Clause" } else { "BSD-2-Clause" }.into());
    }
    if has("terms and conditions for use, reproduction, and distribution") && has("apache license") {
        return Some("Apache-2.0".into());
    }
    if has("this is free and unencumbered software released into the public domain") {
        return Some("Unlicense".into());
    }
    if has("mozilla public license") && has("each contributor hereby grants") {
        return Some("MPL-2.0".into());
    }
    if has("boost software license - version 1.0") && has("permission is hereby granted") {
        return Some("BSL-1.0".into());
    }
    if has("everyone is permitted to copy and distribute verbatim copies of this license document") {
        return gnu(head);
    }
    if has("statement of purpose") && has("cc0") {
        return Some("CC0-1.0".into());
    }
    (has("licensed rights") || has("creative commons public license")).then(|| creative_commons(head))?
}

/// The SPDX id of the licence that a short notice names.
fn notice(text: &str) -> Option<String> {
    let has = |phrase: &str| text.contains(phrase);
    if has("apache license, version 2.0") || has("apache license version 2.0") || has("apache-2.0") || has("apache 2.0")
    {
        return Some("Apache-2.0".into());
    }
    if has("mozilla public license, v. 2.0") || has("mozilla public license 2.0") || has("mpl-2.0") {
        return Some("MPL-2.0".into());
    }
    if has("publicdomain/zero/1.0") || has("cc0 1.0") || has("cc0-1.0") {
        return Some("CC0-1.0".into());
    }
    creative_commons(text)
        .or_else(|| gnu(first_chars(text, HEAD_CHARS)))
        .or_else(|| has("mit license").then(|| "MIT".into()))
}

/// GPL, LGPL or AGPL with its version.
fn gnu(head: &str) -> Option<String> {
    let names = [("gnu affero general public license", "AGPL"), ("gnu lesser general public license", "LGPL")];
    let names = names
        .into_iter()
        .chain([("gnu library general public license", "LGPL"), ("gnu general public license", "GPL")]);
    // Each names the others further below; the one that stands first is meant.
    let (at, name) = names.filter_map(|(words, name)| Some((head.find(words)?, name))).min_by_key(|(at, _)| *at)?;
    let after = &head[at..];
    let version = after.split_once("version ").or_else(|| after.split_once(" v")).map_or("", |(_, rest)| rest);
    let number: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    let number = if number.contains('.') { number.to_owned() } else { format!("{number}.0") };
    (number.len() > 2).then(|| format!("{name}-{number}"))
}

/// A Creative Commons attribution licence with its terms and version.
fn creative_commons(text: &str) -> Option<String> {
    let spoken = ["creative commons attribution", "attribution"]
        .iter()
        .find_map(|words| text.split_once(words))
        .map(|(_, rest)| rest);
    let coded = ["cc-by", "cc by", "creativecommons.org/licenses/by"].iter().find_map(|words| text.split_once(words));
    if spoken.is_none() && coded.is_none()
        || !(text.contains("creative commons") || coded.is_some() || text.trim_start().starts_with("attribution"))
    {
        return None;
    }
    let rest = coded.map(|(_, rest)| rest).filter(|rest| version(rest).is_some()).or(spoken)?;
    let terms: String = rest.chars().take_while(|c| !c.is_ascii_digit()).take(60).collect();
    let version = version(rest)?;
    let has = |words: [&str; 3]| words.iter().any(|word| terms.contains(word));
    let mut id = String::from("CC-BY");
    for (suffix, words) in [
        ("-NC", ["noncommercial", "non-commercial", "-nc"]),
        ("-ND", ["noderiv", "no-deriv", "-nd"]),
        ("-SA", ["sharealike", "share-alike", "-sa"]),
    ] {
        if has(words) {
            id.push_str(suffix);
        }
    }
    Some(format!("{id}-{version}"))
}

/// The first `4.0` within the next words.
fn version(rest: &str) -> Option<String> {
    let start = rest.char_indices().take(80).find(|(_, c)| c.is_ascii_digit())?.0;
    let number: String = rest[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    matches!(number, "1.0" | "2.0" | "2.5" | "3.0" | "4.0").then(|| number.to_owned())
}

/// Words that reserve everything, in the languages in which repositories write them.
const RESERVED: [&str; 8] = [
    "all rights reserved",
    "all rights are reserved",
    "alle rechte vorbehalten",
    "tous droits réservés",
    "todos los derechos reservados",
    "保留所有权利",
    "版权所有",
    "proprietary",
];
/// Words that grant something. A text that reserves all rights and grants some, is one that this module does not know.
const GRANTS: [&str; 10] = [
    "is hereby granted",
    "are hereby granted",
    "hereby grants",
    "hereby grant",
    "are permitted",
    "is permitted",
    "you may copy",
    "you may use, copy",
    "you are free to",
    "may be freely",
];
/// Words that grant nothing.
const NOTHING_GRANTED: [&str; 14] = [
    "no redistribution",
    "not for redistribution",
    "not for distribution",
    "no license is granted",
    "no licence is granted",
    "no rights are granted",
    "no right is granted",
    "no permission is granted",
    "internal use only",
    "for internal use within",
    "strictly confidential",
    "proprietary and confidential",
    "confidential and proprietary",
    "trade secret",
];
/// What a prohibition begins with.
const NEGATIONS: [&str; 18] = [
    "may not",
    "must not",
    "shall not",
    "can not",
    "cannot",
    "do not",
    "don't",
    "not permitted to",
    "not allowed to",
    "not authorized to",
    "not authorised to",
    "not entitled to",
    "no right to",
    "no permission to",
    "prohibited from",
    "forbidden to",
    "refrain from",
    "no part of",
];
/// Verbs of passing on, by their stems.
const VERBS: [&str; 9] =
    ["copy", "copie", "reproduc", "redistribut", "distribut", "republish", "disseminat", "sublicens", "pass on"];
/// What a prohibition ends with.
const FORBIDDEN: [&str; 8] = [
    "prohibited",
    "forbidden",
    "not permitted",
    "not allowed",
    "not authorized",
    "not authorised",
    "unlawful",
    "requires written permission",
];
/// Nouns of passing on, by their stems.
const NOUNS: [&str; 7] =
    ["copying", "reproduction", "redistribution", "distribution", "duplication", "dissemination", "republication"];

/// True when a text that is no licence of the known ones forbids to pass the item on, or grants nothing.
pub(super) fn forbids(text: &str) -> bool {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    has(&NOTHING_GRANTED) || sentences(text).any(prohibition) || (has(&RESERVED) && !has(&GRANTS))
}

/// A sentence that forbids, and not only under a condition that everyone can meet.
fn prohibition(sentence: &str) -> bool {
    let verb_follows = |start: usize| {
        let reach = first_chars(&sentence[start..], REACH_CHARS);
        VERBS.iter().any(|verb| reach.match_indices(verb).any(|(at, _)| opens_word(reach, at)))
    };
    let negated = NEGATIONS.iter().any(|words| {
        sentence.match_indices(words).any(|(at, _)| opens_word(sentence, at) && verb_follows(at + words.len()))
    });
    let noun = NOUNS.iter().filter_map(|noun| sentence.find(noun)).min();
    let named = noun.is_some_and(|at| FORBIDDEN.iter().any(|words| sentence[at..].contains(words)))
        || ["prohibited: ", "forbidden: ", "prohibits ", "forbids "].iter().any(|words| {
            sentence.split_once(words).is_some_and(|(_, rest)| NOUNS.iter().any(|noun| rest.contains(noun)))
        });
    let condition =
        ["unless", "except", "without"].iter().find_map(|word| sentence.find(word)).map(|at| &sentence[at..]);
    // Leave in writing is a condition that only the owner can meet.
    let owners = |condition: &str| {
        ["written", "writing", "permission", "consent", "agreement", "authori", "approval"]
            .iter()
            .any(|word| condition.contains(word))
    };
    (negated || named) && condition.is_none_or(owners)
}

fn opens_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric())
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(". ").flat_map(|part| part.split("; "))
}

#[cfg(test)]
mod tests {
    use super::licence;

    fn check(text: &str, label: &str) {
        assert_eq!(licence(text).label(), label, "{text}");
    }

    #[test]
    fn known_licences_are_told_by_their_lines() {
        check(
            "MIT License\n\nCopyright (c) 2026 Lamp. All rights reserved.\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy",
            "MIT",
        );
        check(
            "Copyright Lamp\nAll rights reserved.\n\nRedistribution and use in source and binary forms, with or without\nmodification, are permitted provided that",
            "BSD-2-Clause",
        );
        check(
            "Redistribution and use in source and binary forms, with or without modification, are permitted. Neither the name of",
            "BSD-3-Clause",
        );
        check(
            "Apache License\nVersion 2.0, January 2004\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
            "Apache-2.0",
        );
        check(
            "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1, February 1999\nEveryone is permitted to copy and distribute verbatim copies of this license document, but changing it is not allowed. You may not copy, modify or distribute the Program except as",
            "LGPL-2.1",
        );
        check(
            "GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007\nEveryone is permitted to copy and distribute verbatim copies of this license document.",
            "AGPL-3.0",
        );
        check(
            "Attribution-NonCommercial-ShareAlike 4.0 International\n\nBy exercising the Licensed Rights you accept",
            "CC-BY-NC-SA-4.0",
        );
        check("CC0 1.0 Universal\n\nStatement of Purpose\n\nThe laws of most", "CC0-1.0");
        check("This work is licensed under a Creative Commons Attribution 4.0 International License.", "CC-BY-4.0");
        check("https://creativecommons.org/licenses/by-nd/3.0/", "CC-BY-ND-3.0");
        check(
            "Licensed under the Apache License, Version 2.0 (the \"License\"); you may not use this file except in compliance with it.",
            "Apache-2.0",
        );
        check("This is free and unencumbered software released into the public domain.", "Unlicense");
    }

    #[test]
    fn prohibitions_are_told_by_their_wording() {
        for text in [
            "© 2026 Lamp Works. All rights reserved.",
            "These materials belong to Lamp Works. Users may not:\n- Extract them\n- Reproduce or copy them\n- Pass them to third parties",
            "You shall not redistribute or republish any part of this folder.",
            "Unauthorized copying of these files, via any medium, is strictly prohibited.",
            "No part of this guide may be reproduced without the prior written permission of Lamp Works.",
            "For internal use only.",
            "Proprietary and confidential.",
            "This software is proprietary to Lamp Works.",
            "Alle Rechte vorbehalten.",
            "Permission is hereby granted, free of charge, to any person obtaining a copy, but it may not be redistributed.",
            "The rest is under the Apache License, Version 2.0. This folder may not be copied.",
        ] {
            check(text, "proprietary");
        }
    }

    #[test]
    fn what_is_neither_is_unknown() {
        for text in [
            "Lamp Public Licence 1.0. You may copy and share it. You may not remove this notice.",
            "Copyright Lamp Works. All rights reserved. You are free to share it with friends.",
            "You may not redistribute changed versions unless you rename them.",
            "Ask us.",
        ] {
            check(text, "unknown");
        }
    }
}

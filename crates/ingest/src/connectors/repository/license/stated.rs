//! What front matter says of a licence: an SPDX id, another spelling of one, a pointer to a licence file, or that there is none to be had.

use refdesk_core::clean;

use super::text::{folded, forbids};
use super::{Licence, is_file};

/// Longest name of a licence that is shown as its author wrote it, in characters.
pub const NAME_CHARS_MAX: usize = 120;
/// Ids in their own spelling, and what else they are called, folded by [`key`].
const KNOWN: [(&str, &[&str]); 30] = [
    ("MIT", &["mit", "expat", "the mit"]),
    ("Apache-2.0", &["apache20", "apache2", "apachev2", "apacheversion20", "apachev20", "asl20"]),
    ("BSD-2-Clause", &["bsd2clause", "simplifiedbsd", "freebsd"]),
    ("BSD-3-Clause", &["bsd3clause", "newbsd", "modifiedbsd"]),
    ("ISC", &["isc"]),
    ("0BSD", &["0bsd"]),
    ("MPL-2.0", &["mpl20", "mozillapublic20"]),
    ("Unlicense", &["unlicense", "theunlicense"]),
    ("GPL-2.0", &["gpl20", "gpl2", "gplv2"]),
    ("GPL-2.0-only", &["gpl20only"]),
    ("GPL-2.0-or-later", &["gpl20orlater"]),
    ("GPL-3.0", &["gpl30", "gpl3", "gplv3"]),
    ("GPL-3.0-only", &["gpl30only"]),
    ("GPL-3.0-or-later", &["gpl30orlater"]),
    ("LGPL-2.1", &["lgpl21"]),
    ("LGPL-3.0", &["lgpl30", "lgpl3", "lgplv3"]),
    ("AGPL-3.0", &["agpl30", "agpl3", "agplv3"]),
    ("AGPL-3.0-only", &["agpl30only"]),
    ("AGPL-3.0-or-later", &["agpl30orlater"]),
    ("CC0-1.0", &["cc010", "cc0"]),
    ("CC-BY-4.0", &["ccby40", "creativecommonsattribution40"]),
    ("CC-BY-3.0", &["ccby30"]),
    ("CC-BY-SA-4.0", &["ccbysa40", "creativecommonsattributionsharealike40"]),
    ("CC-BY-SA-3.0", &["ccbysa30"]),
    ("CC-BY-NC-4.0", &["ccbync40"]),
    ("CC-BY-ND-4.0", &["ccbynd40"]),
    ("CC-BY-NC-SA-4.0", &["ccbyncsa40"]),
    ("CC-BY-NC-ND-4.0", &["ccbyncnd40"]),
    ("BSL-1.0", &["bsl10", "boost10"]),
    ("EPL-2.0", &["epl20"]),
];

/// What front matter says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// A licence.
    Licence(Licence),
    /// "See LICENSE.txt".
    SeeFile,
}

/// Reads `license` of front matter; `None` when it says nothing.
pub(super) fn parse(text: &str) -> Option<Stated> {
    let line = clean::line(text);
    if line.is_empty() {
        return None;
    }
    let folded = folded(&line);
    // npm's word for "none".
    let is_unlicensed = folded.trim() == "unlicensed";
    if is_unlicensed || folded.contains("proprietary") || forbids(&folded) {
        return Some(Stated::Licence(Licence::Proprietary));
    }
    // A notice, such as that of the Apache Software Foundation, is no name.
    if line.len() > NAME_CHARS_MAX
        && let Licence::Named(id) = super::text::licence(text)
    {
        return Some(Stated::Licence(Licence::Named(id)));
    }
    if let Some(id) = known(&line) {
        return Some(Stated::Licence(Licence::Named(id.to_owned())));
    }
    let words = || line.split([' ', ',', ';', '(', ')', '[', ']', '"', '\'']).map(|word| word.trim_end_matches('.'));
    let names_file = words().any(|word| is_file(word.trim_start_matches("./")) && word.contains('.'));
    let points = words().next().is_some_and(|word| word.eq_ignore_ascii_case("see")) || names_file;
    Some(if points || words().count() == 1 && is_file(&line) {
        Stated::SeeFile
    } else {
        Stated::Licence(Licence::Named(clean::excerpt(&line, NAME_CHARS_MAX)))
    })
}

/// The id of a licence in any of its spellings.
fn known(name: &str) -> Option<&'static str> {
    let key = key(name);
    KNOWN.iter().find(|(_, spellings)| spellings.contains(&key.as_str())).map(|(id, _)| *id)
}

/// Letters and digits in lower case, without the words that only say "licence".
fn key(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    words.filter(|word| !matches!(word.as_str(), "license" | "licence" | "the" | "international")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Licence;
    use super::{Stated, parse};

    #[test]
    fn front_matter_names_a_licence_points_to_one_or_refuses() {
        let named = |name: &str| Some(Stated::Licence(Licence::Named(name.to_owned())));
        assert_eq!(parse("MIT"), named("MIT"));
        assert_eq!(parse("Apache License 2.0"), named("Apache-2.0"));
        assert_eq!(parse("Apache License, Version 2.0"), named("Apache-2.0"));
        assert_eq!(parse("cc by-sa 4.0"), named("CC-BY-SA-4.0"));
        assert_eq!(parse("MIT OR Apache-2.0"), named("MIT OR Apache-2.0"));
        assert_eq!(parse("The Unlicense"), named("Unlicense"));
        let notice = "Licensed to the Lamp Foundation under one or more contributor license agreements. You may not use this file except in\n\
                      compliance with the Apache License,\nVersion 2.0: http://www.apache.org/licenses/LICENSE-2.0";
        assert_eq!(parse(notice), named("Apache-2.0"));
        assert_eq!(parse("Complete terms in LICENSE.txt"), Some(Stated::SeeFile));
        assert_eq!(parse("See the terms beside this file"), Some(Stated::SeeFile));
        assert_eq!(parse("LICENSE"), Some(Stated::SeeFile));
        for text in
            ["Proprietary. LICENSE.txt has complete terms", "UNLICENSED", "All rights reserved", "Do not redistribute"]
        {
            assert_eq!(parse(text), Some(Stated::Licence(Licence::Proprietary)), "{text}");
        }
        assert_eq!(parse("  "), None);
    }
}

//! The connector of Markdown lists over small lists of our own making.

use crate::tarball::{Outcome, fact, fixture, run, server, target, tool};
use bytes::Bytes;
use refdesk_core::Kind;
use refdesk_core::item::Status;
use refdesk_ingest::connectors::{Batch, StoredKey, find};
use serde_json::json;

#[test]
fn a_bullet_goes_on_over_the_lines_that_it_is_wrapped_over() -> Outcome {
    let list = "# Servers\r\n\r\n\
                - **[Wick](https://github.com/lamp/wick)** - Trims the wick,\r\n  and [lights](https://lamp.example) it.\r\n\
                - **[Oil](https://github.com/lamp/oil)**\n    Fills the lamp.\n    More.\n  - beneath\n\
                - **[Match](https://github.com/lamp/match)** - Strikes.\nProse.\n  Not of the bullet.\n\
                - **[Glass](https://github.com/lamp/glass)** - Shields.\n\n  A paragraph of its own.\n\
                - **[Brass](https://github.com/lamp/brass)** - Shines.\n  <br>\n  <!-- not shown\n  at all -->\n";
    let url = "http://127.0.0.1:9900/any/raw.githubusercontent.com/lamp/servers/main/README.md";
    let batch = run("awesome-list", &target(url, &[])?, |_| Some(Bytes::from_static(list.as_bytes())))?;
    for (name, described) in [
        ("wick", "Trims the wick, and lights it."),
        ("oil", "Fills the lamp. More."),
        ("match", "Strikes."),
        ("glass", "Shields."),
        ("brass", "Shines."),
    ] {
        let server = server(fact(&batch, &format!("https://github.com/lamp/{name}"))?)?;
        assert_eq!(server.description.as_deref(), Some(described), "{name}");
    }
    assert_eq!((batch.facts.len(), json!(batch.ignored)), (5, json!({"bullets below bullets": 1})));
    Ok(())
}

#[test]
fn a_list_gives_servers_and_tools_by_its_headings() -> Outcome {
    let body = fixture("awesome-list/README.md")?;
    let url = "http://127.0.0.1:9900/any/raw.githubusercontent.com/lamp/servers/main/README.md";
    let batch = run("awesome-list", &target(url, &[])?, |_| Some(body.clone()))?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (12, 10, 2), "{:?}", batch.rejects);
    assert_eq!(
        json!(batch.ignored),
        json!({
            "bullets that link without bold type": 1, "bullets without a link": 1, "bullets below bullets": 1,
            "bullets in a comment": 1, "rows of tables with a link": 1, "bullets whose link does not stand first": 1,
            "listed twice": 1, "entries that lead to a place to talk": 1,
        })
    );
    assert!(batch.facts.iter().all(|fact| !fact.key.contains(['[', ']']) && fact.head.aliases.is_empty()));
    let lantern = fact(&batch, "src/lantern")?;
    assert_eq!(
        lantern.identity.repository.as_deref(),
        Some("https://github.com/lamp/servers#src/lantern"),
        "relative to the list"
    );
    assert_eq!(lantern.source_url, "https://github.com/lamp/servers/blob/main/README.md#-reference-servers");
    assert_eq!(
        (server(lantern)?.description.as_deref(), server(lantern)?.official),
        (Some("Lights one lantern with light."), None)
    );
    let old = fact(&batch, "https://github.com/lamp-works/old/tree/main/src/old-lantern")?;
    assert_eq!((old.head.status, old.head.vendor.as_deref()), (Status::Deprecated, Some("lamp-works")));
    let own = fact(&batch, "https://github.com/lamp-works/lamp")?;
    assert_eq!((server(own)?.official, server(own)?.category.as_deref()), (Some(true), Some("Official Integrations")));
    let two = fact(&batch, "https://two.example/mcp_(beta)")?;
    assert_eq!(server(two)?.website_url.as_deref(), Some("https://two.example/mcp_(beta)"));
    assert_eq!(server(two)?.description.as_deref(), Some("Two of them"));
    let other = fact(&batch, "https://github.com/someone/lamp")?;
    assert_eq!(
        (server(other)?.official, other.head.id.as_str()),
        (Some(false), "Lamp"),
        "resolution tells the two Lamps apart"
    );
    assert_eq!(server(other)?.description.as_deref(), Some("(by someone) - Not the maker's."));
    assert_eq!(fact(&batch, "https://github.com/someone/half")?.head.name, "Half bold");
    assert!(fact(&batch, "https://github.com/lamp/discord-mcp").is_ok(), "a server for a place to talk is none");
    let second = fact(&batch, "https://github.com/someone/lamp (Second Lamp)")?;
    assert_eq!(second.head.name, "Second Lamp", "one address under two names is two entries");
    let plain = fact(&batch, "https://www.npmjs.com/package/@lamp/plain")?;
    assert_eq!(plain.head.name, "Plain Lamp", "among bold ones a plain link is an entry too");
    assert_eq!(plain.identity.packages, ["npm:@lamp/plain"]);
    let kit = fact(&batch, "https://github.com/lamp-works/kit")?;
    assert_eq!(
        (tool(kit)?.category.as_deref(), tool(kit)?.repository_url.as_deref()),
        (Some("For servers"), Some("https://github.com/lamp-works/kit"))
    );
    for (key, reason) in [
        ("Nested", "`[https://github.com/a/b](https://github.com/c/d)` is not a link; write it as `[Name](https://…)`"),
        ("Fax", "the link's scheme is `fax`; expected http or https"),
    ] {
        let rejected = batch.rejects.iter().find(|reject| reject.excerpt.contains(key)).ok_or("no reject")?;
        assert_eq!(rejected.reason, reason);
    }
    Ok(())
}

/// Reads a list with the option `links`.
fn list(markdown: &str, links: &str) -> Result<Batch, Box<dyn std::error::Error>> {
    let body = Bytes::from(markdown.to_owned());
    let options: &[(&str, &str)] = if links.is_empty() { &[] } else { &[("links", links)] };
    Ok(run("awesome-list", &target("https://lists.example/README.md", options)?, |_| Some(body.clone()))?)
}

#[test]
fn a_list_without_bold_type_is_read_and_one_with_it_keeps_its_links_apart() -> Outcome {
    let plain = "# Lamps\n\n- [Lamps](#lamps)\n\n## Lamps\n\n- [ada/lamp](https://github.com/ada/lamp) 🐍 ☁️ - Lights *lamps*\n\
                 - [![badge](https://b.example/a.svg)](https://b.example) [torch](https://torch.example/) - Burns\n\
                 1. [wick](https://wick.example) - .NET wicks: #1.\n- [ ] trim the rest\n";
    let batch = list(plain, "")?;
    let keys: Vec<_> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["https://github.com/ada/lamp", "https://torch.example", "https://wick.example"]);
    assert_eq!(server(&batch.facts[0])?.description.as_deref(), Some("Lights lamps"));
    assert_eq!(server(&batch.facts[2])?.description.as_deref(), Some(".NET wicks: #1."), "a point of the word");
    assert_eq!(json!(batch.ignored), json!({ "bullets that link within the page": 1, "bullets without a link": 1 }));
    let mixed = "## About\n\n- [Site](https://a.example)\n\n## Lamps\n\n- **[Lamp](https://b.example)** - Lights\n- **[Torch](https://c.example)** - Burns\n";
    for (links, facts) in [("", 2), ("bold", 2), ("all", 3)] {
        assert_eq!(list(mixed, links)?.facts.len(), facts, "{links}");
    }
    assert!(list(mixed, "some").is_err_and(|error| error.to_string().contains("set it to `auto`, `bold` or `all`")));
    Ok(())
}

#[test]
fn a_link_is_read_in_every_form_that_markdown_has_for_it() -> Outcome {
    let forms = "# Lamps\n\n- [a](<https://github.com/lamp/a>) - In brackets.\n- [b](https://github.com/lamp/b \"A lamp\") - With one.\n\
                 - [c](https://github.com/lamp/c 'A lamp') - With another.\n- [d](https://github.com/lamp/d_(e)) - With its own.\n";
    let batch = list(forms, "")?;
    let keys: Vec<_> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    let wanted = ["a", "b", "c", "d_(e)"].map(|name| format!("https://github.com/lamp/{name}"));
    assert_eq!(keys, wanted, "{:?}", batch.rejects);
    Ok(())
}

#[test]
fn a_description_begins_behind_the_dash_where_no_words_stand_before_it() -> Outcome {
    let forms = "# Lamps\n\n- [a](https://lamp.example/a)<sup><sup>2</sup></sup> - In brass.\n\
                 - [b](https://lamp.example/b) [page](https://page.example/b) \u{1f40d} \u{2601} – In glass - or tin.\n\
                 - [c](https://lamp.example/c) [![d](https://e.example/f.svg)](https://e.example) - 3 in one.\n\
                 - [d](https://lamp.example/d) - 100 - or more.\n- [e](https://lamp.example/e) [Oil](https://oil.example) lamps - all.\n\
                 - \u{2b50} [f](https://lamp.example/f) - In the dark.\n- [x] [g](https://lamp.example/g) - Done.\n\
                 - \u{1f4da} - [h](https://lamp.example/h) - No name.\n";
    let batch = list(forms, "")?;
    let described = [
        ("a", "In brass."),
        ("b", "In glass - or tin."),
        ("c", "3 in one."),
        ("d", "100 - or more."),
        ("e", "Oil lamps - all."),
        ("f", "In the dark."),
        ("g", "Done."),
    ];
    for (name, described) in described {
        let fact = fact(&batch, &format!("https://lamp.example/{name}"))?;
        assert_eq!((fact.head.name.as_str(), server(fact)?.description.as_deref()), (name, Some(described)));
    }
    assert_eq!(batch.facts.len(), described.len());
    Ok(())
}

#[test]
fn rows_of_tables_are_entries_where_the_list_has_most_of_them() -> Outcome {
    let markdown = "# Lamps\n\n- [About](https://blog.example/lamps)\n\n## Brass\n\n| Name | About | Note |\n|---|:---:|---|\n\
                    | [ada/lamp](https://github.com/ada/lamp) | Lights \\| shines. | good |\n\
                    | **[Torch](https://torch.example)** | \u{1f525} | Burns. |\n| 3 | [wick](https://wick.example) | Wicks. |\n";
    let batch = list(markdown, "")?;
    let read: Vec<_> = batch
        .facts
        .iter()
        .map(|fact| {
            Ok((fact.head.name.as_str(), server(fact)?.description.as_deref(), server(fact)?.category.as_deref()))
        })
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    assert_eq!(
        read,
        [("ada/lamp", Some("Lights | shines."), Some("Brass")), ("Torch", Some("Burns."), Some("Brass"))],
        "a cell of signs says nothing"
    );
    assert_eq!(
        json!(batch.ignored),
        json!({"bullets that link without bold type": 1, "rows of tables with a link": 1}),
        "an article beside them is no server"
    );
    assert_eq!((list(markdown, "all")?.facts.len(), list(markdown, "bold").is_err()), (3, true));
    Ok(())
}

#[test]
fn a_legend_may_set_its_sign_in_tags() -> Outcome {
    let entry = |name: &str, sign: &str| format!("- [{name}](https://{name}.example){sign} - Lights.\n");
    let legend = "# Lamps\n\n- <sup>\u{2b50}</sup> Official implementation\n- <sup>1</sup> Official first\n\n";
    let markdown =
        format!("{legend}{}{}", entry("acme", "<sup><sup>\u{2b50}</sup></sup>"), entry("ada", "<sup>1</sup>"));
    let batch = list(&markdown, "")?;
    let official: Vec<_> =
        batch.facts.iter().map(|fact| server(fact).map(|server| server.official)).collect::<Result<_, _>>()?;
    assert_eq!(official, [Some(true), None]);
    Ok(())
}

/// A list as many are: links in plain type, what is no server in sections of its own, and signs that a legend explains.
#[test]
fn sections_of_something_else_hold_no_servers_and_a_sign_tells_the_official_ones() -> Outcome {
    let markdown = "# Lamp MCP Servers\n\n## Clients\n\n- [Desk](https://desk.example)\n\n## Tutorials\n\n* [Light a lamp](https://films.example/1)\n\n\
                    ## \u{1f4ac} Community\n\n* [Lamp chat](https://lamp.example/chat)\n\n## Legend\n\n* \u{1f396}\u{fe0f} – official implementation\n\
                    * \u{1f40d} – Python, official or not\n\n\
                    ## Server Implementations\n\n* \u{1f4fa} - [Videos](#videos)\n\n### Videos\n\n\
                    - [acme/film](https://github.com/acme/film) \u{1f40d} \u{1f396} \u{2601} - Plays films.\n\
                    - [ada/film](https://github.com/ada/film) \u{1f40d} - Plays films, too.\n\
                    - [Chat](https://lamp.example/mcp/discord) - Talk.\n- [Chats](https://lamp.example/servers/discord) - Reads chats.\n\n\
                    ## Community Servers\n\n- [eve/film](https://github.com/eve/film) \u{1f396}\u{fe0f} - Plays films.\n- [old/film](https://github.com/old/film)\n";
    let batch = list(markdown, "")?;
    let servers: Vec<_> = batch
        .facts
        .iter()
        .map(|fact| Ok((fact.key.as_str(), server(fact)?.official)))
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    let github = |name: &str| format!("https://github.com/{name}");
    assert_eq!(
        servers,
        [
            (github("acme/film").as_str(), Some(true)),
            (&github("ada/film"), None),
            ("https://lamp.example/servers/discord", None),
            (&github("eve/film"), Some(true)),
            (&github("old/film"), Some(false)),
        ]
    );
    assert_eq!(server(&batch.facts[0])?.description.as_deref(), Some("Plays films."));
    assert_eq!(server(&batch.facts[0])?.category.as_deref(), Some("Videos"), "of servers about them");
    assert_eq!(
        json!(batch.ignored),
        json!({
            "entries of sections that list neither servers nor tools": 3, "entries that lead to a place to talk": 1,
            "bullets without a link": 2, "bullets whose link does not stand first": 1,
        })
    );
    let record: serde_json::Value = serde_json::from_slice(batch.facts[0].record.as_bytes())?;
    assert_eq!(record["legend"], "\u{1f396}\u{fe0f} – official implementation", "its evidence says why it is official");
    let connector = find("awesome-list").ok_or("no such connector")?;
    let stored = StoredKey { kind: batch.facts[0].kind(), key: &batch.facts[0].key };
    let again =
        (connector.reread)(&target("https://lists.example/README.md", &[])?, stored, batch.facts[0].record.as_bytes())?;
    assert_eq!(again.fact.item, batch.facts[0].item);
    Ok(())
}

#[test]
fn which_sections_hold_something_else_can_be_set_and_community_beside_official_is_whose_servers_they_are() -> Outcome {
    let entry = |name: &str| format!("- [{name}](https://{name}.example) - Lights.\n");
    let keys = |markdown: &str, options: &[(&str, &str)]| {
        let body = Bytes::from(markdown.to_owned());
        let target = target("https://lists.example/README.md", options)?;
        let batch = run("awesome-list", &target, |_| Some(body.clone()))?;
        let keys: Vec<_> = batch.facts.iter().map(|fact| (fact.kind(), fact.head.name.clone())).collect();
        Ok::<_, Box<dyn std::error::Error>>(keys)
    };
    let of = |kind: Kind, names: &[&str]| names.iter().map(|name| (kind, (*name).to_owned())).collect::<Vec<_>>();
    let two = format!("# Lamps\n\n## Official\n\n{}\n## Community\n\n{}", entry("acme"), entry("ada"));
    assert_eq!(keys(&two, &[])?, of(Kind::McpServer, &["acme", "ada"]));
    assert_eq!(keys(&two.replace("Official", "Official Servers"), &[])?, of(Kind::McpServer, &["acme"]));
    let films = format!("# Lamps\n\n## Films\n\n{}\n## Videos\n\n{}", entry("film"), entry("video"));
    assert_eq!(keys(&films, &[])?, of(Kind::McpServer, &["film"]));
    assert_eq!(keys(&films, &[("other_sections", "films")])?, of(Kind::McpServer, &["video"]));
    let tools = [of(Kind::McpServer, &["film"]), of(Kind::Tool, &["video"])].concat();
    assert_eq!(keys(&films, &[("tool_sections", "Videos")])?, tools);
    Ok(())
}

/// A hosted server that a registry has by its address alone must not be a second item here.
#[test]
fn a_bullet_that_leads_to_the_address_of_a_server_is_known_by_it() -> Outcome {
    let batch = list(
        "# Lamps\n\n- **[Lamp](https://mcp.lamp.example/)** - Lights.\n- **[Oil](https://oil.example)** - Burns.\n",
        "",
    )?;
    assert_eq!(fact(&batch, "https://mcp.lamp.example")?.identity.remotes, ["https://mcp.lamp.example"]);
    assert!(fact(&batch, "https://oil.example")?.identity.remotes.is_empty(), "a page about it");
    Ok(())
}

#[test]
fn a_link_may_be_defined_elsewhere_and_a_heading_underlined() -> Outcome {
    let markdown = "Lamps\n=====\n\n# Tin\n\nBrass\n-----\n\n- [Lamp][lamp] - Lights.\n- **[Oil][]** - Burns.\n- [Wick] - Is trimmed.\n\
                    - [Glass [clear]](https://github.com/lamp/glass) - Shields.\n- [Unknown] - No link.\n- [![Badge][b]][wick] - No name.\n\n\
                    2. [Base](https://github.com/lamp/base) - Stands.\n---\n\n[LAMP]: https://github.com/lamp/lamp \"A lamp\"\n\
                    [oil]: <https://github.com/lamp/oil>\n[wick]: https://github.com/lamp/wick\n[^Unknown]: a note\n";
    let batch = list(markdown, "")?;
    let mut read = Vec::new();
    for fact in &batch.facts {
        let server = server(fact)?;
        assert_eq!(server.category.as_deref(), Some("Brass"), "{}", fact.key);
        assert_eq!(fact.source_url, "https://lists.example/README.md#brass", "{}", fact.key);
        read.push((fact.head.name.as_str(), fact.key.as_str(), server.description.as_deref()));
    }
    assert_eq!(
        read,
        [
            ("Lamp", "https://github.com/lamp/lamp", Some("Lights.")),
            ("Oil", "https://github.com/lamp/oil", Some("Burns.")),
            ("Wick", "https://github.com/lamp/wick", Some("Is trimmed.")),
            ("Glass [clear]", "https://github.com/lamp/glass", Some("Shields.")),
            ("Base", "https://github.com/lamp/base", Some("Stands.")),
        ]
    );
    assert_eq!(json!(batch.ignored), json!({"bullets without a link": 2}));
    let record: serde_json::Value = serde_json::from_slice(batch.facts[0].record.as_bytes())?;
    assert_eq!(record["definition"], "[LAMP]: https://github.com/lamp/lamp \"A lamp\"", "its evidence has the address");
    Ok(())
}

#[test]
fn a_section_of_several_other_things_holds_no_servers() -> Outcome {
    let markdown = "# Lamp servers\n\n## Lamps\n\n- [a](https://github.com/lamp/a)\n- [b](https://github.com/lamp/b)\n\n\
                    ## MCP Tutorials & Guides\n\n- [c](https://films.example/c)\n\n## Articles and Videos\n\n- [d](https://films.example/d)\n\n\
                    ## Videos and lamps\n\n- [e](https://github.com/lamp/e)\n\n## License\n\n- [MIT](LICENSE)\n";
    let batch = list(markdown, "")?;
    let names: Vec<_> = batch.facts.iter().map(|fact| fact.head.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "e"], "a section that is also about lamps may hold servers");
    assert_eq!(json!(batch.ignored), json!({"entries of sections that list neither servers nor tools": 3}));
    Ok(())
}

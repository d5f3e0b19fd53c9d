//! The connector of Markdown lists over small lists of our own making.

use crate::tarball::{Outcome, fact, fixture, run, server, target, tool};
use bytes::Bytes;
use refdesk_core::item::Status;
use refdesk_ingest::connectors::Batch;
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

//! Items: each kind's page shows what is known, whose word it is, and where sources disagree.

mod costs;
mod standing;

use std::sync::Arc;

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, DAY, NOW, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{
    Domain, Framework, Item, Limits, McpRepository, McpServer, McpTool, Model, Pricing, Skill, SkillRepository, Status,
    Tool,
};
use refdesk_serve::Settings;

#[tokio::test]
async fn a_model_shows_its_sellers_exact_prices_conflicts_and_evidence() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models/nova-2").await;
    let (words, answer) = (page.words(), bench.json("/v1/models/nova-2").await);
    let model = &answer["model"];
    for offer in model["offers"].as_array().unwrap() {
        let id = offer["api_model_id"].as_str().unwrap();
        assert!(words.contains(id), "the id to send, {id}: {words}");
    }
    let conflicts = model["conflicts"].as_array().unwrap();
    assert!(!conflicts.is_empty());
    assert!(words.contains(&format!("Conflicts ({})", conflicts.len())), "{words}");
    assert!(words.contains("180,000 second"), "the other value of the context, and whose it is: {words}");
    assert!(words.contains("200,000 first"), "the value that is shown, and whose it is: {words}");
    let key = answer["evidence"]["key"].as_str().unwrap();
    assert!(page.links().contains(&format!("/evidence/{key}?kind=models&id=nova-2")));
    let html = page.html();
    let heads = html.split_once("aria-label=\"Offers\"").unwrap().1.split_once("</thead>").unwrap().0;
    let places = ["Seller", "Id to send", "Input", "Cache read"].map(|head| heads.find(head).unwrap());
    assert!(places.is_sorted(), "the id stands beside its seller: {heads}");
    assert!(words.contains(answer["evidence"]["content_hash"].as_str().unwrap()));
    assert!(words.contains("fresh , last checked"), "{words}");
    assert!(html.contains("<th scope=\"row\">Tool call</th>"), "as the facet of the list calls it: {html}");
}

/// `cost` bills the maker; who asks which id to send has to find it beside the others.
#[tokio::test]
async fn the_maker_is_among_the_sellers_with_the_id_that_it_takes() {
    let sold_by = |provider: &str, input: &str| {
        let pricing = Some(Pricing { input: Usd::parse(input), output: Usd::parse("9"), ..Pricing::default() });
        let key = format!("{provider}/alpha");
        let mut stored = fact(&key, "alpha", "Alpha", &Item::Model(Model { pricing, ..Model::default() }));
        // The id of the item is made of that of the maker, who takes no other.
        let (provider, api_model_id) = (Some(provider.into()), Some("acme/Alpha".into()));
        stored.identity = Identity { provider, api_model_id, maker: Some("acme".into()), ..Identity::default() };
        stored
    };
    let bench = Bench::over(unlimited(), &[sold_by("acme", "2.5"), sold_by("market", "3")]);
    let cost = bench.json("/v1/cost?model=alpha&input_tokens=1").await["sellers"][0].take();
    assert_eq!((&cost["first_party"], &cost["api_model_id"]), (&true.into(), &"acme/Alpha".into()));
    let listed = bench.json("/v1/models/list?price_of=acme").await["models"][0]["priced_by"].take();
    assert_eq!(listed["api_model_id"], "acme/Alpha");
    let page = Page::of(&bench, "/models/alpha").await;
    let sellers =
        page.html().split_once("aria-label=\"Offers\"").unwrap().1.split_once("</table>").unwrap().0.to_owned();
    let rows: Vec<&str> = sellers.split("<tr>").skip(2).collect();
    let is_maker = |row: &str| [">maker<", "Acme", "acme/Alpha", "2.5"].iter().all(|part| row.contains(part));
    assert_eq!((rows.len(), is_maker(rows[0]), rows[1].contains("market")), (2, true, true), "{rows:?}");
    assert!(rows[0].contains("cheapest"), "{rows:?}");
}

#[tokio::test]
async fn a_function_of_a_server_leads_to_the_server_that_lists_it() {
    let tools = vec![McpTool { name: "read_file".into(), description: None }];
    let server = fact("files", "files", "Files", &Item::McpServer(McpServer { tools, ..McpServer::default() }));
    let of = |name: &str| fact(&format!("files/{name}"), &format!("files.{name}"), name, &Item::Tool(Tool::default()));
    let bench = Bench::over(unlimited(), &[server, of("read_file"), of("saw")]);
    let page = Page::of(&bench, "/tools/files.read_file").await;
    assert!(page.words().contains("A function of the MCP server Files"), "{}", page.words());
    assert!(page.links().contains(&"/mcp-servers/files".to_owned()), "{:?}", page.links());
    let other = Page::of(&bench, "/tools/files.saw").await.words();
    assert!(!other.contains("A function of"), "the server does not list it: {other}");
}

/// Hints of a tool about side effects are no description of it.
#[tokio::test]
async fn hints_about_side_effects_are_called_so() {
    let words = Page::of(&Bench::new(), "/tools/hammer").await.words();
    assert!(words.contains("Hints about side effects") && !words.contains("What it does"), "{words}");
}

#[tokio::test]
async fn every_item_of_every_kind_has_a_page() {
    let bench = Bench::new();
    let mut pages = 0;
    for (path, rows) in [
        ("models", "models"),
        ("tools", "tools"),
        ("skills", "skills"),
        ("tutorials", "tutorials"),
        ("mcp-servers", "mcp_servers"),
        ("documents", "documents"),
        ("frameworks", "frameworks"),
    ] {
        for row in bench.json(&format!("/v1/{path}/list?include_candidates=true")).await[rows].as_array().unwrap() {
            let id = row["id"].as_str().unwrap();
            let page = Page::of(&bench, &format!("/{path}/{id}")).await;
            assert!(page.words().contains(id), "{path}/{id}");
            let data = page.links().into_iter().find(|link| link.starts_with(&format!("/v1/{path}/"))).unwrap();
            assert_eq!(bench.get(&data).await.status, 200, "{data}");
            for anchor in page.links().iter().filter_map(|link| link.strip_prefix('#')) {
                assert!(page.html().contains(&format!("id=\"{anchor}\"")), "{path}/{id} has no #{anchor}");
            }
            pages += 1;
        }
    }
    assert!(pages >= 15, "{pages}");
}

#[tokio::test]
async fn an_alias_leads_to_the_item_and_says_how_it_was_found() {
    let settings = Settings { base_url: "https://desk.example".into(), web_index: true, ..unlimited() };
    let page = Page::of(&Bench::with(settings), "/models/acme%2Fnova-2").await;
    assert!(page.words().contains("Found as “acme/nova-2”."), "{}", page.words());
    assert!(page.html().contains("<link rel=\"canonical\" href=\"https://desk.example/models/nova-2\">"));
    let private = Page::of(&Bench::new(), "/models/acme%2Fnova-2").await;
    assert!(private.html().contains("<link rel=\"canonical\" href=\"/models/nova-2\">"), "{}", private.html());
    assert!(private.html().contains("<meta name=\"robots\" content=\"noindex\">"));
}

#[tokio::test]
async fn a_document_is_rendered_below_one_heading_and_says_that_it_is_data() {
    let page = Page::of(&Bench::new(), "/documents/guide-start").await;
    assert_eq!(page.html().matches("<h1").count(), 1);
    assert!(page.html().contains("<h2 id=\"s-getting-started\">Getting started</h2>"), "{}", page.html());
    assert!(page.html().contains("<em>desk</em>"));
    assert!(page.html().contains("<article class=\"prose titled\""), "its title is that of the page: {}", page.html());
    assert!(page.words().contains("Instructions inside are data."));
    let line = "curl -s -H 'Accept: text/markdown' 'http://localhost/v1/documents/guide-start'";
    assert!(page.words().contains(line), "{}", page.words());
    assert!(page.links().contains(&"/v1/documents/guide-start".to_owned()), "{:?}", page.links());
    assert_eq!(page.0.header("cache-control"), "no-cache", "it holds the address by which the client came");
    let public = Bench::with(Settings { base_url: "https://desk.example".into(), ..unlimited() });
    let page = Page::of(&public, "/documents/guide-start").await;
    assert!(page.words().contains("'https://desk.example/v1/documents/guide-start'"), "{}", page.words());
    assert!(page.0.header("cache-control").contains("max-age"), "the same for everyone");
}

#[tokio::test]
async fn a_description_that_is_stale_says_whose_it_is_and_why() {
    let of = |key: &str, model: Model| -> StoredFact {
        let mut stored = fact(key, "lumen", "Lumen", &Item::Model(model));
        stored.identity = Identity {
            provider: Some("acme".into()),
            api_model_id: Some("lumen".into()),
            maker: Some("acme".into()),
            ..Identity::default()
        };
        stored
    };
    let limits = Limits { context_tokens: Some(1000), ..Limits::default() };
    let fresh = of("fresh", Model { limits, ..Model::default() });
    let mut stale = of("stale", Model { description: Some("It shines.".into()), ..Model::default() });
    stale.source_id = Arc::from("second");
    stale.standing.last_verified_at = Some(NOW.plus_secs(-20 * DAY));
    stale.standing.last_synced_at = NOW.plus_secs(-20 * DAY);
    let page = Page::of(&Bench::over(unlimited(), &[fresh, stale]), "/models/lumen").await;
    let told = "It shines. stale (from second : no recent check confirms it)";
    assert!(page.words().contains(told) && page.words().contains("fresh , last checked"), "{}", page.words());
    let is_evidence = |link: &String| link.starts_with("/evidence/") && link.ends_with("?kind=models&id=lumen");
    assert!(page.links().iter().any(is_evidence), "{:?}", page.links());
}

/// Who opens a model wants its size and prices first; the line says as a whole if any of it is stale.
#[tokio::test]
async fn a_model_begins_with_its_facts_in_one_line_that_is_marked_where_one_of_them_is_stale() {
    let of = |source: &str, hours: i64, context: Option<u64>| {
        let limits = Limits { context_tokens: context, ..Limits::default() };
        let model = Model { limits, ..Model::default() };
        let mut stored = fact(&format!("{source}/lumen"), "lumen", "Lumen", &Item::Model(model));
        stored.source_id = Arc::from(source);
        let (provider, maker) = (Some("acme".into()), Some("acme".into()));
        stored.identity = Identity { provider, api_model_id: Some("lumen".into()), maker, ..Identity::default() };
        stored.standing.last_verified_at = Some(NOW.plus_secs(-hours * 3600));
        stored
    };
    let line = async |facts: &[StoredFact]| {
        let html = Page::of(&Bench::over(unlimited(), facts), "/models/lumen").await.html();
        html.split_once("<p class=\"gist\">").map(|(_, rest)| rest.split_once("</p>").unwrap().0.to_owned())
    };
    let fresh = line(&[of("first", 1, Some(1000))]).await;
    let is_shown = |line: &Option<String>| line.as_deref().is_some_and(|line| line.contains("1,000 tokens of context"));
    let is_marked = |line: &Option<String>| line.as_deref().is_some_and(|line| line.contains("stale"));
    assert!(is_shown(&fresh) && !is_marked(&fresh), "{fresh:?}");
    let partly = line(&[of("first", 1, None), of("second", 800, Some(1000))]).await;
    assert!(is_shown(&partly) && is_marked(&partly), "the context is stale while the item is fresh: {partly:?}");
}

/// The first screen of a telephone holds little: what the item is stands before where to look further.
#[tokio::test]
async fn an_item_says_what_it_is_first_and_leads_to_others_of_its_vendor() {
    let limits = Limits { context_tokens: Some(1000), ..Limits::default() };
    let model = Model { limits, description: Some("It shines.".into()), ..Model::default() };
    let mut stored = fact("lumen", "lumen", "Lumen", &Item::Model(model));
    stored.head.vendor = Some("Acme, Inc.".into());
    let bench = Bench::over(unlimited(), &[stored]);
    let page = Page::of(&bench, "/models/lumen").await;
    let html = page.html();
    let parts = ["<h1", "class=\"gist\"", "class=\"freshness\"", "class=\"about\"", "class=\"jump\"", "id=\"price\""];
    let places = parts.map(|part| html.find(part).unwrap_or_else(|| panic!("{part}: {html}")));
    assert!(places.is_sorted(), "{places:?}: {html}");
    let badge = html.split_once("<p class=\"freshness\">").unwrap().1.split_once("</p>").unwrap().0;
    assert!(!badge.contains(" UTC") && page.words().contains(" UTC"), "days; the evidence has the moments: {badge}");
    let others = page.links().into_iter().find(|link| link.starts_with("/models?vendor=")).unwrap();
    let others = Page::of(&bench, &others).await;
    assert!(others.links().contains(&"/models/lumen".to_owned()), "a comma parts no vendors: {}", others.words());
}

#[tokio::test]
async fn what_an_item_and_its_description_rest_on_together_is_said_once() {
    let tool = Tool { description: Some("Drives nails.".into()), ..Tool::default() };
    let mut stored = fact("t", "t", "Hammer", &Item::Tool(tool));
    stored.standing.last_verified_at = None;
    let bench = Bench::over(unlimited(), &[stored]);
    let page = Page::of(&bench, "/tools/t").await;
    assert!(page.words().contains("stale : it was never confirmed"), "{}", page.words());
    assert_eq!(page.words().matches("it was never confirmed").count(), 1, "{}", page.words());
    for target in ["/tools", "/tools/t", "/search?q=hammer"] {
        assert!(!Page::of(&bench, target).await.html().contains("datetime=\"\""), "{target}: there is no such day");
    }
}

#[tokio::test]
async fn the_addresses_of_an_item_say_what_they_are_of() {
    let address = |name: &str| Some(format!("https://{name}.example/"));
    let tool = Tool { homepage_url: address("home"), repository_url: address("forge"), ..Tool::default() };
    let repository = McpRepository { url: address("forge"), ..McpRepository::default() };
    let server = McpServer { website_url: address("home"), repository: Some(repository), ..McpServer::default() };
    let facts = [fact("t", "t", "T", &Item::Tool(tool)), fact("s", "s", "S", &Item::McpServer(server))];
    let bench = Bench::over(unlimited(), &facts);
    for (target, home) in [("/tools/t", "Homepage"), ("/mcp-servers/s", "Website")] {
        let words = Page::of(&bench, target).await.words();
        let told = format!("{home}: https://home.example/ Repository: https://forge.example/");
        assert!(words.contains(&told), "{told}: {words}");
    }
}

#[tokio::test]
async fn amounts_end_below_each_other_and_words_begin_so() {
    let pricing = Pricing { input: Usd::parse("2.5"), output: Usd::parse("22.75"), ..Pricing::default() };
    let mut stored = fact("acme/a", "a", "A", &Item::Model(Model { pricing: Some(pricing), ..Model::default() }));
    let (provider, maker) = (Some("acme".into()), Some("acme".into()));
    stored.identity = Identity { provider, api_model_id: Some("a".into()), maker, ..Identity::default() };
    let html = Page::of(&Bench::over(unlimited(), &[stored]), "/models/a").await.html();
    let table = |name: &str| {
        let (_, table) = html.split_once(&format!("aria-label=\"{name}\"")).unwrap();
        table.split_once("</table>").unwrap().0
    };
    let amounts =
        ["<th scope=\"col\" class=\"n\">Value</th>", "<td class=\"n\">$2.5</td>", "<td class=\"n\">$22.75</td>"];
    for part in amounts {
        assert!(table("Meter").contains(part), "{part}: {}", table("Meter"));
    }
    assert!(!table("Limit").contains("class=\"n\""), "{}", table("Limit"));
}

#[tokio::test]
async fn the_repository_of_a_skill_is_a_link() {
    let repository = SkillRepository { url: Some("https://forge.example/skills".into()), ..SkillRepository::default() };
    let skill = Skill { repository: Some(repository), ..Skill::default() };
    let page = Page::of(&Bench::over(unlimited(), &[fact("s", "s", "S", &Item::Skill(skill))]), "/skills/s").await;
    assert!(page.links().contains(&"https://forge.example/skills".to_owned()), "{:?}", page.links());
}

#[tokio::test]
async fn the_badge_turns_stale_when_the_clock_passes_stale_after() {
    let bench = Bench::new();
    assert!(Page::of(&bench, "/models/orbit-1").await.words().contains("stale : no recent check confirms it"));
    assert!(Page::of(&bench, "/models/nova-2").await.words().contains("fresh , last checked"));
    let later = NOW.plus_secs(8 * DAY);
    bench.set_clock(later);
    bench.desk.publish(crate::common::snapshot(&crate::common::catalog::facts(), later, 2));
    assert!(Page::of(&bench, "/models/nova-2").await.words().contains("stale : no recent check confirms it"));
}

#[tokio::test]
async fn a_server_has_a_line_for_every_client_and_no_secret() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/mcp-servers/io.github.acme/files").await;
    let words = page.words();
    for part in ["claude mcp add", "mcpServers", "[mcp_servers."] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(page.links().iter().any(|link| link.starts_with("vscode:mcp/install?")), "{:?}", page.links());
    assert!(page.links().iter().any(|link| link.starts_with("cursor://anysphere.cursor-deeplink/mcp/install?name=")));
}

#[tokio::test]
async fn a_card_shows_its_prompt_and_leads_to_the_better_card() {
    let page = Page::of(&Bench::new(), "/frameworks/premortem").await;
    assert!(page.links().contains(&"/frameworks/five-whys".to_owned()));
    assert!(page.html().contains("href=\"/frameworks/five-whys\">Five whys</a>"), "by its name: {}", page.html());
    assert!(page.html().contains("id=\"prompt\""), "{}", page.words());
    assert!(page.html().contains("<pre class=\"folded\""), "its lines are folded");
    assert!(page.links().iter().filter(|link| *link == "/frameworks/route").count() > 1, "beside the navigation");
    let mut facts = crate::common::catalog::facts();
    facts.retain(|fact| *fact.head.id != *"five-whys");
    let alone = Page::of(&Bench::over(unlimited(), &facts), "/frameworks/premortem").await;
    assert!(alone.words().contains("→ five-whys"), "{}", alone.words());
    assert!(!alone.links().iter().any(|link| link.contains("five-whys")), "no link leads nowhere: {:?}", alone.links());
}

#[tokio::test]
async fn what_a_card_names_as_code_is_shown_as_code() {
    let named = Framework {
        when_not_to_use: vec!["Use `five-whys` after the fact.".into(), "A lone ` stays.".into()],
        steps: vec!["Write `unknown` where it is.".into()],
        ..crate::common::catalog::card("a", "A", Domain::Risk, "s")
    };
    let mut stored = fact("a", "a", "A", &Item::Framework(named));
    stored.head.status = Status::Published;
    let html = Page::of(&Bench::over(unlimited(), &[stored]), "/frameworks/a").await.html();
    for line in [
        "<li>Use <code>five-whys</code> after the fact.</li>",
        "<li>A lone ` stays.</li>",
        "<li>Write <code>unknown</code> where it is.</li>",
    ] {
        assert!(html.contains(line), "{line}: {html}");
    }
}

/// A name in a script that is written from right to left moves no word beside it.
#[tokio::test]
async fn texts_from_right_to_left_have_a_direction_of_their_own() {
    let tool = Tool { description: Some("كلمات بالعربية".into()), ..Tool::default() };
    let facts = [fact("t", "t", "مطرقة", &Item::Tool(tool)), fact("u", "u", "Hammer", &Item::Tool(Tool::default()))];
    let bench = Bench::over(unlimited(), &facts);
    let page = Page::of(&bench, "/tools/t").await.html();
    assert!(
        page.contains("<h1 dir=\"auto\">مطرقة</h1>") && page.contains("<p class=\"about\" dir=\"auto\">"),
        "{page}"
    );
    let list = Page::of(&bench, "/tools").await.html();
    assert!(list.contains("<bdi>مطرقة</bdi>") && list.contains("<bdi>كلمات"), "{list}");
    assert!(!list.contains("<bdi>Hammer"), "others need none: {list}");
}

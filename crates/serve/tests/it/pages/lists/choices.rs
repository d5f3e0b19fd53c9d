//! What a list offers to choose from, and what its title and its empty page tell of the choice.

use super::{between, ids};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::pages::Page;
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Capabilities, Item, McpServer, Model, Pricing, Status, Tool, Tutorial};

/// So many tools, each of a category of its own.
fn of_categories(categories: u32) -> Vec<StoredFact> {
    let of = |at: u32| {
        let tool = Tool { category: Some(format!("Shelf {at:02}")), ..Tool::default() };
        fact(&format!("t{at:02}"), &format!("t{at:02}"), &format!("Tool {at:02}"), &Item::Tool(tool))
    };
    (0..categories).map(of).collect()
}

#[tokio::test]
async fn filters_offer_the_values_that_rows_have() {
    let html = Page::of(&Bench::new(), "/models").await.html();
    let vendors = between(&html, "<datalist id=\"l-vendor\">", "</datalist>");
    assert!(vendors.contains("<option value=\"Acme\">"), "{vendors}");
    assert!(html.contains("name=\"vendor\" value=\"\" list=\"l-vendor\""));
    let capabilities = between(&html, "<datalist id=\"l-capability\">", "</datalist>");
    assert_eq!(capabilities.matches("<option").count(), 8, "{capabilities}");
    let status = between(&html, "<select id=\"f-status\" name=\"status\">", "</select>");
    assert!(status.starts_with("<option value=\"\" selected>any</option>"), "{status}");
    assert!(status.contains("<option value=\"deprecated\">deprecated</option>"), "{status}");
    let several = Page::of(&Bench::new(), "/models?status=active,preview").await.html();
    let status = between(&several, "name=\"status\">", "</select>");
    assert!(status.contains("<option value=\"active,preview\" selected>"), "what was sent stays: {status}");
}

#[tokio::test]
async fn a_vendor_that_does_not_exist_is_told_with_the_nearest() {
    let page = Page::of(&Bench::new(), "/models?vendor=Acmee&sort=name").await;
    assert!(page.words().contains("No row here has “Acmee” as its vendor. Did you mean Acme ?"), "{}", page.words());
    assert!(page.links().contains(&"/models?sort=name&vendor=Acme".to_owned()), "{:?}", page.links());
    let far = Page::of(&Bench::new(), "/models?vendor=Qqqqqq").await;
    assert!(far.words().contains("“Qqqqqq”") && !far.words().contains("Did you mean"), "{}", far.words());
}

#[tokio::test]
async fn what_is_chosen_stays_among_the_facets_however_rare_it_is() {
    let bench = Bench::over(unlimited(), &of_categories(50));
    let rare = Page::of(&bench, "/tools?category=Shelf+22&sort=name").await;
    let html = rare.html();
    let facets = between(&html, "<aside", "</aside>");
    assert!(facets.contains("✓ Shelf 22"), "{facets}");
    assert!(rare.links().contains(&"/tools?sort=name".to_owned()), "it can be taken away: {:?}", rare.links());
    let uncounted = Page::of(&bench, "/tools?category=Shelf+49").await;
    let html = uncounted.html();
    let facets = between(&html, "<aside", "</aside>");
    assert!(facets.contains("<span>✓ Shelf 49</span></a>"), "beyond those that are counted: {facets}");
    let none = Page::of(&Bench::new(), "/models?vendor=Nobody").await.html();
    assert!(none.contains("<span>✓ Nobody</span><span class=\"soft\">0</span>"), "all are counted, none has it");
    let without = Page::of(&Bench::new(), "/models?capability=!batch").await;
    assert!(without.html().contains("<span>✓ not batch</span></a>"), "what is not there is not counted");
    assert!(without.links().contains(&"/models".to_owned()), "it can be taken away: {:?}", without.links());
    let as_shown = Page::of(&Bench::new(), "/models?capability=tool+call").await.html();
    assert_eq!(as_shown.matches("✓ tool call").count(), 1, "a blank is as good as `_`: {as_shown}");
    assert!(as_shown.contains("<td>tool call</td>"), "facets and cells have the same word: {as_shown}");
}

/// Of each value of the facets that is not chosen: where its link leads, and the number beside it.
fn facet_links(page: &Page) -> Vec<(String, usize)> {
    let html = page.html();
    let facets = between(&html, "<aside", "</aside>");
    let links = facets.split("<a href=\"").skip(1).filter_map(|link| {
        let (target, shown) = link.split_once("</a>")?.0.split_once('"')?;
        let count = shown.rsplit_once("<span class=\"soft\">")?.1.split('<').next()?.parse().ok()?;
        (!shown.contains('✓')).then(|| (target.replace("&amp;", "&"), count))
    });
    links.collect()
}

/// A flag has one value, of some fields a row must have all that are asked for, and what it must not have stays so.
#[tokio::test]
async fn a_facet_leads_to_as_many_rows_as_it_says_also_beside_a_value_of_its_own_field() {
    let server = |id: &str, official: bool| {
        fact(id, id, id, &Item::McpServer(McpServer { official: Some(official), ..McpServer::default() }))
    };
    let tutorial = |id: &str, topics: &[&str]| {
        let topics = topics.iter().map(|topic| (*topic).to_owned()).collect();
        fact(id, id, id, &Item::Tutorial(Tutorial { topics, ..Tutorial::default() }))
    };
    let model = |id: &str, reasoning: bool, batch: bool| {
        let capabilities = Capabilities { reasoning: Some(reasoning), batch: Some(batch), ..Capabilities::default() };
        fact(id, id, id, &Item::Model(Model { capabilities, ..Model::default() }))
    };
    let facts = [
        server("maps", true),
        server("mail", false),
        server("files", false),
        tutorial("both", &["rag", "agents"]),
        tutorial("one", &["rag"]),
        tutorial("other", &["embeddings"]),
        model("thinker", true, true),
        model("worker", false, true),
        model("idler", false, false),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for (target, facet) in [
        ("/mcp-servers?official=true", Some(("/mcp-servers?official=false", 2))),
        ("/mcp-servers?official=1", Some(("/mcp-servers?official=false", 2))),
        ("/tutorials?topic=rag", Some(("/tutorials?topic=rag%2Cagents", 1))),
        ("/tutorials?topic=rag,agents", None),
        ("/models?capability=!reasoning", Some(("/models?capability=%21reasoning%2Cbatch", 1))),
        ("/models?capability__not=reasoning", Some(("/models?capability__not=reasoning&capability=batch", 1))),
    ] {
        let links = facet_links(&Page::of(&bench, target).await);
        for (led, count) in &links {
            assert_eq!(ids(&Page::of(&bench, led).await).len(), *count, "{target}: {led}");
        }
        let is_of_others = |led: &str| ["vendor=", "status="].iter().any(|name| led.contains(name));
        let own = links.iter().map(|(led, count)| (led.as_str(), *count)).find(|(led, _)| !is_of_others(led));
        assert_eq!(own, facet, "{target}: {links:?}");
    }
    let form = Page::of(&bench, "/tutorials?topic=rag").await.html();
    let offered = between(&form, "<datalist id=\"l-topic\">", "</datalist>");
    assert!(offered.contains("value=\"embeddings\""), "the form puts it in the place of the other: {offered}");
}

#[tokio::test]
async fn pages_are_led_through_above_the_table_too_and_a_link_skips_to_it() {
    let page = Page::of(&Bench::new(), "/models?limit=2&offset=2").await;
    let html = page.html();
    let (above, below) = html.split_once("id=\"table\"").unwrap();
    for part in [above, below] {
        assert!(part.contains("rel=\"prev\"") && part.contains("rel=\"next\""), "{part}");
    }
    assert!(above.contains("<a class=\"skip\" href=\"#table\">Skip to the table</a>"));
    let empty = Page::of(&Bench::new(), "/models?vendor=Nobody").await.html();
    assert!(!empty.contains("Skip to the table"), "there is none");
}

#[tokio::test]
async fn titles_tell_the_filters_and_the_rows() {
    let bench = Bench::new();
    for (target, title) in [
        ("/models", "Models"),
        ("/models?vendor=Acme&price_input__lte=3", "Models: Vendor Acme; Input price at most $3"),
        ("/models?limit=2&offset=2", "Models, from row 3"),
        ("/models?sort=name", "Models"),
        ("/conflicts?type=MODEL&min_percent=5", "Conflicts: Models, at least 5 % apart"),
        ("/search?q=nova&type=MODEL&context_tokens__gte=1k", "Search for nova, Models, Context at least 1k"),
        ("/frameworks/route", "Which framework fits?"),
        ("/frameworks/route?q=who+decides", "Which framework fits “who decides”?"),
    ] {
        let html = Page::of(&bench, target).await.html();
        assert_eq!(between(&html, "<title>", "</title>"), format!("{title} · refdesk"), "{target}");
    }
}

#[tokio::test]
async fn a_column_is_also_called_as_the_order_that_it_shows() {
    let lamp = fact("lamp", "lamp", "Lamp", &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &[lamp]);
    let list = Page::of(&bench, "/models?columns=name,offers,nothing").await.words();
    assert!(list.contains("There is no column “nothing”; it was ignored.") && !list.contains("“name”"), "{list}");
    assert!(list.contains("Name Offers Lamp") && !list.contains("“offers”"), "{list}");
}

#[tokio::test]
async fn an_empty_list_is_unknown_and_no_page_says_that_there_is_none() {
    let silent = fact("quiet", "quiet", "Quiet", &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &[silent]);
    let list = Page::of(&bench, "/models?columns=input_modalities").await;
    assert!(list.html().contains("<td class=\"unknown\">unknown</td>"), "{}", list.html());
    let item = Page::of(&bench, "/models/quiet").await;
    assert!(item.words().contains("Input modalities unknown Output modalities unknown"), "{}", item.words());
}

#[tokio::test]
async fn a_status_that_no_source_states_is_unknown_like_other_values_and_says_what_it_is() {
    let mut unstated = fact("mute", "mute", "Mute", &Item::Model(Model::default()));
    unstated.head.status = Status::Unknown;
    let bench = Bench::over(unlimited(), &[unstated]);
    let list = Page::of(&bench, "/models?columns=status").await;
    assert!(list.html().contains("<td class=\"unknown\">unknown</td>"), "{}", list.html());
    assert!(list.html().contains("<span><span class=\"soft\">unknown</span></span>"), "of facets: {}", list.html());
    let item = Page::of(&bench, "/models/mute").await;
    assert!(item.words().contains("by Acme status: unknown"), "{}", item.words());
}

#[tokio::test]
async fn frameworks_tell_of_candidates_and_offer_only_what_rows_have() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/frameworks").await;
    let all = bench.json("/v1/frameworks/list?include_candidates=true").await["total"].as_u64().unwrap();
    let listed = bench.json("/v1/frameworks/list").await["total"].as_u64().unwrap();
    assert!(all > listed);
    let told = format!("{} candidate", all - listed);
    assert!(page.words().contains(&told) && page.words().contains("show them too"), "{}", page.words());
    assert!(page.links().contains(&"/frameworks?include_candidates=true".to_owned()), "{:?}", page.links());
    assert!(page.links().contains(&"/frameworks/route".to_owned()));
    let html = page.html();
    let status = between(&html, "name=\"status\">", "</select>");
    assert_eq!(status.matches("<option").count(), 3, "any, published and candidate: {status}");
    let home = Page::of(&bench, "/").await.words();
    assert!(home.contains(&format!("Frameworks {listed} , and {told}")), "{home}");
    let shown = Page::of(&bench, "/frameworks?include_candidates=true").await;
    assert!(!shown.words().contains("show them too") && ids(&shown).len() as u64 == all, "{}", shown.words());
}

#[tokio::test]
async fn sellers_are_offered_in_the_order_of_the_alphabet() {
    let sold = |seller: &str, id: &str| {
        let pricing = Some(Pricing { input: Usd::parse("1"), output: Usd::parse("2"), ..Pricing::default() });
        let mut stored = fact(&format!("{seller}/{id}"), id, id, &Item::Model(Model { pricing, ..Model::default() }));
        let (provider, api_model_id) = (Some(seller.to_owned()), Some(id.to_owned()));
        stored.identity = Identity { provider, api_model_id, maker: Some("acme".into()), ..Identity::default() };
        stored
    };
    let facts = [sold("zeta", "nova-1"), sold("zeta", "nova-2"), sold("mall", "nova-2"), sold("bazaar", "nova-1")];
    let html = Page::of(&Bench::over(unlimited(), &facts), "/models").await.html();
    let choice = between(&html, "name=\"price_of\">", "</select>");
    let places = ["bazaar", "mall", "zeta"].map(|seller| choice.find(&format!(">{seller}</option>")).unwrap());
    assert!(places.is_sorted(), "not the one of most models first: {choice}");
}

#[tokio::test]
async fn whose_prices_are_shown_is_chosen_in_the_form() {
    let html = Page::of(&Bench::new(), "/models?price_of=cheapest&columns=price_input,priced_by").await.html();
    let choice = between(&html, "name=\"price_of\">", "</select>");
    assert!(choice.starts_with("<option value=\"\">the maker's</option>"), "{choice}");
    assert!(choice.contains("<option value=\"cheapest\" selected>the cheapest seller's</option>"), "{choice}");
    assert_eq!(html.matches("name=\"price_of\" value").count(), 1, "the choice of columns keeps it");
    assert!(html.contains("<label for=\"f-verified_since\">Last verified since</label>"), "a bound says its side");
}

/// What is asked for is no misspelling of itself.
#[tokio::test]
async fn what_is_called_as_the_words_say_and_left_out_is_told_and_not_suggested() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models?q=nova-2&vendor=Nobody").await;
    let words = page.words();
    assert!(words.contains("“nova-2” does not meet the filters Nova 2"), "{words}");
    assert!(words.contains("No row that meets the other filters has “Nobody” as its vendor."), "{words}");
    assert!(page.links().contains(&"/models/nova-2".to_owned()), "{:?}", page.links());
    let candidate = Page::of(&bench, "/frameworks?q=draft-canvas").await.words();
    assert!(candidate.contains("“draft-canvas” is a candidate and was left out"), "{candidate}");
    for words in [words, candidate] {
        assert!(!words.contains("Nothing here is called") && !words.contains("Did you mean"), "{words}");
    }
    let sorted = Page::of(&bench, "/models?q=nova-2&vendor=Acme&sort=-name&limit=1").await.words();
    assert!(!sorted.contains("does not meet") && !sorted.contains("Nothing here"), "{sorted}");
}

/// There is no filter to take away.
#[tokio::test]
async fn a_kind_of_which_there_is_nothing_blames_no_filter_and_leads_to_the_sources() {
    let bench = Bench::over(unlimited(), &[]);
    for (target, told) in [
        ("/tools", "The catalog has no tools: see Sources ."),
        ("/search?q=hammer", "The catalog is empty: see Sources ."),
        ("/search?q=hammer&type=FRAMEWORK", "The catalog has no frameworks: see Sources ."),
        ("/frameworks/route?q=hammer", "The catalog has no frameworks: see Sources ."),
    ] {
        let page = Page::of(&bench, target).await;
        let words = page.words();
        assert!(words.contains(told) && !words.contains("these filters"), "{target}: {words}");
    }
}

/// The router and the search told the path of REST, which is no page.
#[tokio::test]
async fn a_candidate_that_is_left_out_is_told_with_its_page() {
    let bench = Bench::new();
    for target in ["/frameworks/route?q=draft-canvas", "/search?q=draft-canvas&type=FRAMEWORK"] {
        let page = Page::of(&bench, target).await;
        let words = page.words();
        assert!(words.contains("or look at its page .") && !words.contains("/v1/"), "{target}: {words}");
        assert!(page.links().contains(&"/frameworks/draft-canvas".to_owned()), "{target}: {:?}", page.links());
    }
}

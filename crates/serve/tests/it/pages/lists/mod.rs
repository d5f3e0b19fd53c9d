//! Tables: the rows of REST in its order, filters that stay, facets that count, columns, headers that sort, pages.

mod choices;

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use http::StatusCode;
use refdesk_core::Usd;
use refdesk_core::fact::Identity;
use refdesk_core::item::{Item, Model, Pricing, Tool};

/// The ids of the rows, in their order.
fn ids(page: &Page) -> Vec<String> {
    let html = page.html();
    let ids = html.split("name=\"ids\" value=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    ids.map(|(id, _)| id.to_owned()).collect()
}

/// The headers of the columns, in their order.
fn heads(page: &Page) -> Vec<String> {
    let html = page.html();
    let heads = html.split("<th scope=\"col\"").skip(1).map(|head| head.split_once("</th>").unwrap().0);
    heads.map(|head| head.rsplit('>').find(|text| !text.is_empty()).unwrap().replace("</a", "")).collect()
}

/// The part of a page between two texts.
pub fn between<'h>(html: &'h str, from: &str, to: &str) -> &'h str {
    let (_, rest) = html.split_once(from).unwrap_or_else(|| panic!("{from} is missing: {html}"));
    rest.split_once(to).unwrap().0
}

#[tokio::test]
async fn every_kind_has_a_table_with_the_rows_of_rest_in_its_order() {
    let bench = Bench::new();
    for (path, rows, query) in [
        ("models", "models", "?vendor=acme&sort=-name"),
        ("models", "models", "?q=nova&limit=2"),
        ("tools", "tools", ""),
        ("skills", "skills", ""),
        ("tutorials", "tutorials", "?sort=-name"),
        ("mcp-servers", "mcp_servers", ""),
        ("documents", "documents", ""),
        ("frameworks", "frameworks", ""),
    ] {
        let page = Page::of(&bench, &format!("/{path}{query}")).await;
        let answer = bench.json(&format!("/v1/{path}/list{query}")).await;
        let listed: Vec<&str> =
            answer[rows].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(ids(&page), listed, "{path}{query}");
        assert!(!listed.is_empty());
        for format in ["", "&format=csv", "&format=ndjson"] {
            let list = format!("/v1/{path}/list");
            let is_data = |link: &String| link.starts_with(&list) && link.ends_with(format.trim_start_matches('&'));
            let data = page.links().into_iter().find(is_data).unwrap();
            assert_eq!(bench.get(&data).await.status, StatusCode::OK, "{data}: the same as data");
        }
    }
}

/// A click on a facet must not push the rows below a screen of fields: what is set stands above them, and a click takes it away.
#[tokio::test]
async fn set_filters_stand_above_the_rows_and_each_can_be_taken_away() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models?vendor=acme&input_modalities=text&sort=name&limit=1&offset=1").await;
    let html = page.html();
    let chosen = html.split_once("<ul class=\"chosen\"").unwrap().1.split_once("</ul>").unwrap().0;
    assert_eq!(chosen.matches("<li>").count(), 2, "an order is no filter: {chosen}");
    for (words, without) in [
        ("Vendor acme", "/models?input_modalities=text&amp;sort=name&amp;limit=1"),
        ("Input modalities text", "/models?vendor=acme&amp;sort=name&amp;limit=1"),
    ] {
        let link = format!("<a href=\"{without}\"><span class=\"hidden\">Remove: </span>{words}<");
        assert!(chosen.contains(&link), "{link}: {chosen}");
    }
    let more = "<details><summary>More filters</summary>";
    assert!(html.contains(more), "it is folded: {html}");
    let wrong = Page::refused(&bench, "/models?knowledge_cutoff__gte=soon", StatusCode::BAD_REQUEST).await;
    assert!(wrong.html().contains("<details open><summary>More filters</summary>"), "{}", wrong.html());
    assert!(!Page::of(&bench, "/models").await.html().contains("class=\"chosen\""));
}

/// What is sent again has no effect, so nothing tells of it as if it had.
#[tokio::test]
async fn of_a_filter_that_is_sent_again_the_first_value_is_told() {
    let page = Page::of(&Bench::new(), "/models?vendor=Acme&vendor=Nobody&q=nova&q=orbit").await;
    let html = page.html();
    let chosen = between(&html, "<ul class=\"chosen\"", "</ul>");
    assert_eq!(chosen.matches("<li>").count(), 2, "{chosen}");
    assert!(
        chosen.contains("Vendor Acme") && chosen.contains("“nova”") && !chosen.contains("Vendor Nobody"),
        "{chosen}"
    );
    assert_eq!(between(&html, "<title>", "</title>"), "Models: Vendor Acme; “nova” · refdesk");
    assert!(page.words().contains("“Vendor” was given more than once; the first value counts"), "{}", page.words());
}

#[tokio::test]
async fn ids_that_name_nothing_are_told_above_the_rows_of_the_others() {
    let page = Page::of(&Bench::new(), "/models?ids=nova-2,none-such").await;
    assert_eq!(page.html().matches("aria-label=\"Compare ").count(), 1, "one row: {}", page.words());
    assert!(page.words().contains("No model has the id or alias “none-such”."), "{}", page.words());
}

#[tokio::test]
async fn a_wrong_box_is_marked_like_a_wrong_field() {
    let page = Page::refused(&Bench::new(), "/models?fresh_only=maybe", StatusCode::BAD_REQUEST).await;
    let html = page.html();
    let fields = html.split("<input").filter(|tag| tag.contains("name=\"fresh_only\""));
    let fields: Vec<&str> = fields.map(|tag| tag.split('>').next().unwrap()).collect();
    let [field] = fields[..] else { panic!("the form sends it once: {fields:?}") };
    assert!(field.contains("aria-invalid=\"true\" aria-describedby=\"problem\""), "{field}");
    let told = "Only fresh items : fresh_only is \"maybe\", not a boolean. It takes true or false. Correct it";
    assert!(page.words().contains(told), "{}", page.words());
}

/// A line of a narrow column ends behind a sign that parts the words of an id, and what is copied is the id.
#[tokio::test]
async fn ids_are_broken_between_their_words() {
    let facts = [
        fact("read", "files.read_all-of", "Read", &Item::Tool(Tool::default())),
        fact("w", "files.write", "files.write", &Item::Tool(Tool::default())),
    ];
    let html = Page::of(&Bench::over(unlimited(), &facts), "/tools").await.html();
    for id in ["<code class=\"id\" data-copy>files.<wbr>read_<wbr>all-of</code>", "data-copy>files.<wbr>write</a>"] {
        assert!(html.contains(id), "{id}: {html}");
    }
}

#[tokio::test]
async fn prices_are_filtered_under_the_unit_of_their_columns() {
    let html = Page::of(&Bench::new(), "/models").await.html();
    for label in [">Input price ($/1M)</label>", ">Context (tokens)</label>", ">Input $/1M</a>"] {
        assert!(html.contains(label), "{label}: {html}");
    }
}

/// One button stands beside the number of rows, outside of the form that it sends.
#[tokio::test]
async fn both_buttons_that_compare_send_the_form_of_the_rows() {
    let bench = Bench::new();
    let html = Page::of(&bench, "/models").await.html();
    let button = "<button form=\"rows\">Compare selected</button>";
    let (before, form) = html.split_once("<form class=\"rows\" id=\"rows\"").unwrap();
    assert_eq!((before.matches(button).count(), form.matches(button).count()), (1, 1), "{html}");
    let none = Page::of(&bench, "/models?q=xqzyyv").await.html();
    assert!(!none.contains("Compare selected"), "nothing can be ticked: {none}");
}

#[tokio::test]
async fn prices_are_exact_zero_is_free_and_unknown_says_so() {
    let priced = |id: &str, input: &str, output: Option<&str>| {
        let pricing = Pricing { input: Usd::parse(input), output: output.and_then(Usd::parse), ..Pricing::default() };
        let mut stored = fact(id, id, id, &Item::Model(Model { pricing: Some(pricing), ..Model::default() }));
        stored.identity = Identity {
            provider: Some("acme".into()),
            api_model_id: Some(id.into()),
            maker: Some("acme".into()),
            ..Identity::default()
        };
        stored
    };
    let facts =
        [priced("exact", "0.0375", Some("2.99999")), priced("free", "0", Some("0")), priced("half", "15", None)];
    let page = Page::of(&Bench::over(unlimited(), &facts), "/models?columns=price_input,price_output").await;
    let cells = |id: &str| -> Vec<String> {
        let html = page.html();
        let row = html.split_once(&format!("value=\"{id}\"")).unwrap().1.split_once("</tr>").unwrap().0.to_owned();
        row.split("<td class=\"").skip(1).map(|cell| cell.split_once("</td>").unwrap().0.to_owned()).collect()
    };
    assert_eq!(cells("exact"), ["n\">$0.0375", "n\">$2.99999"]);
    assert_eq!(cells("free"), ["n\">$0", "n\">$0"]);
    assert_eq!(cells("half"), ["n\">$15", "n unknown\">unknown"], "flush right like the numbers around it");
}

#[tokio::test]
async fn a_facet_adds_its_value_counts_the_rows_that_stay_and_takes_it_away_again() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models?sort=name&columns=vendor").await;
    assert!(page.words().contains("Capability tool call "), "words, not names of fields: {}", page.words());
    let link = page.links().into_iter().find(|link| link.contains("vendor=Acme")).unwrap();
    assert_eq!(link, "/models?sort=name&columns=vendor&vendor=Acme");
    let html = page.html();
    let facet = html.split_once("vendor=Acme").unwrap().1.split_once("</a>").unwrap().0.to_owned();
    let chosen = Page::of(&bench, &link).await;
    assert!(facet.contains(&format!("<span class=\"soft\">{}</span>", ids(&chosen).len())), "{facet}");
    assert!(chosen.html().contains("aria-current=\"true\""), "what is chosen is marked");
    assert!(chosen.links().contains(&"/models?sort=name&columns=vendor".to_owned()), "and can be taken away");
}

#[tokio::test]
async fn columns_stay_when_the_table_is_sorted_and_paged() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models?columns=vendor&columns=sellers&limit=2").await;
    let heads = heads(&page);
    assert_eq!(heads.len(), 3, "name, vendor and sellers: {heads:?}");
    let next = page.links().into_iter().find(|link| link.contains("offset=2")).unwrap();
    assert_eq!(next, "/models?limit=2&columns=vendor%2Csellers&offset=2");
    let sorted = page.links().into_iter().find(|link| link.contains("sort=vendor")).unwrap();
    assert_eq!(sorted, "/models?limit=2&columns=vendor%2Csellers&sort=vendor");
    let descending = Page::of(&bench, &sorted).await;
    assert!(descending.html().contains("aria-sort=\"ascending\""));
    assert!(descending.links().contains(&"/models?limit=2&columns=vendor%2Csellers&sort=-vendor".to_owned()));
    assert!(Page::of(&bench, &next).await.links().contains(&"/models?limit=2&columns=vendor%2Csellers".to_owned()));
}

#[tokio::test]
async fn a_table_shows_what_its_rows_are_ordered_or_bounded_by() {
    let bench = Bench::new();
    for (query, second) in [
        ("", "Vendor"),
        ("?sort=-retires_on", "Retires ↓"),
        ("?sort=price_blended", "Blended $/1M ↑"),
        ("?offers__gte=1", "Offers"),
        ("?price_of=cheapest", "Priced by"),
        // The table has these anyway.
        ("?sort=name", "Vendor"),
        ("?sort=-last_verified_at&context_tokens__gte=1000", "Vendor"),
        ("?status=active", "Vendor"),
    ] {
        let page = Page::of(&bench, &format!("/models{query}")).await;
        assert_eq!(heads(&page).get(1).map(String::as_str), Some(second), "{query}: {}", page.words());
    }
    let chosen = Page::of(&bench, "/models?sort=-retires_on&columns=vendor").await;
    assert_eq!(heads(&chosen), ["Name", "Vendor"], "whoever chooses columns gets these");
}

/// Counts are compared digit by digit, like prices and limits.
#[tokio::test]
async fn counts_are_set_flush_right_and_a_day_is_told_once() {
    let bench = Bench::new();
    let html = Page::of(&bench, "/models?columns=sellers,conflicts,released_on&sort=-offers").await.html();
    for head in
        ["<th scope=\"col\" class=\"n\" aria-sort=\"descending\">", "<th scope=\"col\" class=\"n\">Conflicts</th>"]
    {
        assert!(html.contains(head), "{head}: {html}");
    }
    let files = Page::of(&bench, "/skills?columns=files").await.html();
    assert!(files.contains("<th scope=\"col\" class=\"n\">Files</th>"), "{files}");
    let days: Vec<&str> = html.split("<time datetime=").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert!(days.contains(&"\"2026-03-01\">2026-03-01"), "{days:?}");
}

#[tokio::test]
async fn an_unknown_column_is_passed_over_with_a_notice() {
    let page = Page::of(&Bench::new(), "/models?columns=vendor,colour&fields=id").await;
    assert!(page.words().contains("There is no column “colour”; it was ignored."), "{}", page.words());
    assert!(page.words().contains("“fields” is for programs"), "{}", page.words());
}

#[tokio::test]
async fn a_wrong_filter_keeps_what_was_typed_and_says_which_it_is() {
    let bench = Bench::new();
    let target = "/models?vendor=Acme&price_input__lte=cheap&context_tokens__gte=100000";
    let page = Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
    let html = page.html();
    let input =
        |name: &str| html.split("<input").find(|tag| tag.contains(&format!("name=\"{name}\""))).unwrap().to_owned();
    assert!(input("price_input__lte").contains("value=\"cheap\""));
    assert!(input("price_input__lte").contains("aria-invalid=\"true\""));
    assert!(input("vendor").contains("value=\"Acme\"") && !input("vendor").contains("aria-invalid"));
    assert!(input("context_tokens__gte").contains("value=\"100000\""));
    let problem = bench.get(&target.replace("/models?", "/v1/models/list?")).await.json();
    let detail = problem["detail"].as_str().unwrap().replace('`', "");
    assert!(page.words().contains(&detail), "{}", page.words());
    assert!(page.words().contains("Input price, at most : "), "the field by its label: {}", page.words());
    assert!(page.words().contains("Correct it in the form") && !page.words().contains("Send "), "{}", page.words());
    assert_eq!(page.0.header("cache-control"), "no-store");
}

#[tokio::test]
async fn what_a_form_leaves_open_is_no_filter() {
    let bench = Bench::new();
    let all = Page::of(&bench, "/models").await;
    let blank = "/models?q=&vendor=&price_input__gte=&sort=name&price_input__lte=+&open_weights=";
    let led = bench.get(blank).await;
    assert_eq!((led.status, led.header("location")), (StatusCode::SEE_OTHER, "/models?sort=name"));
    assert_eq!(ids(&Page::of(&bench, led.header("location")).await).len(), ids(&all).len());
    let led = bench.get("/models/nova-2?input_tokens=1k&requests=").await;
    assert_eq!((led.status, led.header("location")), (StatusCode::SEE_OTHER, "/models/nova-2?input_tokens=1k"));
}

#[tokio::test]
async fn a_page_behind_the_last_and_one_without_rows_say_so() {
    let bench = Bench::new();
    assert!(Page::of(&bench, "/models?offset=500").await.words().contains("this page is past the end"));
    for (target, before) in [
        ("/tools?limit=1&offset=500", "/tools?limit=1&offset=1"),
        ("/tools?limit=50&offset=500", "/tools?limit=50"),
        ("/tools?vendor=Nobody&offset=500", "/tools?vendor=Nobody"),
        ("/tools?limit=1&offset=1", "/tools?limit=1"),
    ] {
        let html = Page::of(&bench, target).await.html().replace("&amp;", "&");
        assert!(html.contains(&format!("rel=\"prev\" href=\"{before}\"")), "{target}: the last page with rows");
        let links = if html.contains("name=\"ids\"") { 2 } else { 1 };
        assert_eq!(html.matches("rel=\"prev\"").count(), links, "{target}: once where there is no table between");
    }
    let words = Page::of(&bench, "/models?vendor=Nobody").await.words();
    assert!(words.contains("Nothing matches these filters."));
    assert_eq!(words.matches("Nobody").count(), 2, "once told, and the facet that takes it away: {words}");
    let page = Page::of(&bench, "/models?q=xqzyyv").await;
    assert!(page.links().contains(&"/search?q=xqzyyv&type=MODEL".to_owned()), "{:?}", page.links());
    assert!(!page.words().contains("Filter by value"), "there is no value: {}", page.words());
    let misspelt = Page::of(&bench, "/models?q=novaa").await;
    assert!(misspelt.words().contains("Nothing here is called “novaa”. Did you mean nova-2"), "{}", misspelt.words());
    for spelt in ["nova", "%22nova%22", "nova,"] {
        let spelt = Page::of(&bench, &format!("/models?q={spelt}")).await;
        assert!(!spelt.words().contains("Did you mean"), "{}", spelt.words());
    }
}

#[tokio::test]
async fn a_list_without_rows_says_which_filter_to_leave_out() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/models?vendor=Acme&context_tokens__gte=900000000&sort=name").await;
    let total = bench.json("/v1/models/list?vendor=Acme").await["total"].as_u64().unwrap();
    let told = format!("Leave one of the filters out: without “Context at least 900,000,000” , {total} model");
    assert!(page.words().contains(&told), "{told}: {}", page.words());
    assert!(page.links().contains(&"/models?vendor=Acme&sort=name".to_owned()), "{:?}", page.links());
    assert!(!page.words().contains("without “Vendor"), "no model has this context: {}", page.words());
    let both = Page::of(&bench, "/models?vendor=Acmee&status=active").await.words();
    assert!(both.contains("No row that meets the other filters has “Acmee” as its vendor."), "{both}");
}

//! The pages for people: what they show is what REST answers, and nothing of it becomes markup. `docs/web.md`.
//!
//! A browser drives them in `scripts/web`; here is what can be held without one.

mod conflicts;
mod desk;
mod hostile;
mod installs;
mod items;
mod limits;
mod lists;
mod refusals;
mod service;
mod sources;
mod staleness;
mod texts;

use crate::common::{Answer, Bench};
use http::StatusCode;

/// What a browser sends.
pub const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");

/// A page as it was answered.
pub struct Page(pub Answer);

impl Page {
    /// A page that is there.
    pub async fn of(bench: &Bench, target: &str) -> Self {
        let page = Self::refused(bench, target, StatusCode::OK).await;
        assert!(!page.0.header("etag").is_empty(), "{target}: pages can be revalidated");
        page
    }

    /// A page with another status.
    pub async fn refused(bench: &Bench, target: &str, status: StatusCode) -> Self {
        let answer = bench.get_with(target, &[BROWSER]).await;
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{target}");
        let policy = answer.header("content-security-policy");
        for part in
            ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"]
        {
            assert!(policy.contains(part), "{target}: {policy}");
        }
        assert_eq!(answer.header("set-cookie"), "", "{target}");
        Self(answer)
    }

    pub fn html(&self) -> String {
        self.0.text()
    }

    /// What a person reads of the part below `main`: without tags, white space as one blank.
    pub fn words(&self) -> String {
        let html = self.html();
        let main = html.split_once("<main").and_then(|(_, rest)| rest.split_once("</main>")).unwrap().0.to_owned();
        let mut text = String::new();
        for part in format!("<main{main}").split('<').skip(1) {
            text.push(' ');
            text.push_str(part.split_once('>').unwrap().1);
        }
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Where the links of the page lead, in their order.
    pub fn links(&self) -> Vec<String> {
        let html = self.html();
        let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split_once('"'));
        links.map(|(link, _)| link.replace("&amp;", "&")).collect()
    }
}

//! Paths below a collection: `/c/team/v1/models/list` is `/v1/models/list`, of what the collection `team` shows.

use http::Uri;

use super::MCP_PATH;

/// What paths below a collection begin with.
pub(crate) const COLLECTIONS: &str = "/c/";

/// A path, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopedPath<'a> {
    /// The id of the collection.
    pub(crate) collection: Option<&'a str>,
    /// The path of the route.
    pub(crate) path: &'a str,
}

impl<'a> ScopedPath<'a> {
    /// Takes the path of an address apart. Only REST and MCP are below a collection.
    pub(crate) fn from_uri(uri: &'a Uri) -> Self {
        Self::scoped(uri.path()).unwrap_or_else(|| Self { collection: None, path: uri.path() })
    }

    fn scoped(path: &'a str) -> Option<Self> {
        let below = path.strip_prefix(COLLECTIONS)?;
        let (collection, path) = below.split_at(below.find('/')?);
        // Slashes too many at the end make another path of it, and still one of programs.
        let is_scoped = path.starts_with("/v1/") || path.trim_end_matches('/') == MCP_PATH;
        is_scoped.then_some(Self { collection: Some(collection), path })
    }
}

#[cfg(test)]
mod tests {
    use super::ScopedPath;

    #[test]
    fn only_rest_and_mcp_are_below_a_collection() {
        let parts = |path: &'static str| {
            let uri = http::Uri::from_static(path);
            let ScopedPath { collection, path } = ScopedPath::from_uri(&uri);
            (collection.map(str::to_owned), path.to_owned())
        };
        let team = Some("team".to_owned());
        assert_eq!(parts("/c/team/v1/models/c/x"), (team.clone(), "/v1/models/c/x".to_owned()));
        assert_eq!(parts("/c/team/mcp"), (team.clone(), "/mcp".to_owned()));
        assert_eq!(parts("/c/team/mcp/"), (team, "/mcp/".to_owned()));
        for path in ["/v1/models/a", "/c/team/health", "/c/team", "/c/", "/mcp"] {
            assert_eq!(parts(path), (None, path.to_owned()));
        }
    }
}

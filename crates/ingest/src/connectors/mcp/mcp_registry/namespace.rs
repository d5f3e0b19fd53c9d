//! Who publishes a server, by the namespace of its name: the registry checks that it is theirs.
//!
//! A namespace is an account of a code host (`io.github.owner`) or a domain, backwards (`com.example.team`). Of a domain counts the part
//! that somebody registers, the label below a suffix: of a country's registries (`co.uk`), or of a host that gives each customer a name
//! (`vercel.app`). These are the suffixes that names of servers have, not the whole Public Suffix List: one that is missing shows the
//! host as the publisher. That a namespace is a gateway's, only its other entries tell: `refdesk_catalog::resolve::server`.

use refdesk_core::text::word_array;

/// Second levels below which most countries' registries give names.
const SECOND_LEVELS: [&str; 9] = ["ac", "co", "com", "edu", "gob", "gov", "mil", "net", "org"];
/// Those of single countries, with the country.
const COUNTRY_SECOND_LEVELS: [(&str, &[&str]); 19] = [
    ("at", &["gv", "or"]),
    ("au", &["asn", "id"]),
    ("br", &["adv", "app", "art", "blog", "dev", "eco", "eng", "gen", "ind", "inf", "jus", "log", "tec", "wiki"]),
    ("es", &["nom"]),
    ("fr", &["asso", "gouv", "nom"]),
    ("hu", &["info", "priv"]),
    ("id", &["biz", "desa", "go", "my", "or", "sch", "web"]),
    ("il", &["idf", "k12", "muni"]),
    ("in", &["firm", "gen", "ind", "nic", "res"]),
    ("jp", &["ad", "ed", "go", "gr", "lg", "ne", "or"]),
    ("ke", &["go", "info", "me", "mobi", "ne", "or", "sc"]),
    ("kr", &["ai", "es", "go", "hs", "io", "it", "kg", "me", "ms", "ne", "or", "pe", "re", "sc"]),
    ("nz", &["geek", "gen", "govt", "iwi", "kiwi", "maori", "school"]),
    ("th", &["go", "in", "mi", "or"]),
    ("tw", &["club", "ebiz", "game", "idv"]),
    ("tz", &["go", "hotel", "info", "me", "mobi", "ne", "or", "sc", "tv"]),
    ("ug", &["go", "ne", "or", "sc"]),
    ("uk", &["ltd", "me", "nhs", "plc", "police", "sch"]),
    ("za", &["law", "nom", "school", "web"]),
];
/// Hosts that give each customer a name below theirs.
const SHARED_HOSTS: [&str; 46] = word_array(
    "a.run.app alpic.live appspot.com azurewebsites.net cloudfront.net convex.site deno.dev deno.net fastmcp.app \
     firebaseapp.com fly.dev gitbook.io glitch.me herokuapp.com hf.space koyeb.app lovable.app mintlify.app modal.run \
     netlify.app ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io now.sh ondigitalocean.app onrender.com \
     pages.dev pythonanywhere.com railway.app readme.io replit.app replit.dev staging.alpic.live streamlit.app \
     supabase.co surge.sh trycloudflare.com up.railway.app val.run vercel.app web.app webflow.io wordpress.com \
     workers.dev",
);

/// Who publishes a name: `io.github.owner/x` → `owner`, `com.example.team/x` → `example.com`, `app.vercel.lamps/x` → `lamps.vercel.app`.
pub fn publisher(name: &str) -> Option<String> {
    let (namespace, _) = name.split_once('/')?;
    let labels: Vec<&str> = namespace.split('.').collect();
    if let ["io", "github" | "gitlab", owner, ..] | ["com", "github", owner, ..] = labels[..] {
        return Some(owner.to_owned());
    }
    let registered = labels.len().min(suffix_labels(&labels) + 1);
    let domain = labels[..registered].iter().rev().copied().collect::<Vec<_>>().join(".");
    Some(domain).filter(|domain| !domain.is_empty())
}

/// How many labels of a domain, given backwards, are a suffix below which names are given to anybody.
fn suffix_labels(labels: &[&str]) -> usize {
    let is_shared = |suffix: &&&str| {
        let mut backwards = suffix.rsplit('.').zip(labels);
        labels.len() >= suffix.split('.').count() && backwards.all(|(own, label)| own.eq_ignore_ascii_case(label))
    };
    if let Some(longest) = SHARED_HOSTS.iter().filter(is_shared).map(|suffix| suffix.split('.').count()).max() {
        return longest;
    }
    match labels {
        [country, second, ..] if country.len() == 2 && is_second_level(country, second) => 2,
        _ => 1,
    }
}

fn is_second_level(country: &str, second: &str) -> bool {
    let (country, second) = (country.to_ascii_lowercase(), second.to_ascii_lowercase());
    let own = COUNTRY_SECOND_LEVELS.iter().find(|(of, _)| *of == country).map_or(&[][..], |(_, own)| own);
    SECOND_LEVELS.contains(&second.as_str()) || own.contains(&second.as_str())
}

#[cfg(test)]
mod tests {
    use super::publisher;

    #[test]
    fn the_namespace_tells_the_publisher() {
        for (name, who) in [
            ("io.github.Ada/lamp", Some("Ada")),
            ("com.example.team/lamp", Some("example.com")),
            ("uk.co.example/lamp", Some("example.co.uk")),
            ("jp.ne.acme/lamp", Some("acme.ne.jp")),
            ("kr.or.acme.mcp/lamp", Some("acme.or.kr")),
            ("io.or.acme/lamp", Some("or.io")),
            ("app.vercel.lamps/mcp", Some("lamps.vercel.app")),
            ("dev.workers.acme.lamp/mcp", Some("acme.workers.dev")),
            ("com.herokuapp.Lamps/mcp", Some("Lamps.herokuapp.com")),
            ("app.railway.up.lamps/mcp", Some("lamps.up.railway.app")),
            ("app.vercel/mcp", Some("vercel.app")),
            ("acme/lamp", Some("acme")),
            ("lamp", None),
        ] {
            assert_eq!(publisher(name).as_deref(), who, "{name}");
        }
    }
}

//! Which model a spelling tells that no source has for it: the id of an offer without what belongs to the offer, an id as programs write it,
//! and a name behind who makes or sells it. What sources state comes first, and what is only spelt alike last: both are in [`super`].

use serde_json::Value;

use super::{ResolutionStatus, alike};
use crate::json;
use crate::resolve::model::{self, StatedIdentity, makers};
use crate::segment::Found;
use crate::snapshot::Snapshot;
use crate::understand::model_called;
use refdesk_core::Kind;

/// Most names before that of a model: its seller and its maker.
const FRONTS_MAX: usize = 2;

/// The model that a spelling of an offer, or the end of a name, tells all the same: `openrouter/gpt-4o:free`, `sonnet 4.5`,
/// `anthropic/claude-3.5-sonnet-20241022` where sources write `claude-3-5-sonnet-20241022`.
pub(super) fn offered_or_called(snapshot: &Snapshot, spelling: &str) -> Option<u32> {
    let written = as_sources_write(spelling);
    named_alone(snapshot, spelling, written.as_deref())
        .or_else(|| behind_front(snapshot, written.as_deref().unwrap_or(spelling)))
}

/// The model that a spelling tells without a maker or seller in front of it.
fn named_alone(snapshot: &Snapshot, spelling: &str, written: Option<&str>) -> Option<u32> {
    let stated = |written: &str| snapshot.find(Kind::Model, written).item().or_else(|| offered(snapshot, written));
    offered(snapshot, spelling).or_else(|| written.and_then(stated)).or_else(|| model_called(snapshot, spelling))
}

/// The id as sources write it, where programs write it in another way: `LangChain` and Pydantic AI a colon behind the seller
/// (`openrouter:openai/gpt-4o`), Vertex AI the path of a resource (`publishers/google/models/gemini-2.5-pro`), `OpenAI` a fine-tune with
/// whose it is (`ft:gpt-4o:acme::7p4lURel`).
fn as_sources_write(spelling: &str) -> Option<String> {
    if let Some((front, resource)) = spelling.split_once("publishers/")
        && (front.is_empty() || front.ends_with('/'))
    {
        return Some(resource.replacen("/models/", "/", 1));
    }
    let (front, id) = spelling.split_once(':').filter(|(front, _)| !front.contains('/'))?;
    match id.split_once(':') {
        Some((tuned, _)) if front.eq_ignore_ascii_case("ft") => Some(format!("{front}:{tuned}")),
        _ => Some(format!("{front}/{id}")),
    }
}

/// The model that the id of an offer names when what belongs to the offer is set apart: who sells it (`openrouter/`), a variant of it
/// (`:free`), and, where nothing is called so as a whole, that the newest is meant (`-latest`).
fn offered(snapshot: &Snapshot, spelling: &str) -> Option<u32> {
    // `command-r+`: sources write the sign as a word.
    let spelled_out = spelling.ends_with('+').then(|| format!("{}-plus", spelling.trim_end_matches('+')));
    let spelling = spelled_out.as_deref().unwrap_or(spelling);
    let (provider, id) = match spelling.split_once('/') {
        Some((seller, id)) if id.contains('/') && makers::is_known_seller(&makers::seller(seller).name) => {
            (Some(seller), id)
        }
        _ => (None, spelling),
    };
    let identity = model::parse_identity(StatedIdentity { provider, id, ..StatedIdentity::default() });
    let maker = identity.maker.as_deref();
    let find = |name: &str| snapshot.find(Kind::Model, name).item();
    let named = |name: &str| {
        let of_maker = maker.and_then(|maker| find(&format!("{maker}/{name}")));
        of_maker.or_else(|| find(name).filter(|model| maker.is_none_or(|maker| is_of_maker(snapshot, *model, maker))))
    };
    // Ids keep the spelling of their source, so the name is looked for both as it stands and as it is normalised.
    let names = [model::bare_name(id), identity.name.clone()];
    let newest = || names.iter().filter_map(|name| name.strip_suffix("-latest")).find_map(named);
    names.iter().find_map(|name| named(name)).or_else(newest)
}

/// What comes before the name of a model in a spelling.
enum Front {
    /// Who makes it, as a slug.
    Maker(String),
    /// Who sells it, whoever makes it.
    Seller,
}

impl Front {
    /// Whom the tables or the catalog know under a word.
    fn of(snapshot: &Snapshot, word: &str) -> Option<Self> {
        let models = snapshot.segment(Kind::Model);
        let (maker, seller) = (model::maker_slug(word), makers::seller_name(word));
        if makers::display_name(&maker).is_some() {
            return Some(Self::Maker(maker));
        }
        if makers::is_known_seller(&seller) {
            return Some(Self::Seller);
        }
        if models.values("vendor").any(|vendor| model::maker_slug(vendor) == maker) {
            return Some(Self::Maker(maker));
        }
        models.values("seller").any(|known| makers::seller_name(known) == seller).then_some(Self::Seller)
    }
}

/// The model that is named behind who sells and who makes it, understood as it is without them. A maker has to be the model's own.
fn behind_front(snapshot: &Snapshot, spelling: &str) -> Option<u32> {
    let (mut rest, mut maker) = (spelling, None);
    for _ in 0..FRONTS_MAX {
        // A scope of npm is nobody's model, whosever it is.
        let (front, behind) = rest.split_once(['/', ':']).filter(|(front, _)| !front.starts_with('@'))?;
        if let Front::Maker(slug) = Front::of(snapshot, front)? {
            maker = Some(slug);
        }
        rest = behind;
        let is_of_maker = |model: &u32| maker.as_ref().is_none_or(|maker| is_of_maker(snapshot, *model, maker));
        if let Some(model) = surely_named(snapshot, rest).filter(is_of_maker) {
            return Some(model);
        }
    }
    None
}

/// The model that a spelling surely names.
fn surely_named(snapshot: &Snapshot, spelling: &str) -> Option<u32> {
    match snapshot.find(Kind::Model, spelling) {
        Found::Unknown if snapshot.hides(Kind::Model, spelling) => None,
        Found::Unknown => named_alone(snapshot, spelling, as_sources_write(spelling).as_deref()).or_else(|| {
            let alike = alike(snapshot, spelling, &[Kind::Model]);
            alike.ordinal.filter(|_| alike.status == ResolutionStatus::Alias)
        }),
        found => found.item(),
    }
}

/// Whether a model is a maker's, given as a slug.
fn is_of_maker(snapshot: &Snapshot, model: u32, maker: &str) -> bool {
    let row: Value = json::read_own(snapshot.row(model));
    row["vendor"].as_str().is_some_and(|vendor| model::maker_slug(vendor) == maker)
}

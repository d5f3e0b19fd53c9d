//! Models: which maker and name an upstream id means, whether the seller is the maker, and the offers of everyone else.
//!
//! Identity is decided by the explicit rules of [`identify`], never by a sanitised file name: [`spelling`] takes an id apart,
//! [`makers`] knows who makes and sells what, [`mod@groups`] joins the spellings of one model, [`mod@offers`] fills in the other sellers. The rules in words: `docs/model-identity.md`.

mod cluster;
mod considered;
mod dated;
mod derivatives;
mod families;
mod groups;
pub mod makers;
mod naming;
mod offers;
mod references;
pub mod spelling;
pub mod words;

use self::makers::{Channel, Seller};
use refdesk_core::fact::StoredFact;
use refdesk_core::slug::slugify;

pub use self::considered::{assign_roles, listed, of_undated, outlives_api, role_of, status};
pub use self::dated::{dated_on, undated};
pub use self::derivatives::is_mistaken_family;
pub use self::groups::groups;
pub use self::naming::plain_name;
pub use self::offers::{Offers, ShownOffer};

/// Who made a model and what it is called, as read from one source's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelIdentity {
    /// Slug of the maker (`anthropic`), or `None` when no rule tells it.
    pub maker: Option<String>,
    /// Normalised name (`claude-sonnet-4.5`).
    pub name: String,
    /// Variant of the offer that is not part of the model: `free`, `batch`, a commitment, a region.
    pub variant: Option<String>,
    /// The seller is the maker, and the offer is the plain one.
    pub first_party: bool,
    /// The seller, the same for every spelling of it; `None` for a page that sells nothing.
    pub seller: Option<String>,
    /// Whose the name is where no rule gives a maker: the seller that the id itself names, else the seller, whatever plan it is.
    pub owner: Option<String>,
    /// What the seller is to this model.
    pub channel: Channel,
}

impl ModelIdentity {
    /// The key under which facts of the same model meet. A name that no rule gives a maker meets its like across owners only when
    /// it [is telling](Self::is_telling). One that sells another's says so: `openrouter/auto` is the same at `OpenRouter` and at Kilo.
    pub fn key(&self) -> String {
        let owner = match (&self.maker, &self.owner) {
            (Some(maker), _) => maker.clone(),
            (None, Some(owner)) if !self.is_telling() => format!("?{owner}"),
            (None, _) => "?".to_owned(),
        };
        format!("{owner}/{}", self.name)
    }

    /// Whether nobody else has the name by chance, because it has a digit: every second seller has a `search` or an `auto`.
    pub fn is_telling(&self) -> bool {
        self.name.len() >= 5 && self.name.bytes().any(|b| b.is_ascii_digit())
    }
}

/// What a source states of a model's identity.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatedIdentity<'a> {
    /// The seller, as the source calls it; `None` for a page that sells nothing.
    pub provider: Option<&'a str>,
    /// The id to send to the seller.
    pub id: &'a str,
    /// What the source calls the model for people.
    pub name: Option<&'a str>,
    /// The maker, where the source states it.
    pub maker: Option<&'a str>,
    /// For an alias (`~vendor/x-latest`): the id of the model that the source says it stands for.
    pub target: Option<&'a str>,
}

/// The identity of a model fact.
pub fn identify(fact: &StoredFact) -> ModelIdentity {
    let id = fact.identity.api_model_id.as_deref().filter(|id| !id.is_empty()).unwrap_or(&fact.key);
    parse_identity(StatedIdentity {
        provider: fact.identity.provider.as_deref(),
        id,
        name: Some(&fact.head.name),
        maker: fact.identity.maker.as_deref(),
        target: id.starts_with('~').then(|| fact.identity.same_as.first().map(String::as_str)).flatten(),
    })
}

/// Parses the identity that a source states.
pub fn parse_identity(stated: StatedIdentity<'_>) -> ModelIdentity {
    let mut parts = spelling::take_apart(stated.target.unwrap_or(stated.id));
    if stated.target.is_some() {
        parts.variant.push("alias".to_owned());
    }
    let seller = stated.provider.map(makers::seller);
    drop_host(&mut parts, seller.as_ref());
    if let Some(said) = stated.name {
        parts.bare = spelling::with_points_of(&parts.bare, said);
    }
    let mut name = spelling::normalise(&parts.bare);
    let maker = maker(stated, &parts, &name, seller.as_ref());
    if let Some(maker) = &maker {
        offer_endings(maker, &mut name, &mut parts.variant);
    }
    let own = match (&seller, &maker) {
        (Some(seller), Some(maker)) => {
            seller.maker == Some(maker.as_str()) || (stated.maker.is_some() && is_own_api(seller, maker))
        }
        (None, Some(maker)) => parts.vendor.as_deref().is_some_and(|vendor| maker_slug(vendor) == *maker),
        _ => false,
    };
    if let Some(variant) = seller.as_ref().and_then(|seller| seller.variant) {
        parts.variant.push(variant.to_owned());
    }
    let channel = match &seller {
        None => Channel::Listing,
        Some(seller) if own && seller.maker.is_none() => Channel::Maker,
        Some(seller) if own => seller.channel,
        Some(_) => Channel::Reseller,
    };
    let variant = (!parts.variant.is_empty()).then(|| parts.variant.join("/"));
    let first_party = own && variant.is_none();
    let seller = seller.map(|seller| seller.name);
    let owner = parts.route.map(|route| makers::seller(&route).name).or_else(|| seller.clone());
    let owner = owner.map(|owner| makers::whole_seller(&owner).to_owned());
    ModelIdentity { maker, name, variant, first_party, seller, owner, channel }
}

/// A seller that no table knows, and that is called as the maker is that its source states: the maker's own API. The beginning of an id
/// does not tell so much: a host can stand there too.
fn is_own_api(seller: &Seller, maker: &str) -> bool {
    seller.maker.is_none()
        && seller.variant.is_none()
        && !makers::is_known_seller(&seller.name)
        && slugify(&seller.name) == maker
}

/// A seller's own name in front of a model of another maker's family is a host and no vendor: `cortecs/Llama-3.3-70B-…` of Cortecs.
fn drop_host(parts: &mut spelling::IdParts, seller: Option<&Seller>) {
    let is_host = |vendor: &str| {
        makers::vendor(vendor).is_none() && seller.is_some_and(|seller| slugify(&seller.name) == slugify(vendor))
    };
    if parts.vendor.as_deref().is_some_and(is_host) && makers::family(&parts.bare).is_some() {
        parts.vendor = None;
    }
}

/// Endings that say how the model runs and not which it is: Claude's thinking, and the effort of `OpenAI`'s models that reason.
fn offer_endings(maker: &str, name: &mut String, variant: &mut Vec<String>) {
    const MODES: [(&str, &[&str], &[&str]); 2] = [
        ("anthropic", &["claude-"], &["-thinking", "-think"]),
        ("openai", &["o1", "o3", "o4", "gpt-"], &["-high", "-medium", "-low", "-xhigh"]),
    ];
    for (_, families, endings) in MODES.iter().filter(|(owner, _, _)| *owner == maker) {
        if let Some((front, ending)) = endings.iter().find_map(|ending| Some((name.strip_suffix(ending)?, *ending)))
            && families.iter().any(|family| front.starts_with(family))
        {
            variant.push(ending.trim_start_matches('-').to_owned());
            *name = front.to_owned();
        }
    }
}

/// The bare name in an id, as its source spells it but for case: what an item that is led by this fact would like to be called.
pub fn bare_name(id: &str) -> String {
    spelling::take_apart(id).bare
}

/// The maker: what the source states, the vendor part of the id, the family of the name, or the seller where it is a maker. A
/// derivative of a family is nobody's whom its name tells.
fn maker(stated: StatedIdentity<'_>, parts: &spelling::IdParts, name: &str, seller: Option<&Seller>) -> Option<String> {
    if let Some(maker) = stated.maker.filter(|maker| !maker.is_empty()) {
        return Some(maker_slug(maker));
    }
    if let Some(vendor) = &parts.vendor {
        return Some(maker_slug(vendor));
    }
    let own = seller.and_then(|seller| makers::own_family(seller.maker?, &parts.bare));
    let sold_by = seller.filter(|seller| seller.channel == Channel::Maker).and_then(|seller| seller.maker);
    if let Some(maker) = own.or_else(|| makers::family(name)).or_else(|| makers::family(&parts.bare)) {
        let derived = sold_by != Some(maker) && derivatives::is_derivative(name);
        return (!derived).then(|| maker.to_owned());
    }
    sold_by.map(str::to_owned)
}

/// The slug of a maker in any spelling; an unknown one is its own slug.
pub fn maker_slug(spelling: &str) -> String {
    let folded = spelling.to_lowercase();
    if let Some(known) = makers::vendor(&folded) {
        return known.to_owned();
    }
    let slug = slugify(&folded);
    makers::vendor(&slug).map_or(slug, str::to_owned)
}

/// The maker's name for people, of the first of the facts that tells its maker.
pub fn vendor(identities: &[ModelIdentity], members: &[usize]) -> Option<String> {
    let maker = members.iter().find_map(|at| identities.get(*at)?.maker.as_deref())?;
    makers::display_name(maker).map(str::to_owned)
}

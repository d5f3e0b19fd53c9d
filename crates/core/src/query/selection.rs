//! Which rows of a kind are asked for, in which order and how they are shown: filters, `sort`, `fields`, `facets`, `format`.

use super::filter::{Condition, FilterParam, Test, filters};
use super::values::{flag, invalid, too_many, words};
use super::{Params, QueryError};
use crate::Kind;
use crate::field::{self, FieldDef, Shape};

/// Most filters of one request.
pub const FILTERS_MAX: usize = 20;
/// Most sort keys.
pub const SORT_KEYS_MAX: usize = 10;
/// Most facets.
pub const FACETS_MAX: usize = 10;
/// Most paths of `fields`.
pub const PATHS_MAX: usize = 100;
/// Values of a facet when none is asked for, and the most.
pub const FACET_SIZE: super::LimitRule = super::LimitRule { default: 30, max: 1_000 };

/// Which rows, in which order, shown how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// `q`: only what matches it.
    pub text: Option<String>,
    /// All of them must hold.
    pub conditions: Vec<Condition>,
    /// Only these ids or spellings.
    pub ids: Vec<String>,
    /// Whether what no source lists any more belongs to it; unless said otherwise it does.
    pub include_removed: Option<bool>,
    /// Only what is stale, or only what is not.
    pub stale: Option<bool>,
    /// What prices mean, where it is said.
    pub price_of: Option<PriceOf>,
    /// The order; by id, or best match first with `q`, when empty.
    pub sort: Vec<SortKey>,
    /// Dotted paths to show; all when empty.
    pub fields: Vec<String>,
    /// Fields whose values are counted.
    pub facets: Vec<&'static FieldDef>,
    /// Most values of each.
    pub facet_size: usize,
    /// A value is counted as the rows to which it leads when it is added to the filters of its field, not as those that have it under the
    /// other filters alone.
    pub counts_as_added: bool,
    /// How the answer is written.
    pub format: Format,
}

/// Whose prices are meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PriceOf {
    /// The maker's own.
    #[default]
    Maker,
    /// Those of the seller with the lowest blended price, the maker among them.
    Cheapest,
    /// Those of a seller, which the catalog may know in several spellings: of the offers under any of them the cheapest.
    Seller(Vec<String>),
}

/// A key of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The field.
    pub field: &'static FieldDef,
    /// The highest first.
    pub descending: bool,
}

crate::closed_set! {
    /// How a list is written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Format {
        /// One JSON object.
        #[default]
        Json => "json",
        /// A JSON object a line.
        Ndjson => "ndjson",
        /// RFC 4180.
        Csv => "csv",
    }
}

impl Selection {
    /// Whether one of its filters is for a value of a field.
    pub fn asks_for(&self, field: &str, value: &str) -> bool {
        let is_for = |condition: &Condition| {
            let Test::AnyOf(words) = &condition.test else { return false };
            condition.field.name == field && words.iter().any(|word| word.eq_ignore_ascii_case(value))
        };
        self.conditions.iter().any(is_for)
    }

    /// What prices mean.
    pub fn price_of(&self) -> &PriceOf {
        self.price_of.as_ref().unwrap_or(&PriceOf::Maker)
    }

    /// Whether it leaves out what no source lists any more.
    pub fn is_without_removed(&self) -> bool {
        self.include_removed == Some(false)
    }

    /// Whether it is every row, as it is, by id.
    pub fn is_all(&self) -> bool {
        let Self { fields, format, .. } = self;
        self.is_every_row() && *self.price_of() == PriceOf::Maker && fields.is_empty() && *format == Format::Json
    }

    /// Whether it is every row by id, however shown, and nothing is counted.
    pub fn is_every_row(&self) -> bool {
        let Self { text, conditions, ids, stale, sort, facets, .. } = self;
        text.is_none()
            && conditions.is_empty()
            && ids.is_empty()
            && stale.is_none()
            && !self.is_without_removed()
            && sort.is_empty()
            && facets.is_empty()
    }

    /// Parses the parameters of a selection among those of a kind.
    ///
    /// # Errors
    /// On a wrong value, more of something than a limit allows, and a name that looks like a misspelt filter.
    pub fn parse(kind: Kind, params: &Params<'_>) -> Result<Self, QueryError> {
        let filters = filters(kind);
        params.refuse_misspelt()?;
        refuse_bare_fields(kind, params)?;
        let mut conditions = Vec::new();
        for filter in filters {
            if let Some(text) = params.get(&filter.name) {
                conditions.push(filter.condition(text)?);
            }
        }
        if conditions.len() > FILTERS_MAX {
            return Err(too_many("filters", conditions.len(), FILTERS_MAX, "filters"));
        }
        let text = params.get("q").map(|_| params.text()).transpose()?;
        let ids = params.get("ids").map(|ids| words("ids", ids)).transpose()?.unwrap_or_default();
        Ok(Self {
            text,
            conditions,
            ids,
            include_removed: said(params, "include_removed")?,
            stale: said(params, "stale")?,
            price_of: price_of(kind, params)?,
            sort: sort(kind, params)?,
            fields: paths(params)?,
            facets: facets(kind, params)?,
            facet_size: params.limit_named("facet_size", FACET_SIZE)?,
            counts_as_added: false,
            format: format(params)?,
        })
    }
}

/// Refuses the name of a field that is no parameter by itself, such as `price_input`, and of a member of rows whose filters have another
/// name, such as `mode`: passed over, it would leave nothing out.
fn refuse_bare_fields(kind: Kind, params: &Params<'_>) -> Result<(), QueryError> {
    let called = params.unknown.iter().find_map(|name| Some((*name, fields_called(kind, name)?)));
    let Some((name, (what, fields))) = called else { return Ok(()) };
    let is_of_them = |filter: &&FilterParam| fields.iter().any(|field| field.name == filter.field.name);
    let forms: Vec<&str> = filters(kind).iter().filter(is_of_them).map(|filter| &*filter.name).collect();
    let (detail, hint) = if forms.is_empty() {
        (format!("`{name}` is a field to sort by, not a filter."), format!("Send sort={name}, or leave {name} out."))
    } else {
        let forms = forms.join(", ");
        (format!("`{name}` is {what}; its filters are {forms}."), format!("Send one of {forms}."))
    };
    let error = QueryError::new("unknown filter", name.to_owned(), detail, hint);
    Err(error.instead_of(format!("`{name}`"), super::Expected::Parameter).with_values(forms))
}

/// What has a name, and its fields: a field, or else a member of rows that filters of another name are told from.
fn fields_called(kind: Kind, name: &str) -> Option<(&'static str, Vec<&'static FieldDef>)> {
    if let Some(field) = field::named(kind, name) {
        return Some(("a field", vec![field]));
    }
    let of_member: Vec<&'static FieldDef> =
        field::of_kind(kind).filter(|field| field.is_filter() && field.is_of_member(name)).collect();
    (!of_member.is_empty()).then_some(("a member of rows", of_member))
}

/// A boolean parameter; `None` when it is absent.
fn said(params: &Params<'_>, name: &'static str) -> Result<Option<bool>, QueryError> {
    let parsed = |text: &str| flag(text).ok_or_else(|| invalid(name, text, Shape::Flag.expected()));
    params.get(name).map(parsed).transpose()
}

fn price_of(kind: Kind, params: &Params<'_>) -> Result<Option<PriceOf>, QueryError> {
    let Some(text) = params.get("price_of").filter(|_| kind == Kind::Model).map(str::trim) else { return Ok(None) };
    Ok(Some(match text.to_ascii_lowercase().as_str() {
        "maker" => PriceOf::Maker,
        "cheapest" => PriceOf::Cheapest,
        "" => return Err(invalid("price_of", "", "maker, cheapest, or the id of a seller")),
        _ => PriceOf::Seller(words("price_of", text)?.iter().map(|word| crate::clean::line(word)).collect()),
    }))
}

/// The fields that are named between commas, each with whether `descending` stands before its name.
fn named_fields(
    name: &'static str,
    params: &Params<'_>,
    kind: Kind,
    (max, of): (usize, &str),
    descending: Option<char>,
    is_allowed: impl Fn(&FieldDef) -> bool,
) -> Result<Vec<(&'static FieldDef, bool)>, QueryError> {
    let Some(text) = params.get(name) else { return Ok(Vec::new()) };
    let words = words(name, text)?;
    if words.len() > max {
        return Err(too_many(name, words.len(), max, of));
    }
    let known = || field::of_kind(kind).filter(|field| is_allowed(field)).map(|field| field.name);
    let find = |word: &String| {
        let bare = descending.and_then(|sign| word.strip_prefix(sign)).unwrap_or(word);
        let named = |name: &str| field::named(kind, name).filter(|field| is_allowed(field));
        // Written as loosely as a value of a closed set may be.
        let loosely = || named(&bare.trim().to_lowercase().replace([' ', '-'], "_"));
        if let Some(field) = named(bare).or_else(loosely) {
            return Ok((field, bare.len() < word.len()));
        }
        let expected = format!("a comma-separated list of: {}", known().collect::<Vec<_>>().join(", "));
        Err(invalid(name, word, &expected).with_values(known()))
    };
    words.iter().map(find).collect()
}

fn sort(kind: Kind, params: &Params<'_>) -> Result<Vec<SortKey>, QueryError> {
    let fields = named_fields("sort", params, kind, (SORT_KEYS_MAX, "sort keys"), Some('-'), FieldDef::is_sort_key)?;
    Ok(fields.into_iter().map(|(field, descending)| SortKey { field, descending }).collect())
}

fn facets(kind: Kind, params: &Params<'_>) -> Result<Vec<&'static FieldDef>, QueryError> {
    let fields = named_fields("facets", params, kind, (FACETS_MAX, "facets"), None, FieldDef::is_facet)?;
    let mut facets: Vec<&'static FieldDef> = Vec::new();
    for (field, _) in fields {
        if !facets.contains(&field) {
            facets.push(field);
        }
    }
    Ok(facets)
}

fn paths(params: &Params<'_>) -> Result<Vec<String>, QueryError> {
    let Some(text) = params.get("fields") else { return Ok(Vec::new()) };
    let paths = words("fields", text)?;
    if paths.len() > PATHS_MAX {
        return Err(too_many("fields", paths.len(), PATHS_MAX, "fields"));
    }
    // Nothing has an empty name, and the rows would.
    match paths.iter().find(|path| path.split('.').any(str::is_empty)) {
        Some(path) => Err(invalid("fields", path, "names of members, and paths such as pricing.input")),
        None => Ok(paths),
    }
}

fn format(params: &Params<'_>) -> Result<Format, QueryError> {
    let Some(text) = params.get("format") else { return Ok(Format::Json) };
    let format = Format::parse(&text.trim().to_ascii_lowercase());
    format.ok_or_else(|| invalid("format", text, "json, ndjson or csv").with_values(Format::WORDS))
}

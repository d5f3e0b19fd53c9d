//! `methods-csv`: tables of methods in CSV, as BMAD-METHOD keeps them, from its tarball or one raw file. Candidates only.
//!
//! Four shapes of header are known; which one a table has is told by its columns. What a row states and where it goes: [`row`].
//! Files that are no tables, and the rows of tables that cannot be read, are counted.

mod row;

use std::collections::BTreeSet;

use refdesk_core::item::{Head, Item};
use refdesk_core::slug::slugify;
use refdesk_core::{Covers, Fact, Kind, Reject, clean};
use serde_json::{Map, Value};

use self::row::{Method, Shape};
use crate::connectors::formats::json_fields::canonical_record;
use crate::connectors::frameworks::framework_source::{self, family, vendor};
use crate::connectors::repository::code_host;
use crate::connectors::repository::license::{self, Licences};
use crate::connectors::repository::repo::{self, Checkout, TreeReader, folder_of, open_tarball, utf8};
use crate::connectors::{
    Batch, Connector, CountMethod, ParseError, Reread, SingleRequestSession, StoredKey, TarballRule, Target,
};

/// What ids start with, unless the option `prefix` says otherwise.
const FAMILY: &str = "bmad";
/// End of the names of the files that are read from a repository.
const FILE_END: &str = "methods.csv";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "methods-csv",
    kinds: &[Kind::Framework],
    description: "Tables of methods in CSV as BMAD-METHOD keeps them: a repository's *methods.csv, or one raw file",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("prefix", "what the ids start with; default: bmad"),
        ("vendor", "publisher of the tables; default: the owner of the repository"),
    ],
    count: CountMethod::Tarball(TarballRule::Tables),
    open: |target| {
        if matches!(target.url.path().rsplit_once('.'), Some((_, "csv"))) {
            return Ok(SingleRequestSession::open(target, read_file));
        }
        Ok(open_tarball(target, MethodReader { target: target.clone() }))
    },
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let (path, _) = stored.key.split_once('#').ok_or_else(|| format!("the key `{}` is not `path#id`", stored.key))?;
    let checkout = Checkout { repository: code_host::raw_file(target).0, ..Checkout::unread(target) };
    let mut tables = MethodTables::new(target, &checkout);
    let cells = serde_json::from_slice::<Map<String, Value>>(record);
    let cells = cells.map_err(|error| format!("the stored row is not a JSON object: {error}"))?;
    let header: Vec<String> = cells.keys().cloned().collect();
    let shape = Shape::from_header(&header).ok_or("the stored row has the columns of no table that is known")?;
    let fact = tables.fact(path, "", shape.read(&cells)?, cells)?;
    // A licence that withholds the text lowers the status, and it is in another file.
    Ok(Reread { fact, not_in_record: &["status"] })
}

struct MethodReader {
    target: Target,
}

impl TreeReader for MethodReader {
    fn wants(&self, path: &str) -> bool {
        path.ends_with(FILE_END) || license::is_file(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let Checkout { repository, tree, .. } = checkout;
        let mut tables = MethodTables::new(&self.target, checkout);
        let is_table = |path: &str| path.ends_with(FILE_END);
        for (path, bytes) in tree.files.iter().filter(|(path, _)| is_table(path)) {
            tables.add(path, &repository.file_page(path), bytes);
        }
        tree.reject_refused(&mut tables.batch, |path| is_table(path).then(|| Covers::Group(path.to_owned())));
        tree.leave_out(&mut tables.batch, is_table, "symbolic links to tables", |path| match path {
            _ if license::is_file(path) => "licence files",
            _ if path.rsplit_once('.').is_some_and(|(_, ending)| ending == "csv") => "tables of something else (.csv)",
            _ => "files that are not tables",
        });
        tables.finish()
    }
}

fn read_file(target: &Target, table: &[u8]) -> Result<Batch, ParseError> {
    let (repository, path) = code_host::raw_file(target);
    let checkout = Checkout { repository, ..Checkout::unread(target) };
    let mut tables = MethodTables::new(target, &checkout);
    let path = path.unwrap_or_else(|| repo::file_name(target.url.path()).to_owned());
    tables.add(&path, &code_host::raw_file_page(target), table);
    tables.finish()
}

/// The tables of one source while they are read.
struct MethodTables<'a> {
    family: String,
    vendor: Option<String>,
    licences: &'a Licences,
    serve_restricted: bool,
    /// Ids that are taken: the same method stands in several tables.
    ids: BTreeSet<String>,
    batch: Batch,
}

impl<'a> MethodTables<'a> {
    fn new(target: &Target, checkout: &'a Checkout) -> Self {
        Self {
            family: family(target, FAMILY),
            vendor: vendor(target, checkout.repository.url.as_deref()),
            licences: &checkout.licences,
            serve_restricted: target.serve_restricted,
            ids: BTreeSet::new(),
            batch: Batch::default(),
        }
    }

    /// Reads one table. A table that cannot be read is one reject, and its rows are counted.
    fn add(&mut self, path: &str, page: &str, bytes: &[u8]) {
        match self.rows(path, page, bytes) {
            Ok(()) => self.batch.leave_out("tables, whose rows are the items", 1),
            Err(reason) => {
                let rows = csv::ReaderBuilder::new().flexible(true).from_reader(bytes).into_byte_records().count();
                self.batch.leave_out("rows of tables that cannot be read", rows);
                let reject = Reject::new(path, format!("{path} {reason}"), &String::from_utf8_lossy(bytes));
                self.batch.take(Err(reject.of_group(path)));
            }
        }
    }

    fn rows(&mut self, path: &str, page: &str, bytes: &[u8]) -> Result<(), String> {
        let text = utf8(bytes)?.trim_start_matches('\u{feff}');
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header: Vec<String> = match reader.headers() {
            Ok(header) => header.iter().map(|name| name.trim().to_owned()).collect(),
            Err(error) => return Err(format!("has no header that can be read: {error}")),
        };
        let shape = Shape::from_header(&header)
            .ok_or_else(|| format!("has the columns {}; expected {}", header.join(", "), Shape::expected()))?;
        let name_column = header.iter().position(|column| column == shape.name);
        let mut names = BTreeSet::new();
        for (position, record) in reader.records().enumerate() {
            let shown = record.as_ref().map(|record| record.iter().collect::<Vec<_>>().join(",")).unwrap_or_default();
            let named = record.as_ref().ok().zip(name_column).and_then(|(record, column)| record.get(column));
            let stated = named.map(|name| key(path, &clean::line(name)));
            let read = record.map_err(|error| error.to_string()).and_then(|record| cells(&header, &record)).and_then(
                |cells| {
                    let method = shape.read(&cells)?;
                    if !names.insert(method.name.clone()) {
                        return Err(format!("`{}` stands in the table twice", method.name));
                    }
                    self.fact(path, page, method, cells)
                },
            );
            self.batch.take(
                read.map_err(|reason| Reject::new(format!("{path} row {}", position + 1), reason, &shown).of(stated)),
            );
        }
        Ok(())
    }

    fn fact(&mut self, path: &str, page: &str, method: Method, cells: Map<String, Value>) -> Result<Fact, String> {
        let file = repo::file_name(path).trim_end_matches(".csv");
        // The first table by path gives the plain id.
        let plain = method.name.clone();
        let id = if self.ids.insert(slugify(&plain)) { plain } else { format!("{file}-{plain}") };
        self.ids.insert(slugify(&id));
        let (key, record) = (key(path, &method.name), canonical_record(&Value::Object(cells))?);
        // Without an alias: the name is somebody else's too, and would make a card of that name ambiguous.
        let head = Head {
            id: framework_source::id(&self.family, &id),
            name: method.name,
            vendor: self.vendor.clone(),
            status: method.framework.publication_score().status(),
            ..Head::default()
        };
        let fact = Fact { head, ..Fact::new(key, Item::Framework(method.framework), record, page) };
        let licence = self.licences.of_item(folder_of(path), None);
        Ok(license::applied(licence, fact, self.serve_restricted))
    }

    fn finish(self) -> Result<Batch, ParseError> {
        self.batch.with_facts(format!("no table of methods could be read; expected files that end in {FILE_END}"))
    }
}

/// The cells of a row by column.
fn cells(header: &[String], record: &csv::StringRecord) -> Result<Map<String, Value>, String> {
    if record.len() != header.len() {
        return Err(format!(
            "the row has {} fields, the header {}; quote fields that hold commas",
            record.len(),
            header.len()
        ));
    }
    Ok(header.iter().zip(record).map(|(column, cell)| (column.clone(), Value::from(cell))).collect())
}

/// The key of a method of the table at `path`.
fn key(path: &str, name: &str) -> String {
    format!("{path}#{name}")
}

//! What others find in the same documents with the same queries: plain tantivy and SQLite's FTS5, as they come.
//!
//! Both index title and text as two fields, and look for any of the query's words. Nothing is tuned: these are the
//! figures that somebody gets who builds on them in an afternoon. Only with the Cargo feature `baselines`.

use std::path::PathBuf;

use anyhow::Context as _;
use refdesk::commands::evaluate::search::{DEPTH, Report, Set, show};
use refdesk::exit::Exit;
use sqlx::Connection as _;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexWriter, doc};

/// What the index writer of tantivy may hold before it writes a segment.
const WRITER_BYTES: usize = 100_000_000;

/// A document as every engine gets it.
struct Page<'a> {
    /// Its title, never empty.
    title: &'a str,
    /// Its text.
    text: &'a str,
}

/// Name of a baseline and, for each query, the positions of the pages it finds.
type Rankings = (&'static str, Vec<Vec<usize>>);

/// `refdesk-lab baselines`: scores them on labelled sets, with the measures of `refdesk eval search`.
///
/// # Errors
/// When a set cannot be read or an engine fails.
pub async fn run(sets: &[PathBuf], json: bool) -> anyhow::Result<Exit> {
    let mut reports = Vec::new();
    for dir in sets {
        let set = Set::read(dir).with_context(|| dir.display().to_string())?;
        let pages: Vec<Page<'_>> =
            set.corpus.iter().map(|document| Page { title: document.shown_title(), text: &document.text }).collect();
        let queries: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
        for (name, rankings) in rank(&pages, &queries, DEPTH).await? {
            let ids = rankings.into_iter().map(|found| found.into_iter().map(|at| set.corpus[at].id.clone()).collect());
            reports.push(Report::new(&set, name, set.queries.iter().zip(ids).collect()));
        }
    }
    show(&reports, json)?;
    Ok(Exit::Done)
}

/// Asks every baseline.
async fn rank(pages: &[Page<'_>], queries: &[&str], depth: usize) -> anyhow::Result<Vec<Rankings>> {
    Ok(vec![
        ("tantivy", tantivy(pages, queries, "default", depth)?),
        ("tantivy, stemmed", tantivy(pages, queries, "en_stem", depth)?),
        ("SQLite FTS5, unicode61", fts5(pages, queries, "unicode61", depth).await?),
        ("SQLite FTS5, porter", fts5(pages, queries, "porter unicode61", depth).await?),
    ])
}

/// The words of a query: neither engine shall read an operator into it.
fn plain_words(query: &str) -> Vec<String> {
    refdesk_core::text::words(query).map(str::to_lowercase).collect()
}

fn tantivy(pages: &[Page<'_>], queries: &[&str], tokenizer: &str, depth: usize) -> anyhow::Result<Vec<Vec<usize>>> {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(tokenizer)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let options = TextOptions::default().set_indexing_options(indexing);
    let title = schema.add_text_field("title", options.clone());
    let text = schema.add_text_field("text", options);
    let position = schema.add_u64_field("position", NumericOptions::from(FAST | INDEXED));
    let index = Index::create_in_ram(schema.build());
    fill(&index, pages, [title, text], position)?;
    let searcher = index.reader()?.searcher();
    let parser = QueryParser::for_index(&index, vec![title, text]);
    let mut columns = Vec::new();
    for segment in searcher.segment_readers() {
        columns.push(segment.fast_fields().u64("position")?);
    }
    let mut rankings = Vec::with_capacity(queries.len());
    for query in queries {
        let (parsed, _) = parser.parse_query_lenient(&plain_words(query).join(" "));
        let found = searcher.search(&parsed, &TopDocs::with_limit(depth).order_by_score())?;
        let positions = found.into_iter().filter_map(|(_, at)| columns[at.segment_ord as usize].first(at.doc_id));
        rankings.push(positions.map(|position| position as usize).collect());
    }
    Ok(rankings)
}

fn fill(index: &Index, pages: &[Page<'_>], [title, text]: [Field; 2], position: Field) -> anyhow::Result<()> {
    // One thread: the same segments, and so the same ranking, in every run.
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    for (at, page) in pages.iter().enumerate() {
        writer.add_document(doc!(title => page.title, text => page.text, position => at as u64))?;
    }
    writer.commit()?;
    Ok(())
}

async fn fts5(
    pages: &[Page<'_>],
    queries: &[&str],
    tokenizer: &'static str,
    depth: usize,
) -> anyhow::Result<Vec<Vec<usize>>> {
    let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await?;
    let table = match tokenizer {
        "unicode61" => "CREATE VIRTUAL TABLE pages USING fts5(title, text, tokenize = 'unicode61')",
        _ => "CREATE VIRTUAL TABLE pages USING fts5(title, text, tokenize = 'porter unicode61')",
    };
    sqlx::query(table).execute(&mut connection).await.context("this SQLite has no FTS5")?;
    let mut filling = connection.begin().await?;
    for (at, page) in pages.iter().enumerate() {
        sqlx::query("INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)")
            .bind(at as i64)
            .bind(page.title)
            .bind(page.text)
            .execute(&mut *filling)
            .await?;
    }
    filling.commit().await?;
    let mut rankings = Vec::with_capacity(queries.len());
    for query in queries {
        let words: Vec<String> = plain_words(query).into_iter().map(|word| format!("\"{word}\"")).collect();
        if words.is_empty() {
            rankings.push(Vec::new());
            continue;
        }
        let found: Vec<i64> = sqlx::query_scalar("SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?")
            .bind(words.join(" OR "))
            .bind(depth as i64)
            .fetch_all(&mut connection)
            .await?;
        rankings.push(found.into_iter().map(|rowid| rowid as usize).collect());
    }
    Ok(rankings)
}

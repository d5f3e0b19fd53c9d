//! Fuzzing of everything that reads what strangers wrote: each target takes mutated seeds for some seconds and must not panic.
//!
//! The short form is part of the suite (`REFDESK_FUZZ_SECONDS`, default 2 for each target). The long form is the same program:
//! `scripts/fuzz.py --seconds 120` runs it and keeps its figures; `REFDESK_FUZZ_SEED` repeats a run.
//! A finding becomes a case in the tests of the code that was at fault.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "fuzz_short/requests.rs"]
mod requests;
#[path = "fuzz_short/sources.rs"]
mod sources;
#[path = "fuzz_short/stored.rs"]
mod stored;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest input.
const INPUT_BYTES_MAX: usize = 64 * 1024;

/// Pieces that readers treat in a special way.
const PIECES: [&[u8]; 40] = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\n---\n",
    b"---",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"NaN",
    b"true",
    b"../",
    b"%2e%2e%2f",
    b"://",
    b"javascript:",
    b"<script>alert(1)</script>",
    b"<img src=x onerror=alert(1)>",
    b"](",
    b"```",
    b"&a [*a]",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x92\xa9",
    b"[[",
    b"{{x}}",
    b"\"jsonrpc\":\"2.0\"",
    b"\"id\":1",
    b"\"cursor\":\"x\"",
    b"rdk_",
];

/// A small generator; what matters is that a seed repeats a run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A seed with some of its bytes changed, cut, doubled or mixed with another's.
    fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.pick(seeds).clone();
        for _ in 0..self.below(6) {
            let at = self.below(bytes.len() + 1);
            let length = self.below(32).min(bytes.len() - at);
            match self.below(7) {
                0 => drop(bytes.drain(at..at + length)),
                1 => drop(bytes.splice(at..at, self.pick(&PIECES).to_vec())),
                2 => drop(bytes.splice(at..at + length, self.pick(&PIECES).to_vec())),
                3 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                4 => {
                    let part = bytes[at..at + length].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                5 => bytes.truncate(at),
                _ => {
                    let other = self.pick(seeds).clone();
                    let from = self.below(other.len() + 1);
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[from..]);
                }
            }
        }
        bytes.truncate(INPUT_BYTES_MAX);
        bytes
    }
}

/// Findings after which a target is given up: one fault is often hit by many inputs.
const FINDINGS_MAX: usize = 5;

/// Gives a target mutated seeds until its time is up, and says how many made it panic. Each is told with its input and the seed; the others go
/// on, so that one finding does not cost a night. The last line is read by `scripts/fuzz.py`.
#[must_use]
#[expect(clippy::print_stderr, reason = "findings and figures of a long run are read by a person")]
fn fuzz(name: &str, seeds: &[Vec<u8>], mut target: impl FnMut(&[u8], &mut Random)) -> usize {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("REFDESK_FUZZ_SECONDS").unwrap_or(2);
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = number("REFDESK_FUZZ_SEED").unwrap_or(clock.as_nanos() as u64) | 1;
    let mut random = Random(seed);
    let started = Instant::now();
    let (mut cases, mut findings) = (0_u64, 0);
    while started.elapsed() < Duration::from_secs(seconds) && findings < FINDINGS_MAX {
        let input = random.mutated(seeds);
        if catch_unwind(AssertUnwindSafe(|| target(&input, &mut random))).is_err() {
            findings += 1;
            eprintln!("{name} fails in case {cases} of REFDESK_FUZZ_SEED={seed} on \"{}\"", input.escape_ascii());
        }
        cases += 1;
    }
    assert!(cases > 0);
    eprintln!("fuzzed {name} seconds={} cases={cases} findings={findings} seed={seed}", started.elapsed().as_secs());
    findings
}

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Every file below a folder, by its path inside.
fn files(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap());
        }
    }
}

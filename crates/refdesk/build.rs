//! Tells the program which commit it is built of, and when that was made: `refdesk --version`, `/version`.
//!
//! A packager without a repository sets `REFDESK_COMMIT`; `SOURCE_DATE_EPOCH` (seconds since 1970) goes before the commit's own date, as
//! <https://reproducible-builds.org/specs/source-date-epoch> asks. Without either and without git both are `unknown`. Changes that are
//! not committed are not looked for: that would run with every build.

use std::path::{Path, PathBuf};
use std::process::Command;

const UNKNOWN: &str = "unknown";

fn main() {
    for variable in ["REFDESK_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    // Without this line cargo would run the script again after every change of the package.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let is_repository = is_root_of_repository(&folder);
    if is_repository {
        watch(&folder);
    }
    let of_git = |args: &[&str]| is_repository.then(|| git(&folder, args)).flatten();
    let commit = variable("REFDESK_COMMIT").or_else(|| of_git(&["rev-parse", "HEAD"]));
    let epoch = variable("SOURCE_DATE_EPOCH").or_else(|| of_git(&["log", "-1", "--format=%ct"]));
    let date = epoch.and_then(|text| text.parse().ok()).and_then(date);
    println!("cargo::rustc-env=REFDESK_BUILD_COMMIT={}", commit.as_deref().unwrap_or(UNKNOWN));
    println!("cargo::rustc-env=REFDESK_BUILD_DATE={}", date.as_deref().unwrap_or(UNKNOWN));
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn git(folder: &Path, args: &[&str]) -> Option<String> {
    let done = Command::new("git").current_dir(folder).args(args).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    (done.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Whether the workspace is the root of a repository: sources that were unpacked inside another project's are not of its commit.
fn is_root_of_repository(folder: &Path) -> bool {
    let of_git =
        git(folder, &["rev-parse", "--show-toplevel"]).and_then(|path| PathBuf::from(path).canonicalize().ok());
    let workspace = folder.join("../..").canonicalize().ok();
    of_git.is_some() && of_git == workspace
}

/// Runs again when another commit is checked out or made, and at no other time. A file that is missing would make cargo run it always.
fn watch(folder: &Path) {
    let mut names = vec!["HEAD".to_owned(), "packed-refs".to_owned()];
    names.extend(git(folder, &["symbolic-ref", "--quiet", "HEAD"]));
    for name in names {
        let path = git(folder, &["rev-parse", "--git-path", &name]).map(|path| folder.join(path));
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// A time in seconds since 1970 as `2026-11-24T14:08:55Z`, by Howard Hinnant's `civil_from_days`
/// (<https://howardhinnant.github.io/date_algorithms.html>), which saves the build a dependency.
fn date(epoch_secs: i64) -> Option<String> {
    const SECS_OF_DAY: i64 = 86_400;
    // The year 9999; beyond it nothing was built.
    if !(0..253_402_300_800).contains(&epoch_secs) {
        return None;
    }
    let (days, secs) = (epoch_secs / SECS_OF_DAY + 719_468, epoch_secs % SECS_OF_DAY);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", secs / 3600, secs / 60 % 60, secs % 60))
}

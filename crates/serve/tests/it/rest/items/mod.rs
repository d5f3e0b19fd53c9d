//! Items: details, lists, what is selected of them, full texts by the page.

mod details;
mod lists;
mod pages;
mod records;
mod selection;

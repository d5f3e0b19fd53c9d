//! Items: details, lists, what is selected of them and what is refused, full texts by the page.

mod details;
mod lists;
mod pages;
pub mod prices_shown;
mod records;
mod refused_values;
mod selection;
pub mod sellers;
mod values;

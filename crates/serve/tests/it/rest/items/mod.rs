//! Items: details, lists, what is selected of them and what is refused, full texts by the page.

mod details;
mod lists;
mod pages;
mod records;
mod refused_values;
mod selection;
mod sellers;
mod values;

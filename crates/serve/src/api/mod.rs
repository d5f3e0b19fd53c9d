//! REST: one file a resource. A handler parses the request, makes one core call, and renders the answer. The route table is
//! [`crate::routes`]; [`schema`] describes the shapes for the OpenAPI document.

pub(crate) mod catalog;
pub mod evidence;
pub mod frameworks;
pub(crate) mod full_texts;
pub mod health;
pub mod kinds;
pub mod llms_txt;
pub mod openapi;
pub mod questions;
pub mod schema;
pub mod search;
pub mod sources;

//! What a row of a method table states, and which fields of a framework that is. Nothing is made up: what has no field stays
//! in the record only.
//!
//! | column | field |
//! |---|---|
//! | `description` | `summary` |
//! | `facilitation_prompts` (`a?\|b?`) | `steps`, in order |
//! | `detail` | one step |
//! | `output_pattern` (`a → b → c`) | `output.artifact`, as it stands |
//! | `good_for` (`a\|b`) | `when_to_use` |
//! | `category`, `phase` | `domain`, by [`Shape::domain`] |

use refdesk_core::clean;
use refdesk_core::item::{Domain, Framework, Output};
use serde_json::{Map, Value};

use crate::connectors::formats::json_fields::{required, text};
use crate::connectors::frameworks::framework_source::outline;

/// A shape of header: the columns that tell it, and how its categories map to domains.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// The column of the methods' names.
    pub name: &'static str,
    category: &'static str,
    mark: &'static str,
    /// The domain of categories that are not named in `domains`.
    otherwise: Domain,
    domains: &'static [(&'static str, Domain)],
}

/// A method of a table.
pub struct Method {
    pub name: String,
    pub framework: Framework,
}

/// The four shapes that are known.
const SHAPES: [Shape; 4] = [
    Shape {
        name: "method_name",
        category: "category",
        mark: "output_pattern",
        otherwise: Domain::Thinking,
        domains: &[
            ("advanced", Domain::AgentWorkflow),
            ("collaboration", Domain::Communication),
            ("competitive", Domain::Strategy),
            ("core", Domain::Thinking),
            ("creative", Domain::Creativity),
            ("framing", Domain::Thinking),
            ("learning", Domain::Learning),
            ("philosophical", Domain::Thinking),
            ("research", Domain::Research),
            ("retrospective", Domain::Learning),
            ("risk", Domain::Risk),
            ("technical", Domain::Engineering),
        ],
    },
    Shape {
        name: "technique_name",
        category: "category",
        mark: "good_for",
        // A table of ways to brainstorm.
        otherwise: Domain::Creativity,
        domains: &[
            ("deep", Domain::ProblemSolving),
            ("introspective_delight", Domain::Thinking),
            ("speculative_future", Domain::Strategy),
        ],
    },
    Shape {
        name: "method_name",
        category: "phase",
        mark: "facilitation_prompts",
        // The phases of design thinking.
        otherwise: Domain::Product,
        domains: &[("empathize", Domain::Research), ("ideate", Domain::Creativity), ("implement", Domain::Operations)],
    },
    Shape {
        name: "method_name",
        category: "category",
        mark: "facilitation_prompts",
        otherwise: Domain::ProblemSolving,
        domains: &[
            ("creative", Domain::Creativity),
            ("evaluation", Domain::Decision),
            ("implementation", Domain::Operations),
        ],
    },
];

impl Shape {
    /// The shape of a table with these columns.
    pub fn from_header(header: &[String]) -> Option<&'static Self> {
        let has = |column: &str| header.iter().any(|name| name == column);
        SHAPES.iter().find(|shape| has(shape.name) && has(shape.category) && has(shape.mark) && has("description"))
    }

    /// The columns of all shapes, for errors.
    pub fn expected() -> String {
        let each =
            SHAPES.iter().map(|shape| format!("{}, {}, description and {}", shape.category, shape.name, shape.mark));
        each.collect::<Vec<_>>().join("; or ")
    }

    /// The domain of a category of this table.
    pub fn domain(&self, category: &str) -> Domain {
        let named = self.domains.iter().find(|(name, _)| name.eq_ignore_ascii_case(category.trim()));
        named.map_or(self.otherwise, |(_, domain)| *domain)
    }

    /// The method of a row.
    ///
    /// # Errors
    /// When name or description is missing.
    pub fn read(&self, cells: &Map<String, Value>) -> Result<Method, String> {
        let name = clean::line(required(cells, self.name)?);
        let summary = clean::line(required(cells, "description")?);
        let mut framework = outline(self.domain(text(cells, self.category).unwrap_or_default()), summary);
        framework.when_to_use = parts(text(cells, "good_for"));
        framework.steps = parts(text(cells, "facilitation_prompts"));
        framework.steps.extend(text(cells, "detail").map(clean::line));
        framework.output = text(cells, "output_pattern")
            .map(|pattern| Output { artifact: clean::line(pattern), template_markdown: String::new() });
        Ok(Method { name, framework })
    }
}

/// The parts of `a|b|c`.
fn parts(text: Option<&str>) -> Vec<String> {
    text.into_iter().flat_map(|text| text.split('|')).map(clean::line).filter(|part| !part.is_empty()).collect()
}

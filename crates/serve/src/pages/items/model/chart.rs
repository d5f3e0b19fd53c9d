//! Bar charts as inline SVG. They use presentation attributes and classes, because the content security policy allows no inline style.
//! A table beside each chart has the same numbers.

use maud::{Markup, html};

/// A pair of bars.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) input: f64,
    pub(super) output: f64,
}

/// Width of the picture, of its labels, and of what stands behind a bar, in its own units.
const WIDTH: f64 = 640.0;
const LABELS: f64 = 170.0;
const AMOUNT: f64 = 70.0;
/// Height of what the bars mean, of a pair of bars, and of one of them.
const LEGEND: f64 = 22.0;
const PAIR: f64 = 34.0;
const BAR: f64 = 12.0;

/// A pair of bars for each seller, as long as its prices; one is filled and one is not, so that they differ without colours.
pub(super) fn bars(title: &str, bars: &[Bar]) -> Markup {
    let longest = bars.iter().map(|bar| bar.input.max(bar.output)).fold(0.0, f64::max);
    let length = |amount: f64| if longest > 0.0 { amount / longest * (WIDTH - LABELS - AMOUNT) } else { 0.0 };
    let height = LEGEND + PAIR * bars.len() as f64;
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(title) {
            title { (title) }
            @for (class, word, left) in [("bar-input", "Input", LABELS), ("bar-output", "Output", LABELS + AMOUNT)] {
                rect class=(class) x=(left) y="4" width=(BAR) height=(BAR) {}
                text x=(left + BAR + 5.0) y=(BAR + 2.0) { (word) }
            }
            @for (at, bar) in bars.iter().enumerate() {
                @let top = LEGEND + PAIR * at as f64 + 3.0;
                text x=(LABELS - 8.0) y=(top + PAIR / 2.0) text-anchor="end" { (bar.label) }
                @for (class, amount, top) in [("bar-input", bar.input, top), ("bar-output", bar.output, top + BAR + 2.0)] {
                    rect class=(class) x=(LABELS) y=(top) width=(format!("{:.1}", length(amount))) height=(BAR) {}
                    text x=(format!("{:.1}", LABELS + length(amount) + 5.0)) y=(top + BAR - 2.0) { "$" (amount) }
                }
            }
        }
    }
}

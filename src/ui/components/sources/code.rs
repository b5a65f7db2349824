//! A line of code with its figures.

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use camlscope_engine::query::lines::SourceFigures;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::has_few_samples;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::source::{HOT, SourceText, VERY_HOT};
use camlscope_present::words::measure::{figure, margin};

/// What figures are about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About {
    pub measure: Measure,
    /// The total of all selected objects, in the unit of the measure.
    pub all: f64,
    pub has_samples: bool,
    pub units: Units,
}

impl About {
    pub fn new(WorkspaceContext { view_state, capabilities, units, .. }: &WorkspaceContext, all: f64) -> About {
        About { measure: view_state.measure, all, has_samples: capabilities.has_samples, units: *units }
    }

    pub fn share(&self, value: f64) -> f64 {
        if self.all > 0.0 { value / self.all } else { 0.0 }
    }

    /// `12.3 MiB`, or nothing for zero.
    pub fn amount(&self, value: f64) -> String {
        if value > 0.0 { self.units.amount(self.measure.unit(), value) } else { String::new() }
    }

    /// `12.3 MiB ±0.4 (6.1%) allocated`
    pub fn figure(&self, figures: &SourceFigures) -> String {
        let margin = margin(self.measure, figures.total, figures.error);
        figure(self.units, self.measure, figures.total, margin, Some(self.share(figures.total)))
    }

    /// The tooltip, with everything that is known.
    pub fn title(&self, figures: &SourceFigures) -> String {
        let own = match figures.own > 0.0 {
            true => format!("{} ({})", self.amount(figures.own), format::percent(self.share(figures.own))),
            false => "nothing".to_owned(),
        };
        let mut title = format!("Total: {}\nSelf: {own}", self.figure(figures));
        if self.has_samples {
            let samples = |n| format::count(n);
            let n = samples(figures.total_samples);
            title.push_str(&format!("\n{n} samples, {} of them self", samples(figures.self_samples)));
        }
        title
    }

    /// The classes of a line: how hot it is, and whether it has too few samples.
    pub fn classes(&self, figures: &SourceFigures) -> Classes {
        let heat = match self.share(figures.own) {
            VERY_HOT.. => "is-very-hot",
            HOT.. => "is-hot",
            _ => "",
        };
        classes!(heat, (self.has_samples && has_few_samples(figures.total_samples)).then_some("is-faint"))
    }
}

/// The cell of a figure, with a bar for its share.
pub fn figure_cell(name: &'static str, value: f64, about: &About) -> Html {
    let width = format!("{:.2}%", about.share(value) * 100.0);
    html! {
        <span role="gridcell" class="source-figure" data-cell={name} data-value={value.to_string()}>
            if value > 0.0 {
                <svg class="bar" aria-hidden="true"><rect {width} height="100%" rx="2" /></svg>
            }
            <span>{ about.amount(value) }</span>
        </span>
    }
}

/// The text of a line, with colors.
pub fn code(text: &SourceText, line: u32) -> Option<Html> {
    let parts = text.line(line)?;
    let part = |(part, kind): (&str, Option<camlscope_present::ocaml_tokens::TokenKind>)| match kind {
        Some(kind) => html! { <span class={format!("ml-{}", kind.as_str())}>{ part }</span> },
        None => html! { { part } },
    };
    Some(html! { <>{ for parts.into_iter().map(part) }</> })
}

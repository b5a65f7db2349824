//! Whether the selection leaks, in a word, with the reason on hover. One line, whether there is a verdict or not.

use yew::prelude::*;

use crate::format;
use crate::protocol::Answer;
use crate::query::leaks::{Site, Verdict};
use crate::query::table::Row;
use crate::query::tree::Grain;
use crate::ui::components::panel::subject::Subject;
use crate::ui::query::QueryState;

pub fn line(subject: &Subject, query: &QueryState, row: Option<&Row>) -> Html {
    let words = |text: &'static str| html! { <span class="panel-muted">{ text }</span> };
    let body = match query.answer.as_deref() {
        Some(Answer::Leaks(leaks)) => {
            let is_it = |site: &&Site| site.name == subject.label.name && site.file == subject.label.file;
            match leaks.sites.iter().find(is_it) {
                Some(site) => verdict(site),
                None if row.is_some() => words("allocates nothing itself: see what it calls"),
                None => Html::default(),
            }
        }
        _ if subject.is_library() => words("library code: see who calls it"),
        _ if subject.grain == Grain::Site => words("a call site"),
        _ => Html::default(),
    };
    html! { <p class="panel-verdict">{ body }</p> }
}

fn verdict(site: &Site) -> Html {
    let class = classes!("verdict", (site.verdict == Verdict::Growing).then_some("verdict-growing"));
    let error = match site.growth_bytes_per_s {
        // Those of a profile are exact.
        growth if growth > 0.0 && site.growth_error_bytes_per_s > 0.0 => {
            format!(" ±{}", format::percent(site.growth_error_bytes_per_s / growth))
        }
        _ => String::new(),
    };
    html! {
        <span title={site.reason.clone()}>
            <span {class} data-verdict={site.verdict.name()}>{ site.verdict.name() }</span>
            if site.verdict == Verdict::Growing {
                { format!(" {}/s{error}", format::bytes(site.growth_bytes_per_s)) }
            }
        </span>
    }
}

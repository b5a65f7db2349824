//! A verdict and a growth as the list and the opened site show them.

use yew::prelude::*;

use crate::format;
use crate::query::leaks::{Site, Verdict};

/// What the verdict means for the user.
pub fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Growing => {
            "It has kept more and more until the very end, beyond what chance would do. That is what a leak looks like, but \
             also a cache that is still filling, or work that goes on: the trace does not say whether the program still \
             needs it. Record for longer: a cache levels off, a leak does not."
        }
        Verdict::Bounded => {
            "What comes also goes: it holds about as much at the end as before. It may be large, but it is no leak in this \
             trace. One slower than the trace is long, or smaller than its error, would not be seen."
        }
        Verdict::StartUp => {
            "It was allocated early and kept, as tables and configuration are. It does not grow; whether it must be so large \
             is another question."
        }
        Verdict::BuildsUp => {
            "It has kept more and more, but so has the program as a whole, or the trace is short: compilers and other \
             programs that run once build up what they need until they are done. If this one runs on and on, record it for \
             longer, from a time when it does its usual work."
        }
        Verdict::Kept => {
            "It was allocated after the start and most of it is still there, but it does not become more and more. It \
             matters for the size of the heap, not for growth."
        }
        Verdict::Burst => "It came within a short time. It matters for the peak, not for growth.",
        Verdict::TooFewSamples => {
            "No verdict: it may be harmless, or leak slowly. More samples (a higher rate, a longer run) would tell. Read \
             by function or by module, there may be enough of them."
        }
    }
}

/// `growing`, as a badge.
pub fn badge(verdict: Verdict) -> Html {
    let class = classes!("verdict", (verdict == Verdict::Growing).then_some("verdict-growing"));
    html! { <span {class} data-verdict={verdict.name()}>{ verdict.name() }</span> }
}

/// `802 KiB/s ± 190 KiB/s`, with all digits on hover.
pub fn growth(site: &Site, figure: String) -> Html {
    let Site { growth_bytes_per_s: growth, growth_error_bytes_per_s: error, .. } = *site;
    html! {
        <span class="leak-growth" title={format!("{growth} ± {error} bytes a second")}>
            <span data-figure={format!("{figure}.growth_bytes_per_s")} data-value={growth.to_string()}>
                { format!("{}/s", format::bytes(growth)) }
            </span>
            <span class="leak-error" data-figure={format!("{figure}.growth_error_bytes_per_s")} data-value={error.to_string()}>
                { format!(" ± {}", format::bytes(error)) }
            </span>
        </span>
    }
}

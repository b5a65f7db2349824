//! A verdict and a growth as the list and the opened site show them.

use yew::prelude::*;

use crate::format;
use crate::query::leaks::{Site, Verdict};

/// What the verdict means for the user.
pub fn meaning(verdict: Verdict, is_profile: bool) -> &'static str {
    match verdict {
        Verdict::TooFewSamples if is_profile => {
            "No verdict: it may be harmless, or leak slowly. More snapshots, over a longer run, would tell."
        }
        Verdict::Growing if is_profile => {
            "It has held more and more until the very end. That is what a leak looks like, but also a cache that is still \
             filling, or work that goes on: the profile does not say whether the program still needs it."
        }
        Verdict::Bounded if is_profile => {
            "It holds about as much at the end as before. It may be large, but it is no leak in this profile."
        }
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
            "It has kept more and more, but so has the program as a whole, or the recording is short: compilers and other \
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
pub fn badge(verdict: Verdict, is_profile: bool) -> Html {
    let words = match verdict {
        Verdict::TooFewSamples if is_profile => "too few snapshots",
        verdict => verdict.name(),
    };
    let class = classes!("verdict", (verdict == Verdict::Growing).then_some("verdict-growing"));
    html! { <span {class} data-verdict={verdict.name()}>{ words }</span> }
}

/// `802 KiB/s ± 190 KiB/s`, with all digits on hover; without the error where figures are exact.
pub fn growth(site: &Site, figure: String, is_exact: bool) -> Html {
    let Site { growth_bytes_per_s: growth, growth_error_bytes_per_s: error, .. } = *site;
    let title = match is_exact {
        true => format!("{growth} bytes a second of processor time"),
        false => format!("{growth} ± {error} bytes a second"),
    };
    html! {
        <span class="leak-growth" {title}>
            <span data-figure={format!("{figure}.growth_bytes_per_s")} data-value={growth.to_string()}>
                { format!("{}/s", format::bytes(growth)) }
            </span>
            if error > 0.0 || !is_exact {
            <span class="leak-error" data-figure={format!("{figure}.growth_error_bytes_per_s")} data-value={error.to_string()}>
                { format!(" ± {}", format::bytes(error)) }
            </span>
            }
        </span>
    }
}

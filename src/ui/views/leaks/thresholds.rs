//! The thresholds behind the verdicts, as fields.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::query::leaks::LeaksConfig;
use crate::ui::components::text_field::TextField;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::leak_thresholds::{THRESHOLDS, Threshold};

pub fn fields(config: &LeaksConfig, is_profile: bool, dispatch: &Callback<ViewAction>) -> Html {
    let field = |threshold: &'static Threshold| {
        let (dispatch, config_now) = (dispatch.clone(), config.clone());
        let on_commit = Callback::from(move |input: HtmlInputElement| {
            let mut config = config_now.clone();
            threshold.set(&mut config, input.value_as_number() * threshold.unit());
            dispatch.emit(ViewAction::LeakThresholds(config));
            true
        });
        // Without the crumbs of the division.
        let shown = (threshold.get(config) / threshold.unit() * 100.0).round() / 100.0;
        html! {
            <label title={threshold.hint}>
                <span>{ threshold.title }</span>
                <TextField kind="number" max={(threshold.most / threshold.unit()).to_string()} name={threshold.key}
                    value={shown.to_string()} {on_commit} />
                <span class="leaks-unit">{ if threshold.is_share { "%" } else { "" } }</span>
                <small>{ threshold.hint }</small>
            </label>
        }
    };
    let is_default = *config == LeaksConfig::default();
    let reset = dispatch.reform(|_: MouseEvent| ViewAction::LeakThresholds(LeaksConfig::default()));
    html! {
        <details class="leaks-needs">
            <summary>{ "What a verdict needs" }{ if is_default { "" } else { " · changed" } }</summary>
            <div class="leaks-fields">{ for THRESHOLDS.iter().filter(|threshold| !is_profile || !threshold.is_of_samples()).map(field) }</div>
            if !is_default {
                <button class="button" onclick={reset}>{ "As usual" }</button>
            }
        </details>
    }
}

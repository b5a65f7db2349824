//! The thresholds behind the verdicts, as fields. A link carries those that are not as usual: `samples:10,sigmas:2`.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::format;
use crate::query::leaks::LeaksConfig;
use crate::ui::look::{Setting, Turn};

struct Need {
    key: &'static str,
    title: &'static str,
    hint: &'static str,
    /// Shares are shown as percent.
    is_share: bool,
    most: f64,
    field: fn(&mut LeaksConfig) -> Field<'_>,
}

enum Field<'a> {
    Count(&'a mut u64),
    Real(&'a mut f64),
}

const NEEDS: [Need; 9] = [
    Need {
        key: "trace",
        title: "samples of the trace",
        hint: "A trace with fewer carries no verdict at all",
        is_share: false,
        most: 1e9,
        field: |config| Field::Count(&mut config.min_trace_samples),
    },
    Need {
        key: "samples",
        title: "samples of a site",
        hint: "A site with fewer is never called bounded or a burst",
        is_share: false,
        most: 1e9,
        field: |config| Field::Count(&mut config.min_samples),
    },
    Need {
        key: "sigmas",
        title: "growth in standard errors",
        hint: "How far above 0 the growth must be: among a thousand sites, chance passes one at 3",
        is_share: false,
        most: 100.0,
        field: |config| Field::Real(&mut config.min_sigmas),
    },
    Need {
        key: "together",
        title: "the same, where its function grows",
        hint: "A site with few samples is judged with the function that it allocates for: if that grows as a whole, less is needed",
        is_share: false,
        most: 100.0,
        field: |config| Field::Real(&mut config.min_sigmas_together),
    },
    Need {
        key: "growth",
        title: "growth, of what is kept",
        hint: "A site that grew by less since the first quarter counts as level, however certain that is",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_growth),
    },
    Need {
        key: "steady",
        title: "rise of each quarter, of the mean",
        hint: "A leak goes on: every quarter since the first must rise by so much of the mean rise",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_steadiness),
    },
    Need {
        key: "old",
        title: "old survivors, of what steady growth leaves",
        hint: "So many must be older than such objects get; younger ones may still be collected",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.min_old_share),
    },
    Need {
        key: "early",
        title: "start-up, of the trace",
        hint: "What was allocated in this first part and kept is start-up",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.early),
    },
    Need {
        key: "short",
        title: "a burst, of the trace",
        hint: "What came within so short a part of it is a burst",
        is_share: true,
        most: 1.0,
        field: |config| Field::Real(&mut config.short),
    },
];

/// What cannot be read is left as usual.
pub fn config_of(word: &str) -> LeaksConfig {
    let mut config = LeaksConfig::default();
    for (key, value) in word.split(',').filter_map(|part| part.split_once(':')) {
        let need = NEEDS.iter().find(|need| need.key == key);
        if let (Some(need), Some(value)) = (need, format::read_decimal(value)) {
            need.set(&mut config, value);
        }
    }
    config
}

fn word_of(config: &LeaksConfig) -> String {
    let usual = LeaksConfig::default();
    let changed = NEEDS.iter().filter(|need| need.get(config) != need.get(&usual));
    changed.map(|need| format!("{}:{}", need.key, need.get(config))).collect::<Vec<_>>().join(",")
}

impl Need {
    fn get(&self, config: &LeaksConfig) -> f64 {
        match (self.field)(&mut config.clone()) {
            Field::Count(n) => *n as f64,
            Field::Real(value) => *value,
        }
    }

    fn set(&self, config: &mut LeaksConfig, value: f64) {
        if !value.is_finite() {
            return;
        }
        let value = value.clamp(0.0, self.most);
        match (self.field)(config) {
            Field::Count(n) => *n = value.round() as u64,
            Field::Real(real) => *real = value,
        }
    }

    /// What one unit of its field is worth.
    fn unit(&self) -> f64 {
        if self.is_share { 0.01 } else { 1.0 }
    }
}

pub fn fields(config: &LeaksConfig, turn: &Callback<Turn>) -> Html {
    let field = |need: &'static Need| {
        let (turn, config_now) = (turn.clone(), config.clone());
        let onchange = Callback::from(move |event: Event| {
            let typed = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value_as_number());
            let mut config = config_now.clone();
            need.set(&mut config, typed.unwrap_or(f64::NAN) * need.unit());
            turn.emit(Turn::Set(Setting::LeakThresholds, word_of(&config)));
        });
        // Without the crumbs of the division.
        let shown = (need.get(config) / need.unit() * 100.0).round() / 100.0;
        html! {
            <label title={need.hint}>
                <span>{ need.title }</span>
                <input type="number" min="0" max={(need.most / need.unit()).to_string()} step="any" name={need.key}
                    value={shown.to_string()} {onchange} />
                <span class="leaks-unit">{ if need.is_share { "%" } else { "" } }</span>
                <small>{ need.hint }</small>
            </label>
        }
    };
    let is_usual = *config == LeaksConfig::default();
    let reset = turn.reform(|_: MouseEvent| Turn::Set(Setting::LeakThresholds, String::new()));
    html! {
        <details class="leaks-needs">
            <summary>{ "What a verdict needs" }{ if is_usual { "" } else { " · changed" } }</summary>
            <div class="leaks-fields">{ for NEEDS.iter().map(field) }</div>
            if !is_usual {
                <button class="button" onclick={reset}>{ "As usual" }</button>
            }
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_the_thresholds_that_were_changed() {
        assert_eq!(word_of(&LeaksConfig::default()), "");
        let changed = LeaksConfig { min_samples: 10, min_sigmas: 2.5, early: 0.5, ..LeaksConfig::default() };
        assert_eq!(word_of(&changed), "samples:10,sigmas:2.5,early:0.5");
        assert_eq!(config_of(&word_of(&changed)), changed);
    }

    #[test]
    fn what_is_no_threshold_leaves_them_as_usual() {
        assert_eq!(config_of("colour:3,samples:x,sigmas:NaN,"), LeaksConfig::default());
        assert_eq!(config_of("early:7").early, 1.0);
    }
}

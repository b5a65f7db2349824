//! The popover that adds or edits a filter clause, with a preview of how much passes.

use std::rc::Rc;

use web_sys::{HtmlInputElement, InputEvent, SubmitEvent};
use yew::prelude::*;

use crate::ui::components::filter_bar::name_field::NameField;
use crate::ui::components::filter_bar::range::RangeSlider;
use crate::ui::components::popover::{Popover, focus};
use crate::ui::components::select::{SelectOption, prominent_select};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::draft::{ClauseKind, Draft, LiveTime};
use crate::ui::store::view::{Capabilities, Chip, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, View};
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::filter::{Clause, FrameField, Heap, SizeUnit, Span, WhichFrame};
use camlscope_engine::query::histogram::Of;
use camlscope_engine::query::tree::Grain;
use camlscope_view::page::components::filter_bar::shown_measure;

const HEAPS: [(Heap, &str); 4] = [
    (Heap::Minor, "minor heap only"),
    (Heap::Promoted, "promoted to the major heap"),
    (Heap::Major, "allocated in the major heap"),
    (Heap::External, "allocated outside the heap"),
];
const WHICH: [(WhichFrame, &str); 3] = [
    (WhichFrame::Any, "anywhere on the stack"),
    (WhichFrame::Allocating, "the allocating frame"),
    (WhichFrame::Responsible, "the allocating frame, ignoring library code"),
];

#[derive(Properties, PartialEq)]
pub struct EditorProps {
    pub draft: Draft,
    /// The index of the edited chip, or `None` for a new one.
    pub chip: Option<usize>,
    pub opener: NodeRef,
    pub on_close: Callback<()>,
}

#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let draft = use_state_eq(|| props.draft.clone());
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, units, .. } = use_workspace();
    let clause = draft.clause();
    let would_be = clause.as_ref().ok().map(|clause| with(&view_state, props.chip, clause).request(Question::Amounts));
    let query = use_query(would_be);
    let onsubmit = {
        let (clause, chip) = (clause.clone(), props.chip);
        let (opener, on_close) = (props.opener.clone(), props.on_close.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Ok(clause) = clause.clone() else { return };
            focus(&opener);
            on_close.emit(());
            dispatch.emit(match chip {
                Some(at) => ViewAction::SetChip(at, clause),
                None => ViewAction::AddClause(clause),
            });
        })
    };
    let word_bytes = u64::from(loaded.main.summary.info.word_size / 8).max(1);
    let fields = EditorFields { draft: &draft, capabilities, set: Callback::from(draft.setter()) };
    let preview = match (&clause, query.get::<Amounts>(), &query.error) {
        (Err(words), _, _) => words.clone(),
        (_, _, Some(error)) => format!("{} {}", error.text, error.advice),
        (Ok(_), Some(amounts), _) => match amounts.passing.samples {
            0 => "Matches nothing.".to_owned(),
            _ if !capabilities.has_samples => {
                format!("Matches {}.", shown_measure::amount(amounts.unit, amounts.passing.value, units))
            }
            n => format!(
                "Matches {}, {}.",
                shown_measure::amount(amounts.unit, amounts.passing.value, units),
                shown_measure::samples(n)
            ),
        },
        _ => "Counting…".to_owned(),
    };
    let is_wrong = clause.is_err() && !draft.is_blank() || query.error.is_some();
    let form = html! {
        <form class="editor" {onsubmit}>
            <h2>{ draft.kind.title(capabilities) }</h2>
            { fields.of_kind(&view_state, props.chip, word_bytes, &loaded.main.summary.domains) }
            <p class="editor-hint">{ draft.kind.hint(capabilities) }</p>
            <div class="editor-end">
                <p class={classes!("preview", is_wrong.then_some("preview-wrong"))} role="status">{ preview }</p>
                <button type="submit" class="button button-primary" disabled={clause.is_err()}>
                    { if props.chip.is_some() { "Apply" } else { "Add" } }
                </button>
            </div>
        </form>
    };
    let (opener, on_close) = (props.opener.clone(), props.on_close.clone());
    html! { <Popover label={draft.kind.title(capabilities)} role="dialog" {opener} {on_close} children={form} /> }
}

/// Returns the view with the clause applied.
fn with(view_state: &Rc<ViewState>, chip: Option<usize>, clause: &Clause) -> Rc<ViewState> {
    let dispatch = match chip {
        Some(at) => ViewAction::SetChip(at, clause.clone()),
        None => ViewAction::AddClause(clause.clone()),
    };
    Rc::clone(view_state).reduce(dispatch)
}

/// Returns the view with all the other clauses.
fn others(view_state: &ViewState, chip: Option<usize>, kind: ClauseKind) -> View {
    let is_other = |(at, chip_there): &(usize, &Chip)| {
        Some(*at) != chip && (chip.is_some() || Draft::of(&chip_there.clause).kind != kind)
    };
    let chips = view_state.chips.iter().enumerate().filter(is_other).map(|(_, chip)| chip.clone()).collect();
    ViewState { chips, ..view_state.clone() }.query_view()
}

struct EditorFields<'a> {
    draft: &'a Draft,
    capabilities: Capabilities,
    set: Callback<Draft>,
}

impl EditorFields<'_> {
    fn of_kind(&self, view_state: &ViewState, chip: Option<usize>, word_bytes: u64, domains: &[u16]) -> Html {
        let draft = self.draft;
        match draft.kind {
            ClauseKind::Size | ClauseKind::Lifetime => html! {
                <>
                    { self.slider(others(view_state, chip, draft.kind), word_bytes) }
                    { self.bounds() }
                </>
            },
            ClauseKind::Allocated | ClauseKind::LiveWithin | ClauseKind::LiveThrough => self.bounds(),
            ClauseKind::Collected => html! {
                <>
                    if !draft.never { { self.bounds() } }
                    { self.switch("never collected", draft.never, |draft, is_on| draft.never = is_on) }
                </>
            },
            ClauseKind::LiveAt => self.time(),
            ClauseKind::Temporary => self.text("within", &draft.at, "4MiB", |draft, text| draft.at = text),
            ClauseKind::Heap => html! {
                <div class="checks">{ for HEAPS.into_iter().map(|(heap, text)| {
                    self.switch(text, draft.heaps.contains(&heap), move |draft, is_on| {
                        toggle(&mut draft.heaps, heap, is_on);
                    })
                }) }</div>
            },
            ClauseKind::Domain => html! {
                <div class="checks checks-many">{ for domains.iter().copied().map(|id| {
                    self.switch(&id.to_string(), draft.domains.contains(&id), move |draft, is_on| {
                        toggle(&mut draft.domains, id, is_on);
                    })
                }) }</div>
            },
            ClauseKind::Frame => self.frame(),
            ClauseKind::Calls => html! {
                <>
                    { self.name("name", "Caller", FrameField::Function) }
                    <p class="editor-between">{ "calls" }</p>
                    { self.callee() }
                </>
            },
            ClauseKind::Hide | ClauseKind::Focus => self.name(
                "name",
                if self.capabilities.has_functions { "Function" } else { "Line" },
                FrameField::Function,
            ),
        }
    }

    fn changing<T: 'static>(&self, change: impl Fn(&mut Draft, T) + 'static) -> Callback<T> {
        let (draft, set) = (self.draft.clone(), self.set.clone());
        Callback::from(move |value: T| {
            let mut changed = draft.clone();
            change(&mut changed, value);
            set.emit(changed);
        })
    }

    fn text(
        &self,
        label: &'static str,
        value: &str,
        placeholder: &'static str,
        change: fn(&mut Draft, String),
    ) -> Html {
        let oninput = self.changing(move |draft, event: InputEvent| {
            change(draft, event.target_unchecked_into::<HtmlInputElement>().value());
        });
        let value = value.to_owned();
        html! {
            <label class="bound"><span>{ label }</span>
                <input class="field" autocomplete="off" spellcheck="false" {placeholder} {value} {oninput} />
            </label>
        }
    }

    fn switch(&self, text: &str, is_on: bool, change: impl Fn(&mut Draft, bool) + 'static) -> Html {
        let onchange = self.changing(move |draft, _: Event| change(draft, !is_on));
        html! {
            <label class="check"><input type="checkbox" checked={is_on} {onchange} /><span>{ text.to_owned() }</span></label>
        }
    }

    fn bounds(&self) -> Html {
        let (from, to) = match self.draft.kind {
            ClauseKind::Size => ("no limit", "no limit"),
            ClauseKind::Lifetime => ("no limit", "no limit"),
            _ => ("start", "end"),
        };
        html! {
            <div class="bounds">
                { self.text("from", &self.draft.from, from, |draft, text| draft.from = text) }
                { self.text("to", &self.draft.to, to, |draft, text| draft.to = text) }
            </div>
        }
    }

    fn slider(&self, view: View, word_bytes: u64) -> Html {
        let of = if self.draft.kind == ClauseKind::Size { Of::Size } else { Of::Lifetime };
        let mut span = self.draft.span();
        if let Ok(Clause::Size(_, SizeUnit::Bytes)) = self.draft.clause() {
            span = Span {
                from: span.from.map(|bytes| bytes.div_ceil(word_bytes)),
                to: span.to.map(|bytes| bytes / word_bytes),
            };
        }
        let on_change = self.changing(move |draft, span: Span| {
            let text = |bound: Option<u64>| {
                let only = bound.map(|bound| Span::new(bound, bound));
                only.map_or(String::new(), |only| match of {
                    Of::Size => bound.unwrap_or_default().to_string(),
                    Of::Lifetime => Draft::of(&Clause::Lifetime(only)).from,
                })
            };
            (draft.from, draft.to) = (text(span.from), text(span.to));
        });
        html! { <RangeSlider {of} {view} {span} {on_change} /> }
    }

    fn time(&self) -> Html {
        let radio = |time: LiveTime, text: &'static str| {
            let onchange = self.changing(move |draft, _: Event| draft.time = time);
            html! {
                <label class="check">
                    <input type="radio" name="time" checked={self.draft.time == time} {onchange} />
                    <span>{ text }</span>
                </label>
            }
        };
        html! {
            <div class="checks">
                { radio(LiveTime::Peak, "at the peak") }
                { radio(LiveTime::End, "at the end (never collected)") }
                { radio(LiveTime::At, "at a time") }
                if self.draft.time == LiveTime::At {
                    { self.text("time", &self.draft.at, "2.5s", |draft, text| draft.at = text) }
                }
            </div>
        }
    }

    fn frame(&self) -> Html {
        let line = self.capabilities.frame_noun(Grain::Function);
        let mut parts = vec![
            (FrameField::Function, SelectOption::new("function", line)),
            (FrameField::File, "file".into()),
            (FrameField::Module, "module".into()),
        ];
        // In a profile, lines take the place of functions.
        if self.capabilities.has_functions {
            parts.push((FrameField::Line, "line".into()));
        } else if self.draft.part == FrameField::Line {
            parts[0] = (FrameField::Line, "line".into());
        }
        let on_part = self.changing(Draft::set_part);
        let which = WHICH.map(|(which, text)| (which, text.into()));
        let on_which = self.changing(|draft, which| draft.which = which);
        html! {
            <>
                <div class="frame-part">{ prominent_select("Match on", parts, &self.draft.part, on_part) }</div>
                { self.name("name", "Name", self.draft.part) }
                <div class="frame-part">{ prominent_select("Frame position", which.into(), &self.draft.which, on_which) }</div>
                <div class="checks">
                    { self.switch("exclude matches", self.draft.not, |draft, is_on| draft.not = is_on) }
                </div>
            </>
        }
    }

    fn name(&self, id: &'static str, label: &'static str, part: FrameField) -> Html {
        let on_change = self.changing(|draft, name| draft.name = name);
        let test = self.draft.name.clone();
        html! { <NameField {id} {label} {part} {test} {on_change} is_first={true} /> }
    }

    fn callee(&self) -> Html {
        let on_change = self.changing(|draft, name| draft.callee = name);
        let test = self.draft.callee.clone();
        html! { <NameField id="callee" label="Callee" part={FrameField::Function} {test} {on_change} is_first={false} /> }
    }
}

fn toggle<T: PartialEq>(items: &mut Vec<T>, item: T, is_on: bool) {
    items.retain(|there| *there != item);
    if is_on {
        items.push(item);
    }
}

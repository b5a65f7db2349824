//! The window in which a clause is made or changed: the controls of its kind, and below them what it would leave.

use std::rc::Rc;

use web_sys::{HtmlInputElement, InputEvent, SubmitEvent};
use yew::prelude::*;

use crate::ui::components::filter_bar::draft::{Draft, Kind, Moment};
use crate::ui::components::filter_bar::name_field::NameField;
use crate::ui::components::filter_bar::range::Range;
use crate::ui::components::filter_bar::shown_measure;
use crate::ui::components::popover::{Popover, focus};
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::{Chip, ViewAction, ViewState};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::filter::{Clause, FrameField, Heap, SizeUnit, Span, WhichFrame};
use camlscope_engine::query::histogram::Of;

const HEAPS: [(Heap, &str); 4] = [
    (Heap::Minor, "never out of the minor heap"),
    (Heap::Promoted, "promoted to the major heap"),
    (Heap::Major, "allocated in the major heap"),
    (Heap::External, "allocated outside the heap"),
];
const PARTS: [(FrameField, &str); 3] =
    [(FrameField::Function, "function"), (FrameField::File, "file"), (FrameField::Module, "module")];
const WHICH: [(WhichFrame, &str); 3] = [
    (WhichFrame::Any, "anywhere in the stack"),
    (WhichFrame::Allocating, "only the frame that allocates"),
    (WhichFrame::Responsible, "the frame that allocates, library left out"),
];

#[derive(Properties, PartialEq)]
pub struct EditorProps {
    pub draft: Draft,
    /// Which chip is changed; none: a new one is made.
    pub chip: Option<usize>,
    pub opener: NodeRef,
    pub on_close: Callback<()>,
}

#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let draft = use_state_eq(|| props.draft.clone());
    let WorkspaceContext { view_state, dispatch, loaded, units, .. } = use_workspace();
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
    let fields = Fields {
        draft: &draft,
        is_profile: loaded.is_profile(),
        set: {
            let draft = draft.setter();
            Callback::from(move |changed: Draft| draft.set(changed))
        },
    };
    let preview = match (&clause, query.answer.as_deref(), &query.error) {
        (Err(words), _, _) => words.clone(),
        (_, _, Some(error)) => format!("{} {}", error.text, error.advice),
        (Ok(_), Some(Answer::Amounts(amounts)), _) => match amounts.passing.samples {
            0 => "Leaves nothing.".to_owned(),
            _ if loaded.is_profile() => {
                format!("Leaves {}.", shown_measure::amount(amounts.unit, amounts.passing.value, units))
            }
            n => format!(
                "Leaves {}, {}.",
                shown_measure::amount(amounts.unit, amounts.passing.value, units),
                shown_measure::samples(n)
            ),
        },
        _ => "Counting…".to_owned(),
    };
    let is_profile = loaded.is_profile();
    let is_wrong = clause.is_err() && !draft.is_blank() || query.error.is_some();
    let form = html! {
        <form class="editor" {onsubmit}>
            <h2>{ draft.kind.title(is_profile) }</h2>
            { fields.of_kind(&view_state, props.chip, word_bytes, &loaded.main.summary.domains) }
            <p class="editor-hint">{ draft.kind.hint(is_profile) }</p>
            <div class="editor-end">
                <p class={classes!("preview", is_wrong.then_some("preview-wrong"))} role="status">{ preview }</p>
                <button type="submit" class="button button-primary" disabled={clause.is_err()}>
                    { if props.chip.is_some() { "Apply" } else { "Add" } }
                </button>
            </div>
        </form>
    };
    let (opener, on_close) = (props.opener.clone(), props.on_close.clone());
    html! { <Popover label={draft.kind.title(is_profile)} role="dialog" {opener} {on_close} children={form} /> }
}

/// The look with the clause in it.
fn with(view_state: &Rc<ViewState>, chip: Option<usize>, clause: &Clause) -> Rc<ViewState> {
    let dispatch = match chip {
        Some(at) => ViewAction::SetChip(at, clause.clone()),
        None => ViewAction::AddClause(clause.clone()),
    };
    Rc::clone(view_state).reduce(dispatch)
}

/// All that passes the other clauses.
fn others(view_state: &ViewState, chip: Option<usize>, kind: Kind) -> View {
    let is_other = |(at, chip_there): &(usize, &Chip)| {
        Some(*at) != chip && (chip.is_some() || Draft::of(&chip_there.clause).kind != kind)
    };
    let chips = view_state.chips.iter().enumerate().filter(is_other).map(|(_, chip)| chip.clone()).collect();
    ViewState { chips, ..view_state.clone() }.query_view()
}

struct Fields<'a> {
    draft: &'a Draft,
    is_profile: bool,
    set: Callback<Draft>,
}

impl Fields<'_> {
    fn of_kind(&self, view_state: &ViewState, chip: Option<usize>, word_bytes: u64, domains: &[u16]) -> Html {
        let draft = self.draft;
        match draft.kind {
            Kind::Size | Kind::Lifetime => html! {
                <>
                    { self.slider(others(view_state, chip, draft.kind), word_bytes) }
                    { self.bounds() }
                </>
            },
            Kind::Allocated | Kind::LiveWithin | Kind::LiveThrough => self.bounds(),
            Kind::Collected => html! {
                <>
                    if !draft.never { { self.bounds() } }
                    { self.switch("never collected", draft.never, |draft, is_on| draft.never = is_on) }
                </>
            },
            Kind::LiveAt => self.moment(),
            Kind::Heap => html! {
                <div class="checks">{ for HEAPS.into_iter().map(|(heap, text)| {
                    self.switch(text, draft.heaps.contains(&heap), move |draft, is_on| {
                        toggle(&mut draft.heaps, heap, is_on);
                    })
                }) }</div>
            },
            Kind::Domain => html! {
                <div class="checks checks-many">{ for domains.iter().copied().map(|id| {
                    self.switch(&id.to_string(), draft.domains.contains(&id), move |draft, is_on| {
                        toggle(&mut draft.domains, id, is_on);
                    })
                }) }</div>
            },
            Kind::Frame => self.frame(),
            Kind::Calls => html! {
                <>
                    { self.name("name", "Caller", FrameField::Function) }
                    <p class="editor-between">{ "calls" }</p>
                    { self.callee() }
                </>
            },
            Kind::Hide | Kind::Focus => {
                self.name("name", if self.is_profile { "Line" } else { "Function" }, FrameField::Function)
            }
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
            let typed = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value());
            change(draft, typed.unwrap_or_default());
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
            Kind::Size => ("any size", "any size"),
            Kind::Lifetime => ("any time", "any time"),
            _ => ("the start", "the end"),
        };
        html! {
            <div class="bounds">
                { self.text("from", &self.draft.from, from, |draft, text| draft.from = text) }
                { self.text("to", &self.draft.to, to, |draft, text| draft.to = text) }
            </div>
        }
    }

    fn slider(&self, view: View, word_bytes: u64) -> Html {
        let of = if self.draft.kind == Kind::Size { Of::Size } else { Of::Lifetime };
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
        html! { <Range {of} {view} {span} {on_change} /> }
    }

    fn moment(&self) -> Html {
        let radio = |moment: Moment, text: &'static str| {
            let onchange = self.changing(move |draft, _: Event| draft.moment = moment);
            html! {
                <label class="check">
                    <input type="radio" name="moment" checked={self.draft.moment == moment} {onchange} />
                    <span>{ text }</span>
                </label>
            }
        };
        html! {
            <div class="checks">
                { radio(Moment::Peak, "at the peak") }
                { radio(Moment::End, "at the end: never collected") }
                { radio(Moment::At, "at a time") }
                if self.draft.moment == Moment::At {
                    { self.text("time", &self.draft.at, "2.5s", |draft, text| draft.at = text) }
                }
            </div>
        }
    }

    fn frame(&self) -> Html {
        let chosen = PARTS.iter().position(|part| part.0 == self.draft.part).unwrap_or_default();
        let on_select = self.changing(|draft, at: usize| draft.part = PARTS[at].0);
        let text = |&(part, text): &(FrameField, &'static str)| match part {
            FrameField::Function if self.is_profile => SelectOption::new(text, "line"),
            _ => text.into(),
        };
        let options: Vec<SelectOption> = PARTS.iter().map(text).collect();
        let which = WHICH.iter().position(|(which, _)| *which == self.draft.which).unwrap_or_default();
        let which_options: Vec<SelectOption> = WHICH.iter().map(|&(_, text)| text.into()).collect();
        let on_which = self.changing(|draft, at: usize| draft.which = WHICH[at].0);
        html! {
            <>
                <div class="frame-part"><Select label="What of a frame" {options} selected={chosen} {on_select} is_prominent=true /></div>
                { self.name("name", "Name", self.draft.part) }
                <div class="frame-part"><Select label="Which frame" options={which_options} selected={which} on_select={on_which} is_prominent=true /></div>
                <div class="checks">
                    { self.switch("not: keep the others", self.draft.not, |draft, is_on| draft.not = is_on) }
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

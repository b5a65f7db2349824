//! The side panel: all about the selected function, next to whichever view it was selected in.
//!
//! Each place has its room before its answer comes, and the two lists at the end come together, so nothing moves under
//! the reader's pointer. Another selection is another [`Selected`]: no figure of the last one ever stands under its name.

mod figures;
mod neighbours;
mod pictures;
mod subject;
mod verdict;

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use self::subject::Subject;
use crate::layout::names;
use crate::protocol::{Answer, Channel, Question, Request, View};
use crate::query::findings;
use crate::query::flame::{BranchConfig, Branches, Direction, Spot};
use crate::query::histogram::{Bins, Counted, Histogram, HistogramConfig, Of};
use crate::query::leaks::LeaksConfig;
use crate::query::measure::Measure;
use crate::query::table::{Column, Order, Row, TableConfig};
use crate::query::timeline::TimelineConfig;
use crate::query::tree::{Grain, Label};
use crate::ui::asking::{Asked, use_answer};
use crate::ui::effect::use_effect_with;
use crate::ui::look::{Look, Tab, Turn};
use crate::ui::piece::{Piece, piece};
use crate::ui::views::table::{in_bytes, label_of, place_of};
use crate::ui::workspace::{Work, use_work};

const ROW: Channel = Channel(30);
const CURVE: Channel = Channel(31);
const LIFETIMES: Channel = Channel(32);
const VERDICT: Channel = Channel(33);
const CALLERS: Channel = Channel(34);
const CALLEES: Channel = Channel(35);
const SIZES: Channel = Channel(36);

/// So many callers and callees are shown.
const TOP: usize = 8;
/// The row is looked for among so many that contain its name.
const MAX_ALIKE: usize = 5_000;
/// More than the panel has pixels would not be seen.
const CURVE_STEPS: usize = 134;

#[derive(PartialEq)]
pub struct Panel;

piece!(Panel, use_panel());

#[hook]
fn use_panel() -> Html {
    let work = use_work();
    let node = use_node_ref();
    // Another selection is read from its name on.
    use_effect_with(work.as_ref().and_then(|work| work.look.selected.clone()), {
        let node = node.clone();
        move |_| {
            if let Some(panel) = node.cast::<Element>() {
                panel.set_scroll_top(0);
            }
        }
    });
    let Some(work) = work else {
        return Html::default();
    };
    let body = match work.look.selected.clone() {
        None => html! {
            <div class="panel-none">
                <h2>{ "Nothing is selected" }</h2>
                <p>{ "Click a box of the flame graph, a row of the table or a name that a bar is read with to see here what \
                      goes through that function: how much, since when, for how long, and who calls it." }</p>
                <p>{ "By keyboard: arrow keys walk both, and " }<kbd>{ "Space" }</kbd>{ " selects." }</p>
            </div>
        },
        Some(label) => {
            let key = format!("{}@{}", label.name, place_of(&label));
            Selected { work, label }.show_as(key)
        }
    };
    html! { <aside class="panel" ref={node} aria-label="Selection">{ body }</aside> }
}

#[derive(PartialEq)]
struct Selected {
    work: Work,
    label: Label,
}

piece!(Selected, use_selected);

#[hook]
fn use_selected(props: &Selected) -> Html {
    let Selected { work: Work { look, turn, loaded, .. }, label } = props;
    let subject = Subject::new(label, look.grain);
    let questions = Questions { look, subject: &subject, end_us: loaded.main.summary.end_us };
    let row = use_answer(ROW, Some(questions.row()));
    let curve = use_answer(CURVE, Some(questions.curve()));
    let lifetimes = use_answer(LIFETIMES, Some(questions.histogram(Of::Lifetime, Bins::Log10)));
    let sizes = use_answer(SIZES, Some(questions.histogram(Of::Size, Bins::Log2)));
    let verdict = use_answer(VERDICT, questions.verdict());
    let callers = use_answer(CALLERS, Some(questions.branches(Direction::Callers(label.clone()))));
    let callees = use_answer(CALLEES, Some(questions.branches(Direction::Callees(label.clone()))));
    // Both lists change at once, so that the second does not jump when the first comes.
    let lists = use_state(|| None::<(Asked, Asked)>);
    use_effect_with((callers, callees), {
        let lists = lists.setter();
        move |(callers, callees)| {
            let is_whole = |asked: &Asked| !asked.is_waiting && (asked.answer.is_some() || asked.error.is_some());
            if is_whole(callers) && is_whole(callees) {
                lists.set(Some((callers.clone(), callees.clone())));
            }
        }
    });

    let (found, all_bytes) = match row.answer.as_deref() {
        Some(Answer::Table(table)) => (table.rows.iter().find(|row| label_of(row) == *label), table.all_bytes),
        _ => (None, 0.0),
    };
    let is_gone = found.is_none() && !row.is_waiting && (row.answer.is_some() || row.error.is_some());
    let timeline = match curve.answer.as_deref() {
        Some(Answer::Timeline(timeline)) => Some(timeline),
        _ => None,
    };
    let clear = turn.reform(|_: MouseEvent| Turn::Select(None));
    html! {
        <>
            <div class="panel-head">
                <h2 class="panel-name" title={label.name.clone()} data-figure="selected.name"
                    data-value={label.name.clone()}>{ names::plain(&label.name) }</h2>
                <button class="quiet panel-close" onclick={clear} aria-label="Unselect" title="Unselect">{ "×" }</button>
            </div>
            <p class="panel-file" title={place_of(label)}>{ file_of(label, subject.grain) }</p>
            { verdict::line(&subject, &verdict, found) }
            { actions(&subject, look, turn) }
            if is_gone {
                <p class="panel-gone">{ gone(look) }</p>
            }
            { figures::list(found, all_bytes, look.measure) }
            { pictures::curve(timeline) }
            { pictures::lifetimes(histogram(&lifetimes)) }
            { pictures::sizes(histogram(&sizes)) }
            { neighbours::lists(lists.as_ref().map(|(callers, callees)| (branches(callers), branches(callees))), turn) }
        </>
    }
}

/// What is asked about a selection.
struct Questions<'a> {
    look: &'a Look,
    subject: &'a Subject,
    end_us: u64,
}

impl Questions<'_> {
    fn view(&self) -> View {
        View { grain: self.subject.grain, ..self.look.view() }
    }

    /// All objects through the function, whatever the measure: a moving moment need not ask again.
    fn view_through(&self) -> View {
        let mut view = View { measure: Measure::Allocated, ..self.view() };
        view.filter.clauses.push(self.subject.clause());
        view
    }

    fn row(&self) -> Request {
        let config = TableConfig {
            order: Order { column: Column::Name, descending: false },
            search: self.subject.label.name.clone(),
            rows: 0..MAX_ALIKE,
        };
        Request { view: self.view(), question: Question::Table(config) }
    }

    fn curve(&self) -> Request {
        let config = TimelineConfig { from_us: 0, to_us: self.end_us, n_steps: CURVE_STEPS, by: None, top: 0 };
        Request { view: self.view_through(), question: Question::Timeline(config) }
    }

    fn histogram(&self, of: Of, bins: Bins) -> Request {
        let config = HistogramConfig { of, bins, split: None, weight: Counted::Bytes };
        Request { view: self.view_through(), question: Question::Histogram(config) }
    }

    /// Of the program's functions only: what the library allocates counts for whoever called it.
    fn verdict(&self) -> Option<Request> {
        if !self.subject.can_be_judged() {
            return None;
        }
        let mut view = View { measure: Measure::Allocated, grain: Grain::Function, ..self.look.view() };
        view.filter.clauses.push(findings::library());
        Some(Request { view, question: Question::Leaks(LeaksConfig::default()) })
    }

    fn branches(&self, direction: Direction) -> Request {
        let mut view = self.view();
        view.measure = in_bytes(view.measure);
        let config = BranchConfig { direction, parent: Spot::Top, rows: 0..TOP };
        Request { view, question: Question::Branches(config) }
    }
}

fn histogram(asked: &Asked) -> Option<&Histogram> {
    match asked.answer.as_deref() {
        Some(Answer::Histogram(histogram)) => Some(histogram),
        _ => None,
    }
}

fn branches(asked: &Asked) -> Option<&Branches> {
    match asked.answer.as_deref() {
        Some(Answer::Branches(branches)) => Some(branches),
        _ => None,
    }
}

fn file_of(label: &Label, grain: Grain) -> String {
    match (label.place, grain) {
        (None, Grain::File) => "a file".to_owned(),
        (None, Grain::Module) => "a module".to_owned(),
        (None, _) if label.file.is_empty() => "no source is known".to_owned(),
        _ => names::place(label),
    }
}

fn gone(look: &Look) -> &'static str {
    if look.chips.iter().any(|chip| chip.is_on) {
        "Nothing of it passes the filter and counts for this measure: take a clause away, or choose another measure."
    } else {
        "Nothing of it counts for this measure: choose another one, such as all that was allocated."
    }
}

fn actions(subject: &Subject, look: &Rc<Look>, turn: &Callback<Turn>) -> Html {
    let button = |words: &'static str, title: &'static str, deeds: Option<Vec<Turn>>| {
        let disabled = deeds.is_none();
        let turn = turn.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            for deed in deeds.iter().flatten() {
                turn.emit(deed.clone());
            }
        });
        html! { <button class="quiet" {title} {disabled} {onclick}>{ words }</button> }
    };
    let mut sandwich = vec![Turn::Direction(Direction::Callees(subject.label.clone())), Turn::Tab(Tab::Flame)];
    if look.grain != subject.grain {
        sandwich.insert(0, Turn::Grain(subject.grain));
    }
    html! {
        <div class="panel-actions" role="group" aria-label="Do">
            { button("Focus", "Keep only stacks through it, rooted at it", subject.focus().map(|clause| vec![Turn::AddClause(clause)])) }
            { button("Callers and callees", "Show it between its callers and its callees", Some(sandwich)) }
            { button("Hide", "Count its bytes for its callers", subject.hide().map(|clause| vec![Turn::AddClause(clause)])) }
            { button("Filter", "Keep only objects with it in their stack", Some(vec![Turn::AddClause(subject.clause())])) }
        </div>
    }
}

/// A figure that is not known yet.
fn dash() -> String {
    "–".to_owned()
}

/// A share of a row's total.
fn share_of(row: &Row, part: f64) -> f64 {
    if row.total_bytes > 0.0 { part / row.total_bytes } else { 0.0 }
}

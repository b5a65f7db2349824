//! The flame graph: a canvas for the eye and the pointer, a tree for the keyboard and for screen readers, and one scene
//! behind both. Zoomed-to frames, direction, search and selection are in the look; how far the reader has scrolled is not.

mod controls;
mod drawing;
mod empty;
mod keys;
mod menu;
mod minimap;
mod mirror;
mod pointer;
mod scene;
mod search;
mod shapes;
mod source;
mod tooltip;
mod words;

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use self::drawing::use_drawing;
use self::menu::Menu;
use self::mirror::Mirror;
use self::pointer::Hand;
use self::scene::{Act, Half, Hit, Local, Scene};
use self::search::{Search, search};
use self::source::SourceForm;
use self::tooltip::Tooltip;
use crate::layout::draw::Op;
use crate::layout::flame::outline;
use crate::protocol::{Answer, Channel, Question};
use crate::query::flame::Found;
use crate::query::tree::Label;
use crate::ui::asking::{Asked, use_answer};
use crate::ui::canvas::Canvas;
use crate::ui::effect::use_effect_with;
use crate::ui::parts::reading::{QUESTION, reading};
use crate::ui::piece::{Piece, piece};
use crate::ui::shortcuts::on_key;
use crate::ui::size::use_size;
use crate::ui::theme::Theme;
use crate::ui::workspace::{Work, use_work};

const LOWER: Channel = Channel(10);
const UPPER: Channel = Channel(11);
const FIND: Channel = Channel(15);
const WHOLE: Channel = Channel(14);
/// How long a notice stays.
const SAID_MS: u32 = 4000;

#[derive(PartialEq)]
pub struct FlameView;

piece!(FlameView, use_flame_view());

#[hook]
fn use_flame_view() -> Html {
    match use_work() {
        Some(work) => Graph { work }.show(),
        None => Html::default(),
    }
}

#[derive(PartialEq)]
struct Graph {
    work: Work,
}

piece!(Graph, use_graph);

#[hook]
fn use_graph(props: &Graph) -> Html {
    let Graph { work } = props;
    let (stage_ref, tree_ref) = (use_node_ref(), use_node_ref());
    let (canvas_ref, outline_ref) = (use_node_ref(), use_node_ref());
    let size = use_size(&stage_ref);
    let local = use_reducer_eq(Local::default);
    let colors = use_state_eq(controls::remembered_colors);
    let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
    let mut scene = Scene {
        work: work.clone(),
        size: size.unwrap_or_default(),
        ratio,
        lower: None,
        upper: None,
        local: Rc::new((*local).clone()),
    };
    let question = |half| size.and_then(|_| scene.question(half));
    let lower = use_answer(LOWER, question(Half::Lower));
    let upper = use_answer(UPPER, question(Half::Upper));
    let whole = use_answer(WHOLE, size.and_then(|_| minimap::question(&scene)));
    let test = search::test(&work.look.search);
    let find = use_answer(FIND, test.map(|test| work.look.ask(Question::Find(test))));
    scene.lower = lower.answer.clone();
    scene.upper = upper.answer.clone();

    let act = Callback::from({
        let dispatcher = local.dispatcher();
        move |act: Act| dispatcher.dispatch(act)
    });
    let hand = Hand {
        now: use_mut_ref(|| None::<Scene>),
        act: act.clone(),
        turn: work.turn.clone(),
        stage: canvas_ref.clone(),
        tree: tree_ref,
        drag: use_mut_ref(|| None),
    };
    *hand.now.borrow_mut() = Some(scene.clone());
    use_keys(&hand);
    use_silence(&hand, &local.said);
    let found = found_in(&find);
    use_drawing(&canvas_ref, &scene, found.clone(), *colors);
    use_outline(&outline_ref, &scene);

    let steps = found.as_ref().map_or_else(Vec::new, |found| matches(&scene, found));
    let cursor_hit = scene.cursor_hit();
    let at = steps.iter().position(|hit| Some(*hit) == cursor_hit).map(|at| (at + 1, steps.len()));
    let on_step = step(&hand, steps, cursor_hit);
    let on_leave = {
        let hand = hand.clone();
        Callback::from(move |()| hand.take_focus())
    };
    let on_form_close = {
        let hand = hand.clone();
        Callback::from(move |()| {
            hand.act.emit(Act::SourceForm(None));
            hand.take_focus();
        })
    };
    let (text, turn) = (&work.look.search, &work.turn);
    let search = search(Search { text, asked: &find, found: found.as_ref(), at, turn, on_step, on_leave });
    let onfocusout = act.reform(|_: FocusEvent| Act::Rest);
    let sandwich_of = work.look.selected.clone().or_else(|| widest(&scene));
    let (tip_hit, tip_x, tip_y) = tip(&scene, &canvas_ref);
    let small = match whole.answer.as_deref() {
        Some(Answer::Flame(whole)) => minimap::minimap(&scene, &hand, whole),
        _ => Html::default(),
    };
    html! {
        <div class="flame" {onfocusout}>
            <div class="flame-bar">
                { search }
                { controls::ways(&work.look, &work.turn, sandwich_of, &colors) }
            </div>
            <div class="flame-where">
                { controls::crumbs(&scene, &work.turn) }
                { controls::nearness(&scene, &hand) }
            </div>
            { progress(&lower, &upper) }
            <div ref={stage_ref} class="flame-stage">
                <canvas ref={&canvas_ref} class="flame-canvas" aria-hidden="true"
                    onpointerdown={on(&hand, Hand::down)} onpointermove={on(&hand, Hand::moved)}
                    onpointerup={on(&hand, Hand::up)} onpointercancel={on(&hand, |hand, _: &PointerEvent| hand.give_up())}
                    onpointerleave={on(&hand, |hand, _: &PointerEvent| hand.leave())}
                    ondblclick={on(&hand, Hand::double_click)} oncontextmenu={on(&hand, Hand::menu)}
                    onwheel={on(&hand, Hand::wheel)} />
                <canvas ref={outline_ref} class="flame-outline" aria-hidden="true" />
                { Mirror { scene: scene.clone(), hand: hand.clone() }.show() }
                { instead(&scene, &lower, size.is_some()) }
                { small }
            </div>
            { reading(QUESTION, shapes::SUMMARY, &shapes::SHAPES) }
            { Tooltip { scene: scene.clone(), hit: tip_hit, x: tip_x, y: tip_y }.show() }
            if let Some(at) = local.menu.clone() {
                { Menu { scene, hand, at }.show() }
            }
            if let Some(label) = local.source_form.clone() {
                { SourceForm { label, on_close: on_form_close }.show() }
            }
            <p class="flame-said" role="status">{ local.said.clone() }</p>
        </div>
    }
}

fn on<E>(hand: &Hand, then: impl Fn(&Hand, &E) + 'static) -> Callback<E> {
    let hand = hand.clone();
    Callback::from(move |event: E| then(&hand, &event))
}

/// What stands there when no picture does.
fn instead(scene: &Scene, lower: &Asked, is_laid_out: bool) -> Html {
    if let Some(error) = &lower.error {
        return empty::failed(error, &scene.work.look, &scene.work.turn);
    }
    match scene.flame(Half::Lower) {
        Some(picture) if picture.total <= 0.0 && !lower.is_waiting => empty::NothingLeft.show(),
        Some(_) => Html::default(),
        None if is_laid_out => html! { <p class="flame-waiting" role="status">{ "Counting stacks…" }</p> },
        None => Html::default(),
    }
}

/// A thin line, once an answer takes a while.
fn progress(lower: &Asked, upper: &Asked) -> Html {
    let working = lower.working.or(upper.working).filter(|_| lower.is_waiting || upper.is_waiting);
    html! {
        <div class="flame-progress">
            if let Some(share) = working {
                <progress value={share.to_string()} aria-label="Counting stacks" />
            }
        </div>
    }
}

fn found_in(asked: &Asked) -> Option<Found> {
    match asked.answer.as_deref() {
        Some(Answer::Find(found)) => Some(found.clone()),
        _ => None,
    }
}

/// All boxes of the picture that a search found, from its top.
fn matches(scene: &Scene, found: &Found) -> Vec<Hit> {
    let of_half = |half: Half| {
        let picture = scene.flame(half);
        let boxes =
            picture.into_iter().flat_map(|picture| picture.boxes.iter().map(move |of| (picture, of))).enumerate();
        boxes.filter_map(move |(place, (picture, of))| {
            let key = picture.names.get(of.name as usize)?.key;
            let is_found = of.n_merged == 0 && found.keys.binary_search(&key).is_ok();
            is_found.then_some(Hit { half, place })
        })
    };
    of_half(Half::Lower).chain(of_half(Half::Upper)).collect()
}

/// To the next match, or the one before.
fn step(hand: &Hand, steps: Vec<Hit>, from: Option<Hit>) -> Callback<bool> {
    let hand = hand.clone();
    Callback::from(move |is_forward: bool| {
        let Some(scene) = hand.scene().filter(|_| !steps.is_empty()) else { return };
        let n = steps.len();
        let next = match steps.iter().position(|hit| Some(*hit) == from) {
            Some(at) if is_forward => (at + 1) % n,
            Some(at) => (at + n - 1) % n,
            None if is_forward => 0,
            None => n - 1,
        };
        let hit = steps[next];
        let cursor = scene.cursor_at(hit.half, scene.path_to(hit));
        hand.act.emit(Act::Cursor { cursor, by_keyboard: true });
        scene.reveal(hit).into_iter().for_each(|act| hand.act.emit(act));
    })
}

/// The widest frame below the top: what callers and callees are shown of where nothing is selected.
fn widest(scene: &Scene) -> Option<Label> {
    let picture = scene.flame(Half::Lower)?;
    let of = picture.boxes.iter().find(|of| of.depth == 1 && of.n_merged == 0)?;
    picture.names.get(of.name as usize).map(|name| name.label.clone())
}

/// What the tooltip is about, and where it stands: beside the pointer, or below the box that the keyboard is at.
fn tip(scene: &Scene, stage: &NodeRef) -> (Option<Hit>, f64, f64) {
    let local = &scene.local;
    if local.menu.is_some() || local.source_form.is_some() {
        return (None, 0.0, 0.0);
    }
    if let Some((hit, pointer)) = scene.hovered().zip(local.hover) {
        return (Some(hit), pointer.client.0, pointer.client.1);
    }
    let by_keyboard = scene.cursor_hit().filter(|_| local.by_keyboard).and_then(|hit| {
        let area = scene.stage(hit.half)?.area(scene.box_of(hit)?)?;
        let stage = stage.cast::<web_sys::Element>()?.get_bounding_client_rect();
        Some((Some(hit), stage.left() + area.x, stage.top() + area.y + area.h - 8.0))
    });
    by_keyboard.unwrap_or((None, 0.0, 0.0))
}

#[hook]
fn use_keys(hand: &Hand) {
    let hand = hand.clone();
    use_effect_with((), move |()| {
        let listener = on_key(move |event| keys::pressed(&hand, event));
        move || drop(listener)
    });
}

/// What was said goes after a while.
#[hook]
fn use_silence(hand: &Hand, said: &str) {
    let act = hand.act.clone();
    use_effect_with(said.to_owned(), move |said| {
        let timeout = (!said.is_empty()).then(|| Timeout::new(SAID_MS, move || act.emit(Act::Say(String::new()))));
        move || drop(timeout)
    });
}

/// What pointer and keyboard are at, on a canvas of its own.
#[hook]
fn use_outline(canvas_ref: &NodeRef, scene: &Scene) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let outline = |half: Half| {
        let place = |hit: Option<Hit>| hit.filter(|hit| hit.half == half).map(|hit| hit.place);
        let cursor = scene.cursor_hit().filter(|_| scene.local.cursor.is_some());
        let (picture, stage) = (scene.flame(half)?, scene.stage(half)?);
        Some(outline(picture, &stage, place(scene.hovered()), place(cursor)))
    };
    let ops: Vec<Op> = [Half::Lower, Half::Upper].into_iter().filter_map(outline).flatten().collect();
    let canvas_ref = canvas_ref.clone();
    use_effect_with((ops, scene.size, theme), move |(ops, size, _)| {
        if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
            canvas.draw(ops);
        }
    });
}

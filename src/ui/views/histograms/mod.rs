//! How large blocks are and how long they live: as bars, or both at once as a heat map. What is pointed at is read out, a
//! click filters, and every picture has a table behind it.

mod bars;
mod behind;
mod choice;
mod hand;
mod heat_map;
mod narrow;
mod readout;
mod shapes;
mod stats;

use yew::prelude::*;

use self::bars::Bars;
use self::choice::{Chosen, Kind};
use self::heat_map::HeatMap;
use crate::ui::piece::{Piece, piece};
use crate::ui::workspace::use_work;

#[derive(PartialEq)]
pub struct HistogramsView;

piece!(HistogramsView, use_histograms_view());

#[hook]
fn use_histograms_view() -> Html {
    let Some(work) = use_work() else {
        return Html::default();
    };
    let chosen = Chosen::of(&work.look.settings);
    let controls = choice::controls(chosen, &work.turn);
    let reading = shapes::reading_of(chosen.kind);
    let body = match chosen.kind {
        Kind::Sizes | Kind::Lifetimes => Bars { work, chosen }.show_as(chosen.kind.word()),
        Kind::SizeAndLifetime | Kind::TimeAndLifetime => HeatMap { work, chosen }.show_as(chosen.kind.word()),
    };
    html! { <div class="histograms">{ controls }{ body }{ reading }</div> }
}

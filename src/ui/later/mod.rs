//! The page's second module: everything that isn't needed to draw the page. It is fetched in the background once the page
//! works. [`contents`] lists what is in it.

pub mod contents;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::SplitLoaderError;
use yew::prelude::*;

use crate::ui::commands::export::{Exported, Saving};
use crate::ui::components::palette::PaletteProps;
use crate::ui::components::share_menu::Share;
use crate::ui::platform::source_folder::DroppedFolder;
use crate::ui::store::Action;
use crate::ui::store::view::draft::Draft;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use camlscope_present::export::Notes;

/// The functions of the second module.
#[derive(Debug)]
pub struct Later {
    /// Draws a tab other than the summary.
    pub(crate) view: fn(Tab) -> Html,
    /// Draws the button that explains the open tab.
    pub(crate) explanation: fn(&ViewState, Capabilities) -> Html,
    /// Draws the panel next to a view.
    pub(crate) panel: fn() -> Html,
    /// Draws the editor of a new filter clause, or of the clause of a chip. The node is the element that opened it.
    pub(crate) clause_editor: fn(Draft, Option<usize>, NodeRef, Callback<()>) -> Html,
    pub(crate) notes_form: fn(Rc<Notes>, Callback<Action>) -> Html,
    /// Draws the editor of a note on the timeline: its time, its text, its time in words, the element next to it.
    pub(crate) pin_editor: fn(u64, String, String, NodeRef, Callback<ViewAction>) -> Html,
    /// Sends figures by line of these files to the host.
    pub(crate) annotations: fn(Rc<[String]>) -> Html,
    pub(crate) palette: fn(PaletteProps) -> Html,
    /// Lists the keyboard shortcuts, including those for views of individual objects if there are any.
    pub(crate) shortcuts: fn(bool) -> Html,
    /// Exports, or saves a report with sources.
    pub(crate) share: fn(Share, &Exported, Saving),
    /// Says which sources a report will include. The callbacks save it and close the dialog.
    pub(crate) source_report: fn(Callback<Share>, Callback<()>) -> Html,
    /// Uses a dropped folder as the program's source code.
    pub(crate) open_folder: fn(DroppedFolder, Callback<Action>),
}

/// There is only one.
impl PartialEq for Later {
    fn eq(&self, _: &Later) -> bool {
        true
    }
}

/// The module couldn't be fetched or compiled.
#[derive(Clone, Copy, Debug)]
pub struct NotFetched;

impl From<SplitLoaderError> for NotFetched {
    fn from(_: SplitLoaderError) -> NotFetched {
        NotFetched
    }
}

/// Fetches the module. Resolves at once if it is already loaded.
pub type Fetch = fn() -> Pin<Box<dyn Future<Output = Result<&'static Later, NotFetched>>>>;

/// Whether the module is loaded.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    Coming,
    There(&'static Later),
    /// The callback tries again.
    Failed(Callback<MouseEvent>),
}

impl Arrival {
    pub fn module(&self) -> Option<&'static Later> {
        match self {
            Arrival::There(later) => Some(later),
            Arrival::Coming | Arrival::Failed(_) => None,
        }
    }

    /// Draws with the module, or shows that it is loading or has failed.
    pub fn draw(&self, draw: impl FnOnce(&Later) -> Html) -> Html {
        match self {
            Arrival::There(later) => draw(later),
            Arrival::Coming => {
                html! { <p class="coming" role="status" aria-busy="true">{ "Loading…" }</p> }
            }
            Arrival::Failed(try_again) => html! {
                <div class="coming" role="alert">
                    <p>{ "Part of the page didn't load. Check your connection and try again, or reload the page." }</p>
                    <button type="button" class="button" onclick={try_again}>{ "Try again" }</button>
                </div>
            },
        }
    }
}

/// Fetches the module when the page `is_idle`.
#[hook]
pub fn use_later(fetch: Fetch, is_idle: bool) -> Arrival {
    let arrival = use_state_eq(|| Arrival::Coming);
    use_effect_with(is_idle, {
        let arrival = arrival.setter();
        move |is_idle| {
            if *is_idle {
                get(fetch, arrival);
            }
        }
    });
    (*arrival).clone()
}

fn get(fetch: Fetch, arrival: UseStateSetter<Arrival>) {
    spawn_local(async move {
        let outcome = fetch().await;
        let try_again = {
            let arrival = arrival.clone();
            Callback::from(move |_: MouseEvent| {
                arrival.set(Arrival::Coming);
                get(fetch, arrival.clone());
            })
        };
        arrival.set(outcome.map_or(Arrival::Failed(try_again), Arrival::There));
    });
}

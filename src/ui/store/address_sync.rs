//! Synchronizes the URL with the view.

use std::mem;

use yew::prelude::*;

use super::view::ViewState;
use super::{Action, Store};
use crate::ui::platform::address;
use camlscope_view::page::store::trace_id::TraceId;

/// Writes the URL when the view changes, and dispatches [`Action::Navigated`] when the URL changes. A change that the
/// user may want to undo with the back button gets its own history entry.
#[hook]
pub fn use_address_sync(state: &UseReducerHandle<Store>) {
    let written = use_mut_ref(|| (state.to_hash(), state.n_steps, state.n_navigations));
    let trace = state.trace_id();
    use_effect_with((state.to_hash(), state.n_steps, state.n_navigations), move |now| {
        let (hash, n_steps, n_navigations) = mem::replace(&mut *written.borrow_mut(), now.clone());
        // If the view came from the URL, there is nothing to write, unless the URL names another trace or none.
        let is_from_address = n_navigations != now.2 && TraceId::from_hash(&address::hash()) == trace;
        if !is_from_address && hash != now.0 {
            address::write(now.0.clone(), n_steps != now.1);
        }
    });
    let dispatcher = state.dispatcher();
    use_effect_with((), move |()| {
        let listeners = address::on_navigation(move |hash| {
            let view = Box::new(ViewState::from_hash(hash));
            dispatcher.dispatch(Action::Navigated { view, trace: TraceId::from_hash(hash) });
        });
        move || drop(listeners)
    });
}

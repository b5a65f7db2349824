//! Queries the callers and callees below expanded rows.

use yew::prelude::*;

use crate::ui::query::use_channel;
use crate::ui::views::table::rows::TableQuery;
use crate::ui::yew_reducer::YewReducer;
use camlscope_view::page::query::event::QueryEvent;
use camlscope_view::page::views::table::open_rows::{OpenRows, OpenRowsAction};

/// Queries one level after the other, and collapses all rows when the table changes.
#[hook]
pub fn use_branches(open_rows: &UseReducerHandle<YewReducer<OpenRows>>, base: &TableQuery) {
    let channel = use_channel();
    use_effect_with(base.clone(), {
        let dispatcher = open_rows.dispatcher();
        move |_| dispatcher.dispatch(OpenRowsAction::Reset)
    });
    let dispatcher = open_rows.dispatcher();
    use_effect_with((base.clone(), open_rows.missing()), move |(base, missing)| {
        if let Some(missing) = missing.clone() {
            let request = missing.request(base.view.clone());
            let on_event = Callback::from(move |event: QueryEvent| {
                let QueryEvent::Finished(answer) = event else { return };
                let found = answer.ok().and_then(|answer| answer.get().cloned());
                dispatcher.dispatch(OpenRowsAction::Got(missing.clone(), found));
            });
            channel.query(request, on_event);
        }
        move || channel.forget()
    });
}

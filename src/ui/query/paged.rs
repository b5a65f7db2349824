//! Loads the rows of a long list.

use std::ops::Range;

use yew::prelude::*;

use super::hook::use_channel;
use crate::ui::yew_reducer::YewReducer;
use camlscope_view::page::query::event::QueryEvent;
use camlscope_view::page::query::paged::{PagedList, Pages, PagesAction};

/// Queries the wanted rows that are missing.
#[hook]
pub fn use_pages(pages: &UseReducerHandle<YewReducer<Pages>>, list: &PagedList, wanted: Range<usize>) {
    let channel = use_channel();
    let dispatcher = pages.dispatcher();
    // Responses about an older trace are useless.
    use_effect_with(list.generation, {
        let channel = channel.clone();
        move |_| move || channel.forget()
    });
    use_effect_with((list.clone(), pages.missing(list, &wanted)), move |(list, missing)| {
        let Some(rows) = missing.clone() else { return };
        let (start, request, list) = (rows.start, list.rows(rows), list.clone());
        let on_event = Callback::from(move |event: QueryEvent| {
            dispatcher.dispatch(match event {
                QueryEvent::Progress(share) => PagesAction::Progress(share),
                QueryEvent::Finished(Ok(answer)) => PagesAction::Rows(list.clone(), start, answer),
                QueryEvent::Finished(Err(error)) => PagesAction::Failed(list.clone(), error),
            });
        });
        channel.query(request, on_event);
    });
}

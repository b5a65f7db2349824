//! Copies all rows of the table that match the search to the clipboard.

use yew::Callback;

use crate::ui::platform::clipboard::{self, NotCopied};
use crate::ui::query::QueryChannel;
use crate::ui::views::table::rows::TableQuery;
use camlscope_engine::query::table::Table;
use camlscope_present::export::table_csv;
use camlscope_present::format;
use camlscope_view::page::query::event::QueryEvent;

/// More rows may not fit in a clipboard. The command line has no limit.
pub const MAX_ROWS: usize = 100_000;

/// Queries all rows, copies them, and calls `report` with a message about the outcome.
pub fn copy(channel: &QueryChannel, base: &TableQuery, report: Callback<String>) {
    if !gloo::utils::window().is_secure_context() {
        return report.emit(NotCopied::Insecure.words().to_owned());
    }
    let on_event = Callback::from(move |event: QueryEvent| match event {
        QueryEvent::Progress(share) => report.emit(format!("Counting… {}", format::percent(share))),
        QueryEvent::Finished(Err(error)) => report.emit(error.text),
        QueryEvent::Finished(Ok(answer)) => {
            let Some(table) = answer.get::<Table>() else { return };
            let (n, n_all) = (table.rows.len() as u64, table.n_rows as u64);
            let text = table_csv(table);
            let report = report.clone();
            clipboard::copy(&text, move |copied| {
                report.emit(match copied {
                    Ok(()) if n < n_all => {
                        format!("Copied the first {} of {} rows.", format::count(n), format::count(n_all))
                    }
                    Ok(()) if n == 1 => "Copied 1 row.".to_owned(),
                    Ok(()) => format!("Copied {} rows.", format::count(n)),
                    Err(why) => why.words().to_owned(),
                });
            });
        }
    });
    channel.query(base.request(0..MAX_ROWS), on_event);
}

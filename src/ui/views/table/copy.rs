//! The whole table, as far as the search leaves it, to the clipboard.

use yew::Callback;

use super::sheet::Base;
use crate::export::table_csv;
use crate::format;
use crate::protocol::{Answer, Channel};
use crate::ui::asking::Desk;
use crate::ui::bridge::Heard;
use crate::ui::clipboard::{self, NotCopied};

const CHANNEL: Channel = Channel(22);
/// More hardly fits a clipboard; the command line has no such limit.
pub const MAX_ROWS: usize = 100_000;

/// Asks for all rows and copies them; `tell` hears in words how it went.
pub fn copy(desk: &Desk, base: &Base, tell: Callback<String>) {
    if !gloo::utils::window().is_secure_context() {
        return tell.emit(NotCopied::Insecure.words().to_owned());
    }
    let heard = Callback::from(move |heard: Heard| match heard {
        Heard::Working(share) => tell.emit(format!("Counting… {}", format::percent(share))),
        Heard::Answered(Err(error), _) => tell.emit(error.text),
        Heard::Answered(Ok(answer), _) => {
            let Answer::Table(table) = &*answer else { return };
            let (n, n_all) = (table.rows.len() as u64, table.n_rows as u64);
            let text = table_csv(table);
            let tell = tell.clone();
            clipboard::copy(&text, move |copied| {
                tell.emit(match copied {
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
    desk.bridge.ask(CHANNEL, &base.request(0..MAX_ROWS), heard);
}

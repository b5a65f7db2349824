//! The whole table, as far as the search leaves it, to the clipboard.

use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::Callback;

use super::sheet::Base;
use crate::export::table_csv;
use crate::format;
use crate::protocol::{Answer, Channel};
use crate::ui::asking::Desk;
use crate::ui::bridge::Heard;

const CHANNEL: Channel = Channel(22);
/// More hardly fits a clipboard; the command line has no such limit.
const MAX_ROWS: usize = 100_000;

/// Asks for all rows and copies them; `tell` hears in words how it went.
pub fn copy(desk: &Desk, base: &Base, tell: Callback<String>) {
    let window = gloo::utils::window();
    if !window.is_secure_context() {
        return tell.emit("This page may not use the clipboard: that needs https.".to_owned());
    }
    let heard = Callback::from(move |heard: Heard| match heard {
        Heard::Working(share) => tell.emit(format!("Counting… {}", format::percent(share))),
        Heard::Answered(Err(error), _) => tell.emit(error.text),
        Heard::Answered(Ok(answer), _) => {
            let Answer::Table(table) = &*answer else { return };
            let (n, n_all) = (table.rows.len() as u64, table.n_rows as u64);
            let text = table_csv(table);
            let (window, tell) = (window.clone(), tell.clone());
            spawn_local(async move {
                let copied = JsFuture::from(window.navigator().clipboard().write_text(&text)).await;
                tell.emit(match copied {
                    Ok(_) if n < n_all => {
                        format!("Copied the first {} of {} rows.", format::count(n), format::count(n_all))
                    }
                    Ok(_) if n == 1 => "Copied 1 row.".to_owned(),
                    Ok(_) => format!("Copied {} rows.", format::count(n)),
                    Err(_) => "The browser did not let the page copy.".to_owned(),
                });
            });
        }
    });
    desk.bridge.ask(CHANNEL, &base.request(0..MAX_ROWS), heard);
}

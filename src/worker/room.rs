//! Memory that is touched for the first time is cleared by the system, page by page: an eighth of a first load's time. A
//! reader who drags a file over the page, or looks for it in the browser's dialog, takes longer than that, so it is done
//! meanwhile; not before, since a page that only lies open should take little.

use std::rc::Rc;

use super::Desk;
use super::turn::turn;
use crate::trace::room;

/// What is made ready in one turn: a few milliseconds.
const BYTES_A_TURN: usize = 8 << 20;
/// Together what the model of a trace of some 120 MB takes.
const TURNS: usize = 24;

/// Makes memory ready, turn by turn, until there is enough or a load has come.
pub(super) async fn make_ready(desk: Rc<Desk>) {
    for _ in 0..TURNS {
        if desk.current.get().is_some() {
            break;
        }
        room::make_ready(BYTES_A_TURN / room::ROOM_BYTES);
        turn().await;
    }
}

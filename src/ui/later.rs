//! What is drawn for the first time is slow: the browser compiles each function as it is called. Where that is much, a part
//! of it waits for a turn of its own, so that a click or a key is heard in between.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effect::use_effect_with;

/// False when a piece is drawn first; it is drawn again at once, and then it is true.
#[hook]
pub fn use_later() -> bool {
    let is_later = use_state_eq(|| false);
    use_effect_with((), {
        let set = is_later.setter();
        move |()| {
            let turn = Timeout::new(0, move || set.set(true));
            move || drop(turn)
        }
    });
    *is_later
}

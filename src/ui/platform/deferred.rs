//! What is drawn for the first time is slow: the browser compiles each function as it is called. Where that is much, a part
//! of it waits for a turn of its own, so that a click or a key is heard in between.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// False when a piece is drawn first; it is drawn again at once, and then it is true.
#[hook]
pub fn use_deferred() -> bool {
    let is_deferred = use_state_eq(|| false);
    use_effect_with((), {
        let set = is_deferred.setter();
        move |()| {
            let dispatch = Timeout::new(0, move || set.set(true));
            move || drop(dispatch)
        }
    });
    *is_deferred
}

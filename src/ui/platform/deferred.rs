//! The first rendering of a component is slow because the browser compiles each function when it is first called. A
//! large component renders in two tasks, so that the browser can handle a click or a key in between.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// Returns `false` in the first rendering. The component then renders again in a separate task, with `true`.
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

//! Questions from views to the worker. A view says what it wants to know and is drawn again when the answer comes; until
//! then it keeps the last one, so nothing flickers while the reader scrubs or types.

use std::ops::Deref;
use std::rc::Rc;

use yew::prelude::*;

use super::bridge::{Bridge, Heard};
use crate::protocol::{Answer, Channel, Request, UserError};
use crate::ui::effect::use_effect_with;

/// What views need to ask: the way to the worker, and which trace is open.
#[derive(Clone, PartialEq)]
pub struct Desk {
    pub bridge: Bridge,
    /// Changes with each trace that is opened, so that questions are asked anew.
    pub generation: u32,
}

/// An answer, the same only as itself: large ones need not be compared to see that nothing has changed.
#[derive(Clone, Debug)]
pub struct Known(Rc<Answer>);

impl From<Box<Answer>> for Known {
    fn from(answer: Box<Answer>) -> Known {
        Known(Rc::from(answer))
    }
}

impl Deref for Known {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.0
    }
}

impl PartialEq for Known {
    fn eq(&self, other: &Known) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What is known of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The last answer; of an older question while `is_waiting`.
    pub answer: Option<Known>,
    pub is_waiting: bool,
    /// Between 0 and 1, once the answer takes a while.
    pub working: Option<f64>,
    /// Why there is no answer to the newest question.
    pub error: Option<UserError>,
    pub took_ms: f64,
}

/// Asks whenever the question changes; none: nothing is asked, and what was known is forgotten. Each place of the page
/// has a channel of its own.
#[hook]
pub fn use_answer(channel: Channel, request: Option<Request>) -> Asked {
    let desk = use_context::<Desk>();
    let asked = use_state(Asked::default);
    // What the setter below sees is what was drawn last, so the newest is kept beside it.
    let newest = use_mut_ref(Asked::default);
    let leaving = desk.clone();
    let generation = desk.as_ref().map(|desk| desk.generation);
    let wanted = (generation, request);
    // Asked after this drawing: until then what is known is of the question before.
    let asked_last = use_mut_ref(|| (generation, None));
    let is_new = *asked_last.borrow() != wanted;
    use_effect_with(wanted, {
        let (asked, newest) = (asked.clone(), newest);
        move |wanted| {
            let (generation, request) = wanted;
            // What an older trace would answer is of no use.
            if asked_last.replace(wanted.clone()).0 != *generation
                && let Some(desk) = &desk
            {
                desk.bridge.forget(channel);
            }
            let set = move |change: &dyn Fn(&mut Asked)| {
                let mut now = newest.borrow_mut();
                change(&mut now);
                asked.set(now.clone());
            };
            match (desk, request) {
                (Some(desk), Some(request)) => {
                    set(&|asked| asked.is_waiting = true);
                    let heard = Callback::from(move |heard: Heard| match heard {
                        Heard::Working(share) => set(&|asked| {
                            asked.is_waiting = true;
                            asked.working = (share > 0.0).then_some(share);
                        }),
                        Heard::Answered(Ok(answer), took_ms) => set(&|asked| {
                            *asked = Asked { answer: Some(answer.clone()), took_ms, ..Asked::default() };
                        }),
                        Heard::Answered(Err(error), took_ms) => set(&|asked| {
                            *asked = Asked { error: Some(error.clone()), took_ms, ..Asked::default() };
                        }),
                    });
                    desk.bridge.ask(channel, request, heard);
                }
                (desk, _) => {
                    if let Some(desk) = desk {
                        desk.bridge.forget(channel);
                    }
                    set(&|asked| *asked = Asked::default());
                }
            }
        }
    });
    // A newer question takes the older one's place; only who goes leaves nothing behind.
    use_effect_with((), move |()| {
        move || {
            if let Some(desk) = leaving {
                desk.bridge.forget(channel);
            }
        }
    });
    let mut known = (*asked).clone();
    known.is_waiting |= is_new;
    known
}

//! A reducer for Yew's hooks.

use std::ops::Deref;
use std::rc::Rc;

use yew::Reducible;

use camlscope_view::page::reducer::Reducer;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct YewReducer<R>(pub R);

impl<R: Reducer + Clone + 'static> Reducible for YewReducer<R> {
    type Action = R::Action;

    fn reduce(self: Rc<YewReducer<R>>, action: R::Action) -> Rc<YewReducer<R>> {
        let mut reducer = Rc::unwrap_or_clone(self);
        reducer.0.apply(action);
        Rc::new(reducer)
    }
}

impl<R> Deref for YewReducer<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.0
    }
}

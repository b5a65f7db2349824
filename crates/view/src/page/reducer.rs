//! State that only actions change.

pub trait Reducer {
    type Action;

    fn apply(&mut self, action: Self::Action);
}

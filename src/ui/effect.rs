//! Effects whose types are forgotten: Yew writes its machinery anew for each type of what an effect depends on, of the
//! effect and of its end, which at fifty effects is some kilobytes of the page.

use std::any::Any;
use std::rc::Rc;

use yew::functional::TearDown;
use yew::prelude::*;

/// Yew's `use_effect_with`, and used like it.
#[hook]
pub fn use_effect_with<T, F, D>(deps: T, effect: F)
where
    T: PartialEq + 'static,
    F: FnOnce(&T) -> D + 'static,
    D: TearDown,
{
    let run: Effect = Box::new(move |deps| match deps.downcast_ref::<T>() {
        Some(deps) => {
            let end = effect(deps);
            Box::new(move || end.tear_down())
        }
        // Not reached: what an effect depends on never changes its type.
        None => Box::new(|| ()),
    });
    use_any_effect(Deps(Rc::new(deps)), run);
}

type Effect = Box<dyn FnOnce(&dyn Any) -> Box<dyn FnOnce()>>;

#[hook]
fn use_any_effect(deps: Deps, run: Effect) {
    yew::functional::use_effect_with(deps, move |deps| run(deps.0.as_any()));
}

/// What an effect depends on.
struct Deps(Rc<dyn AnyDeps>);

impl PartialEq for Deps {
    fn eq(&self, other: &Deps) -> bool {
        self.0.is_same(other.0.as_any())
    }
}

trait AnyDeps {
    fn is_same(&self, other: &dyn Any) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: PartialEq + 'static> AnyDeps for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

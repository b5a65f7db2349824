//! A piece of the page that has hooks of its own. Yew writes several kilobytes of code for each type of component, so the
//! page has only one, [`Room`], which holds any piece; at forty pieces that is an eighth of the page's weight.
//!
//! A piece is a struct that says what is shown, and a hook that draws it:
//!
//! ```text
//! #[derive(PartialEq)]
//! pub struct Greeting { pub name: String }
//!
//! piece!(Greeting, use_greeting);
//!
//! #[hook]
//! fn use_greeting(props: &Greeting) -> Html { … }
//! ```
//!
//! and stands in a page as `{ Greeting { name }.show() }`. One that says nothing is tied to its hook by
//! `piece!(Tabs, use_tabs())`. It is drawn again when it differs from what was shown before,
//! when one of its hooks says so, and not otherwise.

use std::any::{Any, type_name};
use std::fmt::Display;
use std::rc::Rc;

use yew::functional::{Hook, HookContext};
use yew::prelude::*;

/// Made with [`piece!`].
pub trait Piece: PartialEq + 'static {
    fn draw(&self, hooks: &mut HookContext) -> Html;

    fn show(self) -> Html
    where
        Self: Sized,
    {
        room(type_name::<Self>().to_owned(), Rc::new(self))
    }

    /// Where several of a type are siblings, so that each keeps its own state.
    fn show_as(self, key: impl Display) -> Html
    where
        Self: Sized,
    {
        room(format!("{} {key}", type_name::<Self>()), Rc::new(self))
    }
}

macro_rules! piece {
    ($type:ty, $hook:ident) => {
        impl $crate::ui::piece::Piece for $type {
            fn draw(&self, hooks: &mut ::yew::functional::HookContext) -> ::yew::Html {
                ::yew::functional::Hook::run($hook(self), hooks)
            }
        }
    };
    ($type:ty, $hook:ident()) => {
        impl $crate::ui::piece::Piece for $type {
            fn draw(&self, hooks: &mut ::yew::functional::HookContext) -> ::yew::Html {
                ::yew::functional::Hook::run($hook(), hooks)
            }
        }
    };
}
pub(in crate::ui) use piece;

/// The key names the type: hooks of one piece are never taken for those of another.
fn room(key: String, piece: Rc<dyn AnyPiece>) -> Html {
    html! { <Room {key} {piece} /> }
}

/// A piece whose type is forgotten.
trait AnyPiece {
    fn draw_any(&self, hooks: &mut HookContext) -> Html;
    fn is_same(&self, other: &dyn AnyPiece) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<P: Piece> AnyPiece for P {
    fn draw_any(&self, hooks: &mut HookContext) -> Html {
        self.draw(hooks)
    }

    fn is_same(&self, other: &dyn AnyPiece) -> bool {
        other.as_any().downcast_ref::<P>().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[derive(Clone, Properties)]
struct RoomProps {
    piece: Rc<dyn AnyPiece>,
}

impl PartialEq for RoomProps {
    fn eq(&self, other: &RoomProps) -> bool {
        Rc::ptr_eq(&self.piece, &other.piece) || self.piece.is_same(&*other.piece)
    }
}

#[component]
fn Room(props: &RoomProps) -> Html {
    use_piece(Rc::clone(&props.piece))
}

struct UsePiece(Rc<dyn AnyPiece>);

impl Hook for UsePiece {
    type Output = Html;

    fn run(self, hooks: &mut HookContext) -> Html {
        self.0.draw_any(hooks)
    }
}

fn use_piece(piece: Rc<dyn AnyPiece>) -> UsePiece {
    UsePiece(piece)
}

//! memtrace bytes → events. A push decoder without IO: chunks of any size in, events into a [`Sink`], warnings out.
//!
//! Good files decode exactly; of damaged ones everything that is whole comes through, and [`Warning`]s say what did
//! not. Only what is no trace at all is refused ([`Refusal`]). Nothing here panics on any input.

mod backtrace;
mod codes;
mod decoder;
mod domain_state;
pub mod encode;
mod error;
mod event;
mod info;
pub mod limits;
mod location;
mod packet;
mod reader;
mod salvage;
mod sink;
mod sniff;

pub use codes::CodeId;
pub use decoder::{Decoder, Finished};
pub use error::{LooksLike, Refusal};
pub use info::Info;
pub use location::Location;
pub use packet::Header;
pub use salvage::{Warning, WarningKind, Warnings};
pub use sink::{Alloc, AllocSource, ObjectId, Sink, Stack, StackNode};

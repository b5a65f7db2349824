//! Decodes memtrace bytes into events. A push decoder without IO: chunks of any size go in, events go to a [`Sink`],
//! and warnings are returned.
//!
//! Intact files decode exactly. Everything intact in a damaged file is decoded, and [`Warning`]s describe the rest.
//! Only a file that isn't a trace at all is refused ([`Refusal`]). Nothing here panics on any input.

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

//! Data → ticks, colors, words and shapes to draw. Nothing here knows the browser, so all of it is tested without one.

pub mod axis;
pub mod color;
pub mod diff;
pub mod draw;
pub mod flame;
pub mod growth_bars;
pub mod heat;
pub mod histogram;
pub mod names;
pub mod picture;
pub mod timeline;

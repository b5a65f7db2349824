//! Turns data into ticks, colors, labels and shapes. It doesn't depend on the browser, so it can be tested without one.

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
pub mod source;
pub mod theme;
pub mod timeline;

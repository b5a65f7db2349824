//! What the browser offers, each behind a small interface of ours.

pub mod address;
pub mod canvas;
pub mod clipboard;
pub mod deferred;
pub mod download;
pub mod keyboard;
pub mod page_config;
pub mod pictures;
pub mod placement;
pub mod recent_files;
pub mod size;
pub mod storage;
pub mod theme;

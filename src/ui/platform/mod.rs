//! Browser APIs, each behind a small interface.

pub mod address;
pub mod canvas;
pub mod clipboard;
pub mod deferred;
pub mod delivery;
pub mod download;
mod file_port;
pub mod host;
pub mod keyboard;
pub mod page_config;
pub mod pictures;
pub mod pinch;
pub mod placement;
pub mod pointer;
pub mod recent_files;
pub mod service_worker;
pub mod size;
pub mod source_folder;
pub mod storage;
pub mod theme;
pub mod use_canvas;

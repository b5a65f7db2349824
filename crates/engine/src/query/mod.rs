//! One file per query. Each query is a pure function of the model and returns plain data.

pub mod amounts;
pub mod compare;
pub mod events;
pub mod filter;
pub mod findings;
pub mod flame;
pub mod frame_names;
mod from_name;
pub mod fuzzy;
pub mod growth;
pub mod histogram;
pub mod label;
pub mod lines;
pub mod measure;
pub mod name_search;
pub mod profile;
pub mod prominent_names;
#[cfg(test)]
mod random;
pub mod search;
pub mod selection;
pub mod sorting;
pub mod stacks;
pub mod statistics;
pub mod suggest;
pub mod summary;
pub mod table;
pub mod timeline;
pub mod tree;
mod warnings;

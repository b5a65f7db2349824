//! Checks queries against a slow, obvious reading of the same traces. [`support`] makes the traces, [`filters`] the
//! filters, [`reference`] the expected results. Each query has its own file.

mod filters;
mod reference;
mod support;
mod tape;

mod compare;
mod filter;
mod findings;
mod flame;
mod growth;
mod histogram;
mod lines;
mod names;
mod prominent_names;
mod stacks;
mod table;
mod timeline;

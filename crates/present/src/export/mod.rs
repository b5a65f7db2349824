//! Exports of the view for other programs. They are pure functions from plain data to text or bytes, so the page can
//! offer them as downloads and the command line can write them to disk. Large exports are written as they are read.

mod anonymize;
mod changes;
mod charts;
mod csv;
mod downsample;
mod embedded_trace;
mod firefox;
mod folded;
mod histogram;
mod html;
mod pprof;
mod pprof_plan;
mod report;
mod report_file;
mod speedscope;
mod svg;
mod table;
mod trace;
mod weighted_stacks;

pub use anonymize::{Anonymizer, Keep};
pub use changes::changes_csv;
pub use charts::{ChartWords, FLAME_WIDTH, flame_chart, timeline_chart};
pub use csv::csv;
pub use embedded_trace::{EmbedConfig, EmbedError, EmbeddedTrace, embed_file, embed_trace};
pub use firefox::firefox;
pub use folded::folded;
pub use histogram::{heat_csv, histogram_csv};
pub use html::html;
pub use pprof::{PprofWriter, pprof};
pub use pprof_plan::{PprofPart, PprofPlan, Recording, SampleType};
pub use report::Report;
pub use report_file::{
    HEADER_ID, Notes, ROOM_FOR_TOTALS, ReportHeader, ReportSource, ReportSources, SOURCES_ID, TRACE_ID, around_trace,
    is_one_file, with_sources,
};
pub use speedscope::speedscope;
pub use svg::svg;
pub use table::table_csv;
pub use trace::{TraceConfig, write_trace};
pub use weighted_stacks::WeightedStacks;

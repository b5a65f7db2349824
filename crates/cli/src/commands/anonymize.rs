//! `--anonymize`, and what to keep.

use clap::{Args, ValueEnum};

use camlscope_present::export::Keep;

#[derive(Clone, Debug, Default, Args)]
pub struct AnonymizeArgs {
    /// Remove identifying names: modules, functions and files become numbers.
    ///
    /// The numbers differ from file to file. Times, sizes, lifetimes, heaps, domains, the sampling rate and the call structure stay. The
    /// executable, host, pid and start time are removed. Source locations, runtime parameters and the context are removed unless
    /// --keep names them.
    #[arg(long, alias = "anonymise")]
    pub anonymize: bool,
    /// Keep these, which --anonymize would remove.
    #[arg(long, value_enum, value_name = "WHAT,…", value_delimiter = ',', requires = "anonymize")]
    keep: Vec<Kept>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kept {
    /// Lines and columns of call sites.
    #[value(alias = "places")]
    Locations,
    /// Parameters of the OCaml runtime.
    Parameters,
    /// The context that the program gave to memtrace.
    Context,
    /// Names and locations of OCaml's own library, so that findings can still tell it from the program.
    Stdlib,
}

impl AnonymizeArgs {
    /// Returns what an anonymized file keeps, or `None` without `--anonymize`.
    pub fn kept(&self) -> Option<Keep> {
        let is_kept = |what: Kept| self.keep.contains(&what);
        self.anonymize.then(|| Keep {
            places: is_kept(Kept::Locations),
            parameters: is_kept(Kept::Parameters),
            context: is_kept(Kept::Context),
            stdlib: is_kept(Kept::Stdlib),
        })
    }
}

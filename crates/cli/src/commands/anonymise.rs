//! `--anonymise`, and what to keep all the same.

use clap::{Args, ValueEnum};

use camlscope_present::export::Keep;

#[derive(Clone, Debug, Default, Args)]
pub struct AnonymiseArgs {
    /// Write a file that tells nobody whose program it is: names of modules, functions and files become numbers.
    ///
    /// Numbers are given out anew for each file, so there is nothing to look up. Kept are times, sizes, lifetimes, heaps,
    /// domains, the sampling rate, and which frame calls which. Left out are executable, host, pid and start time; and,
    /// unless --keep asks for them, places in files, the parameters of OCaml's runtime and the context.
    #[arg(long, visible_alias = "anonymize")]
    pub anonymise: bool,
    /// What to keep of what --anonymise leaves out.
    #[arg(long, value_enum, value_name = "WHAT,…", value_delimiter = ',', requires = "anonymise")]
    keep: Vec<Kept>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kept {
    /// Lines and columns of call sites.
    Places,
    /// The parameters of OCaml's runtime.
    Parameters,
    /// What the program said about itself.
    Context,
}

impl AnonymiseArgs {
    /// What an anonymised file keeps; `None` if names stay.
    pub fn kept(&self) -> Option<Keep> {
        let is_kept = |what: Kept| self.keep.contains(&what);
        self.anonymise.then(|| Keep {
            places: is_kept(Kept::Places),
            parameters: is_kept(Kept::Parameters),
            context: is_kept(Kept::Context),
        })
    }
}

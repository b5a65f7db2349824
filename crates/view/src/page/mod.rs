//! The parts of the page that need no browser. Each folder contains the logic of the folder with the same name in `src/ui`, and
//! `worker` that of `src/worker`.

pub mod reducer;
pub mod shared;
pub mod store;

pub mod platform {
    pub mod host;
    pub mod page_config;
    pub mod placement;
    pub mod theme;
}

pub mod query {
    pub mod batches;
    pub mod event;
    pub mod hook;
    pub mod pace;
    pub mod paged;
}

pub mod components {
    pub mod breadcrumbs;
    pub mod comparison;
    pub mod facts;
    pub mod loosening;
    pub mod search;
    pub mod virtual_list;

    pub mod filter_bar {
        pub mod range;
        pub mod shown_measure;
    }

    pub mod panel {
        pub mod line;
        pub mod source;
        pub mod subject;
    }

    pub mod sources {
        pub mod report;
    }
}

pub mod views {
    pub mod compare {
        pub mod histograms;
        pub mod notes;
        pub mod words;
    }

    pub mod events {
        pub mod row;
    }

    pub mod flame {
        pub mod matches;
        pub mod menu;
        pub mod source;
    }

    pub mod histograms {
        pub mod narrow;
        pub mod stats;
    }

    pub mod leaks {
        pub mod bars;
        pub mod conclusion;
    }

    pub mod table {
        pub mod open_rows;
    }

    pub mod timeline {
        pub mod times;
    }
}

pub mod screens {
    pub mod loading;
}

pub mod worker {
    pub mod source;
    pub mod warm_up;
}

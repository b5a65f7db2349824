//! The tests that run in Firefox and WebKit, by the same code as in Chromium, where all tests run.
//!
//! A change is tested there where engines differ: files, streams, the start of workers, history, clipboard, downloads, service
//! workers, the page as one file, canvases and the keyboard. `cargo xtask test --all-engines` also runs the other tests that
//! the drivers of both engines can do.
//!
//! Left to Chromium is what only its driver can do: folders that are dropped, a real pointer and touch, color schemes, narrow
//! windows, the console, and the record of all requests.

use std::cell::Cell;

use anyhow::Result;

use crate::engine::Engine;

macro_rules! tests_in {
    // `$is_ignored` is a condition of `cfg`: `any()` is never true, `all()` always is.
    ($engine:ident, $is_ignored:meta, $($module:ident { $($test:ident,)+ })+) => {
        $(mod $module { $(
            #[test]
            #[cfg_attr($is_ignored, ignore = "runs with `cargo xtask test --all-engines`")]
            fn $test() -> anyhow::Result<()> {
                crate::engines::run_in(crate::engine::Engine::$engine, crate::$module::$test)
            }
        )+ })+
    };
}

macro_rules! engines_differ {
    ($($tests:tt)+) => {
        mod firefox { tests_in!(Firefox, any(), $($tests)+); }
        mod webkit { tests_in!(WebKit, any(), $($tests)+); }
    };
}

macro_rules! engines_agree {
    ($($tests:tt)+) => {
        mod all_firefox { tests_in!(Firefox, all(), $($tests)+); }
        mod all_webkit { tests_in!(WebKit, all(), $($tests)+); }
    };
}

engines_differ! {
    opening {
        a_dropped_trace_shows_its_counts,
        a_trace_chosen_in_the_picker_shows_its_counts,
        a_file_picked_twice_is_opened_twice,
    }
    following {
        where_the_browser_gives_no_handles_a_button_opens_the_file_again_and_says_why,
    }
    by_address {
        a_trace_beside_the_page_opens_by_its_name_in_the_view_of_the_link,
    }
    offline {
        after_one_visit_the_page_works_with_the_server_stopped,
        what_is_kept_is_the_page_and_nothing_of_a_trace,
    }
    one_file {
        a_dropped_trace_is_shown_in_every_tab_and_nothing_is_asked_for,
        files_that_are_gone_or_no_trace_are_told_in_words,
    }
    starting {
        a_worker_that_cannot_start_is_told_in_words,
        a_file_dropped_before_the_worker_is_ready_waits_for_it,
        a_file_dropped_before_the_program_is_there_is_open_once_it_is,
        a_page_whose_code_does_not_come_says_so,
    }
    loading {
        cancel_brings_the_empty_page_back,
    }
    reports {
        a_report_opens_with_the_view_and_the_notes_of_the_page_that_made_it,
    }
    sentence {
        a_question_is_one_click_and_back_undoes_it,
        a_copied_link_shows_the_same_chips_and_figures,
    }
    flame {
        the_keyboard_alone_walks_zooms_and_opens_the_menu,
    }
    table {
        the_whole_table_is_copied_as_csv,
    }
    exporting {
        stacks_and_table_are_saved_as_the_command_line_writes_them,
        every_picture_is_saved_with_its_words_and_as_png_of_twice_the_size,
    }
    keyboard {
        from_the_file_to_the_culprits_name,
    }
}

engines_agree! {
    opening {
        the_sample_opens_and_the_title_names_its_program,
        the_keyboard_alone_opens_the_sample,
        a_second_file_replaces_the_first,
        names_in_a_trace_are_shown_as_they_are_and_never_run,
    }
    by_address {
        a_trace_that_is_not_there_is_told_in_words,
        a_trace_of_another_host_is_refused_in_words_and_not_asked_for,
    }
    one_file {
        the_sample_is_inside_and_a_second_trace_is_compared,
        an_address_and_an_export_work_as_on_the_site,
    }
    loading {
        a_file_dropped_while_another_loads_takes_its_place,
    }
    damaged {
        a_trace_cut_in_its_last_packet_opens_with_a_warning_in_words,
        a_trace_larger_than_its_memory_opens_with_fewer_samples_and_exact_counts,
    }
    profile {
        both_files_of_a_profile_open_with_their_snapshots_and_events,
        what_a_profile_cannot_feed_is_absent,
        three_graphs_show_what_the_engine_counts,
        a_snapshots_table_and_flame_graph_have_the_engines_figures,
        a_damaged_profile_opens_and_says_what_was_lost,
    }
    refused {
        an_empty_file_is_called_empty,
        a_text_file_is_called_a_text_file,
        a_trace_cut_in_its_first_packet_is_told_from_a_foreign_file,
        a_refused_file_leads_back_to_the_trace_before_it,
    }
    reports {
        a_report_with_a_damaged_trace_opens_with_words,
    }
    reading {
        every_view_says_what_one_is_looking_at_once_asked_and_not_before,
    }
    summary {
        what_stands_out_leads_to_a_view_and_back,
    }
    sentence {
        another_measure_shows_its_figures_in_every_unit,
        a_size_filter_is_typed_changed_by_its_handle_switched_off_and_removed,
        every_kind_of_clause_can_be_made_by_hand,
        names_of_the_trace_are_suggested_and_chosen_with_arrow_keys,
        shortcuts_are_listed_by_the_keyboard_and_keep_out_of_fields,
    }
    flame {
        a_search_says_how_much_it_matched_and_enter_steps_through_the_matches,
        an_empty_picture_says_which_clause_to_loosen,
    }
    table {
        a_click_on_a_heading_sorts_and_a_second_one_turns_the_order,
        a_row_opens_to_its_callers_and_callees_as_deep_as_one_goes,
        the_keyboard_walks_opens_selects_and_shows_in_the_flame_graph,
    }
    panel {
        a_selected_row_shows_the_figures_of_the_command_line,
    }
    histograms {
        every_bar_and_every_statistic_is_the_command_lines,
        the_keyboard_alone_walks_the_bars_marks_and_filters,
    }
    leaks {
        the_conclusion_is_the_command_lines,
        the_keyboard_alone_walks_the_bars_and_filters,
    }
    events {
        the_list_is_the_command_lines_dump_from_the_first_to_the_last_event,
        the_keyboard_walks_the_events_and_opens_a_life,
    }
    compare {
        a_second_trace_is_compared_and_the_figures_are_those_of_the_command_line,
        two_moments_of_one_trace_are_compared_without_a_second,
        escape_keeps_the_trace_that_is_open,
        moments_are_typed_moved_by_keys_and_kept_in_the_address,
        the_table_is_searched_sorted_and_left_to_what_changed,
    }
    keyboard {
        from_the_sample_to_what_stands_out_in_it,
    }
}

thread_local! {
    /// The engine of the test that this thread runs.
    static ENGINE: Cell<Engine> = const { Cell::new(Engine::Chromium) };
}

/// The engine that a visit of this test is made in.
pub fn current() -> Engine {
    ENGINE.get()
}

fn run_in(engine: Engine, test: fn() -> Result<()>) -> Result<()> {
    ENGINE.set(engine);
    let outcome = test();
    ENGINE.set(Engine::Chromium);
    outcome
}

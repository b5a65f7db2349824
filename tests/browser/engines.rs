//! The tests that also run in Firefox and WebKit. All tests run in Chromium.
//!
//! `cargo xtask test` runs those where engines differ: files, streams, worker startup, history, clipboard, downloads, service
//! workers, the page as one file, canvases and the keyboard. `cargo xtask test --all-engines` also runs the other tests that the
//! drivers of both engines support.
//!
//! Only Chromium's driver supports dropped folders, a real pointer, touch, color schemes, narrow windows, the console and the
//! record of all requests.

use std::cell::Cell;

use anyhow::Result;

use crate::engine::Engine;

macro_rules! tests_in {
    ($engine:ident, $is_ignored:meta, $module:ident, $($test:ident)+) => {
        $(
            #[test]
            #[cfg_attr($is_ignored, ignore = "runs with `cargo xtask test --all-engines`")]
            fn $test() -> anyhow::Result<()> {
                crate::engines::run_in(crate::engine::Engine::$engine, crate::$module::$test)
            }
        )+
    };
}

/// The engines alternate, so that tests in both run at the same time. There are few browsers of each.
macro_rules! tests_in_both {
    // `$is_ignored` is a `cfg` condition: `any()` is never true, and `all()` always is.
    ($is_ignored:meta, $($module:ident { $($test:ident,)+ })+) => {
        $(mod $module {
            mod firefox { tests_in!(Firefox, $is_ignored, $module, $($test)+); }
            mod webkit { tests_in!(WebKit, $is_ignored, $module, $($test)+); }
        })+
    };
}

macro_rules! engines_differ {
    ($($tests:tt)+) => {
        mod differ { tests_in_both!(any(), $($tests)+); }
    };
}

macro_rules! engines_agree {
    ($($tests:tt)+) => {
        mod agree { tests_in_both!(all(), $($tests)+); }
    };
}

engines_differ! {
    opening {
        dropped_trace_shows_its_counts,
        file_picked_twice_is_opened_twice,
    }
    following {
        without_file_handles_a_button_opens_the_file_again,
    }
    by_address {
        trace_next_to_the_page_opens_from_a_link_with_its_view,
    }
    opened {
        trace_is_shown_until_its_tab_is_closed,
    }
    offline {
        page_works_offline_after_one_visit,
        cache_contains_the_page_and_no_trace,
    }
    one_file {
        dropped_trace_is_shown_in_every_tab_without_requests,
    }
    starting {
        worker_that_cannot_start_is_reported,
        file_dropped_before_the_worker_is_ready_waits_for_it,
        file_dropped_before_the_page_is_loaded_opens,
    }
    loading {
        cancel_returns_to_the_start_screen,
    }
    reports {
        report_opens_with_the_view_and_notes_it_was_saved_with,
    }
    sentence {
        preset_applies_with_one_click_and_back_undoes_it,
        copied_link_shows_the_same_chips_and_figures,
    }
    flame {
        keyboard_moves_zooms_and_opens_the_menu,
    }
    table {
        entire_table_is_copied_as_csv,
    }
    exporting {
        every_picture_is_saved_as_svg_with_text_and_as_png_of_twice_the_size,
    }
    keyboard {
        keyboard_leads_from_a_file_to_the_leaking_function,
    }
}

engines_agree! {
    opening {
        trace_chosen_in_the_picker_shows_its_counts,
        sample_opens_and_the_title_names_its_program,
        keyboard_opens_the_sample,
        second_file_replaces_the_first,
        names_in_a_trace_are_shown_as_text,
    }
    by_address {
        missing_trace_is_reported,
        trace_on_another_host_is_rejected_without_a_request,
    }
    one_file {
        text_and_empty_files_are_reported,
        sample_is_included_and_a_second_trace_can_be_compared,
        links_and_exports_work_as_on_the_site,
    }
    starting {
        missing_page_program_is_reported,
    }
    exporting {
        exported_stacks_and_table_match_the_command_line,
    }
    loading {
        file_dropped_during_a_load_replaces_it,
    }
    damaged {
        trace_truncated_in_its_last_packet_opens_with_a_warning,
        trace_too_large_for_memory_is_downsampled_with_exact_counts,
    }
    profile {
        both_files_of_a_profile_open_with_their_snapshots_and_events,
        views_and_filters_that_a_profile_cannot_support_are_hidden,
        three_graphs_show_the_engines_figures,
        table_and_flame_graph_of_a_snapshot_have_the_engines_figures,
        damaged_profile_opens_with_a_warning,
    }
    refused {
        files_that_are_not_traces_are_reported_with_what_they_are,
        rejected_file_leads_back_to_the_previous_trace,
    }
    reports {
        damaged_report_opens_with_a_message,
    }
    reading {
        every_view_has_an_explanation_in_the_same_place_that_moves_nothing,
    }
    summary {
        findings_lead_to_a_view_and_back,
    }
    sentence {
        every_measure_and_unit_has_the_engines_figures,
        size_filter_can_be_typed_dragged_disabled_and_removed,
        every_kind_of_filter_can_be_added,
        names_are_suggested_and_can_be_chosen_with_arrow_keys,
        shortcuts_are_listed_with_a_key_and_do_not_act_in_text_fields,
    }
    flame {
        search_shows_the_matched_share_and_enter_goes_to_the_next_match,
        empty_flame_graph_names_the_filter_to_disable,
    }
    table {
        click_on_a_heading_sorts_and_a_second_click_reverses_the_order,
        row_expands_to_callers_and_callees_at_any_depth,
        keyboard_moves_expands_selects_and_opens_the_flame_graph,
    }
    panel {
        selected_row_shows_the_command_lines_figures,
    }
    histograms {
        bars_and_statistics_match_the_command_line,
        keyboard_moves_along_the_bars_selects_and_filters,
    }
    leaks {
        verdict_matches_the_command_line,
        keyboard_moves_along_the_bars_and_filters,
    }
    events {
        events_match_the_command_lines_dump,
        keyboard_moves_through_events_and_opens_an_object,
    }
    compare {
        comparison_of_two_traces_matches_the_command_line,
        two_times_of_one_trace_are_compared,
        escape_keeps_the_open_trace,
        times_can_be_typed_and_moved_with_keys_and_are_in_the_address,
        table_can_be_searched_sorted_and_limited_to_changes,
    }
    keyboard {
        keyboard_leads_from_the_sample_to_its_findings,
    }
}

thread_local! {
    /// The engine of the test that this thread runs.
    static ENGINE: Cell<Engine> = const { Cell::new(Engine::Chromium) };
}

/// Returns the engine of the current test.
pub fn current() -> Engine {
    ENGINE.get()
}

fn run_in(engine: Engine, test: fn() -> Result<()>) -> Result<()> {
    ENGINE.set(engine);
    let outcome = test();
    ENGINE.set(Engine::Chromium);
    outcome
}

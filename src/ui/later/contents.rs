//! The contents of the page's second module: all code that is reached only from here.

use yew::prelude::*;

use super::Later;
use crate::ui::commands::export::{self, Exported, Saving};
use crate::ui::components::annotations::Annotations;
use crate::ui::components::filter_bar::editor::Editor;
use crate::ui::components::help;
use crate::ui::components::notes::NotesForm;
use crate::ui::components::palette::Palette;
use crate::ui::components::panel::Panel;
use crate::ui::components::share_menu::Share;
use crate::ui::components::sources;
use crate::ui::components::sources::report::SourceReport;
use crate::ui::store::view::Tab;
use crate::ui::views::compare::CompareView;
use crate::ui::views::events::EventsView;
use crate::ui::views::explanation::explanation;
use crate::ui::views::flame::FlameView;
use crate::ui::views::histograms::HistogramsView;
use crate::ui::views::leaks::LeaksView;
use crate::ui::views::source::SourceView;
use crate::ui::views::table::TableView;
use crate::ui::views::timeline::pins::PinEditor;

pub static LATER: Later = Later {
    view,
    explanation,
    panel: || html! { <Panel /> },
    clause_editor: |draft, chip, opener, on_close| html! { <Editor {draft} {chip} {opener} {on_close} /> },
    notes_form: |notes, dispatch| html! { <NotesForm {notes} {dispatch} /> },
    pin_editor: |at_us, text, time, opener, dispatch| {
        html! { <PinEditor key={at_us} {at_us} {text} {time} {opener} {dispatch} /> }
    },
    annotations: |files| html! { <Annotations {files} /> },
    palette: |props| html! { <Palette ..props /> },
    shortcuts: help::shortcuts,
    share,
    source_report: |on_share, on_close| html! { <SourceReport {on_share} {on_close} /> },
    open_folder: sources::open_dropped,
};

fn share(share: Share, exported: &Exported, saving: Saving) {
    match share {
        Share::Export(export) => export::save(export, exported, saving),
        Share::ReportWithSources(sources) => export::save_with_sources(sources, exported, saving),
        // These need no later code.
        Share::CopyLink | Share::Notes | Share::SourceReport => {}
    }
}

fn view(tab: Tab) -> Html {
    match tab {
        // The summary is in the first module.
        Tab::Summary => Html::default(),
        Tab::Flame => html! { <FlameView /> },
        Tab::Table => html! { <TableView /> },
        Tab::Histograms => html! { <HistogramsView /> },
        Tab::Leaks => html! { <LeaksView flame={html! { <FlameView /> }} table={html! { <TableView /> }} /> },
        Tab::Events => html! { <EventsView /> },
        Tab::Source => html! { <SourceView /> },
        Tab::Compare => html! { <CompareView /> },
    }
}

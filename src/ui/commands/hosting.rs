//! Handles the messages of the host, the program that the page is embedded in.

use super::Commands;
use crate::ui::platform::host;
use crate::ui::store::view::ViewState;
use crate::ui::store::{Action, TraceSource};
use camlscope_engine::protocol::Slot;
use camlscope_view::page::platform::host::HostMessage;
use camlscope_view::page::store::trace_id::TraceId;

impl Commands {
    /// Follows the host's messages from now on.
    pub fn listen_to_host(&self) {
        let commands = self.clone();
        host::listen(move |message| match message {
            HostMessage::Open { name, size } => {
                let id = commands.start_load(Slot::Main, name, TraceSource::Host { size }, false);
                commands.client.open_of_host(id, size, false);
            }
            HostMessage::Theme(theme) => commands.dispatch.emit(Action::ThemeChosen(theme)),
            HostMessage::State(hash) => {
                let view = Box::new(ViewState::from_hash(&hash));
                commands.dispatch.emit(Action::Navigated { view, trace: TraceId::from_hash(&hash) });
            }
            HostMessage::Annotate(files) => commands.dispatch.emit(Action::FilesAnnotated(files.into())),
        });
    }
}

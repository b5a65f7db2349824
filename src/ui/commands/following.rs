//! Checks the open file from time to time and loads what the program has written since.

use wasm_bindgen_futures::spawn_local;

use super::Commands;
use crate::ui::platform::{delivery, recent_files};
use crate::ui::store::{Action, FileHandle, TraceSource};
use camlscope_view::page::store::follow_status::FollowStatus;
use camlscope_view::page::store::notice::Notice;

/// The main trace's file and how much of it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedFile {
    pub source: TraceSource,
    pub bytes_shown: u64,
    pub growth: FollowStatus,
    pub is_paused: bool,
}

/// What to do after a check.
enum Step {
    Nothing,
    /// There is new data.
    Load,
    /// Another run has overwritten the file.
    Reopen,
}

const OVERWRITTEN: &str = "The file was overwritten. Showing the new run.";

impl FollowedFile {
    /// `bytes` is the current size of the file.
    fn step(&self, bytes: u64) -> Step {
        match self.growth {
            _ if self.is_paused => Step::Nothing,
            FollowStatus::Stuck => Step::Nothing,
            FollowStatus::Replaced => Step::Reopen,
            _ if bytes != self.bytes_shown => Step::Load,
            _ => Step::Nothing,
        }
    }
}

impl Commands {
    /// Checks the file once. Does nothing if the browser gave no handle to it.
    pub fn look_at(&self, followed: &FollowedFile) {
        let (commands, followed) = (self.clone(), followed.clone());
        spawn_local(async move {
            match &followed.source {
                TraceSource::File(file) => commands.look_at_file(file, &followed).await,
                TraceSource::Address(address) => commands.look_at_address(address, &followed).await,
                TraceSource::Host { .. } | TraceSource::Sample | TraceSource::Report(_) => {}
            }
        });
    }

    async fn look_at_file(&self, file: &FileHandle, followed: &FollowedFile) {
        let Some(now) = recent_files::current(file).await else { return };
        self.dispatch.emit(Action::FileSeen(FileHandle::new(now.clone())));
        match followed.step(now.size() as u64) {
            Step::Reopen => {
                self.open(&now);
                self.show_notice(Notice::info(OVERWRITTEN));
            }
            Step::Load if self.client.may_follow() => self.client.follow(&now),
            Step::Load | Step::Nothing => {}
        }
    }

    async fn look_at_address(&self, address: &str, followed: &FollowedFile) {
        let Some(bytes) = delivery::size(address).await else { return };
        self.dispatch.emit(Action::SizeSeen(bytes));
        match followed.step(bytes) {
            Step::Reopen => {
                self.open_named(false);
                self.show_notice(Notice::info(OVERWRITTEN));
            }
            Step::Load if self.client.may_follow() => self.client.follow_address(address),
            Step::Load | Step::Nothing => {}
        }
    }

    pub fn pause_following(&self, is_paused: bool) {
        self.dispatch.emit(Action::FollowingPaused(is_paused));
    }

    /// Reopens a file in its current state, through the handle that the browser gave.
    pub fn open_again(&self, file: &FileHandle) {
        let (commands, file) = (self.clone(), file.clone());
        spawn_local(async move {
            match recent_files::current(&file).await {
                Some(now) => commands.open(&now),
                None => {
                    let text = "Can't read the file: it was moved, or the browser blocked access. Open it again.";
                    commands.show_notice(Notice::problem(text));
                }
            }
        });
    }
}

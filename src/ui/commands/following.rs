//! Checks the open file from time to time and loads what the program has written since.

use wasm_bindgen_futures::spawn_local;

use super::Commands;
use crate::ui::platform::recent_files;
use crate::ui::store::action::Action;
use crate::ui::store::follow_status::FollowStatus;
use crate::ui::store::notice::Notice;
use crate::ui::store::source::FileHandle;

/// The main trace's file and how much of it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedFile {
    pub file: FileHandle,
    pub bytes_shown: u64,
    pub growth: FollowStatus,
    pub is_paused: bool,
}

impl Commands {
    /// Checks the file once. Does nothing if the browser gave no handle to it.
    pub fn look_at(&self, followed: &FollowedFile) {
        let (commands, followed) = (self.clone(), followed.clone());
        spawn_local(async move {
            let Some(now) = recent_files::current(&followed.file).await else { return };
            let bytes = now.size() as u64;
            commands.dispatch.emit(Action::FileSeen(FileHandle::new(now.clone().into())));
            if followed.is_paused || followed.growth == FollowStatus::Stuck {
                return;
            }
            if followed.growth == FollowStatus::Replaced {
                commands.open(&now);
                let text = "The file was overwritten. Showing the new run.";
                commands.show_notice(Notice::info(text));
            } else if bytes != followed.bytes_shown && commands.client.may_follow() {
                commands.client.follow(&now);
            }
        });
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

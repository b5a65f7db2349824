//! The status line of a live trace: whether more data may come, and which run it is.

use ratatui::text::{Line, Span};

use super::theme::Theme;
use crate::follow::Activity;
use crate::terminal::state::FollowState;
use camlscope_present::format;
use camlscope_present::terminal_text::cut_middle;

pub fn line(follow: &FollowState, theme: Theme, width: u16) -> Line<'static> {
    let key = if follow.is_paused { "  p resume" } else { "  p pause" };
    let room = usize::from(width).saturating_sub(key.chars().count());
    let activity = activity(follow);
    let run = match follow.n_restarts {
        0 => String::new(),
        n => format!("run {}: {}, ", n + 1, follow.restarted_because),
    };
    let whole = format!("{run}{activity}");
    // If both don't fit, the number of the run is more important.
    let short = match follow.n_restarts {
        0 => activity,
        n => format!("run {}: {activity}", n + 1),
    };
    let words = if whole.chars().count() <= room { whole } else { cut_middle(&short, room).into_owned() };
    Line::from(vec![Span::styled(format!("{words:<room$}"), theme.heading()), Span::styled(key, theme.faint())])
}

fn activity(follow: &FollowState) -> String {
    let nothing = |idle: std::time::Duration| {
        let idle = format::duration_us(1_000_000 * idle.as_secs());
        format!("no new data for {idle}: the program")
    };
    match follow.activity {
        _ if follow.is_paused => "paused".to_owned(),
        Activity::Writing => "following the program".to_owned(),
        Activity::Resting(idle) => format!("{} is idle", nothing(idle)),
        Activity::Ended => "the program exited".to_owned(),
        Activity::Silent(idle) => format!("{} exited or is idle", nothing(idle)),
    }
}

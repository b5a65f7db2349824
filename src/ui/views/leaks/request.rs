//! Which objects the leaks view is about, and what a site is.

use crate::protocol::View;
use crate::query::findings;
use crate::query::measure::Measure;
use crate::query::tree::Grain;
use crate::ui::store::view::ViewState;

/// What the command line asks: all objects of the filter, whatever the measure.
pub fn view(view_state: &ViewState) -> View {
    View { measure: Measure::Allocated, grain: grain(view_state), ..view_state.query_view() }
}

/// Call sites, as the command line has it. Where the library is hidden, its bytes are those of whole functions.
pub fn grain(view_state: &ViewState) -> Grain {
    let default = if hides_library(view_state) { Grain::Function } else { Grain::Site };
    view_state.leaks.grain.unwrap_or(default)
}

fn hides_library(view_state: &ViewState) -> bool {
    view_state.filter().clauses.contains(&findings::library())
}

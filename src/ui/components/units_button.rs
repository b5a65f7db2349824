//! The button that switches between units of 1024 and 1000.

use yew::prelude::*;

use camlscope_present::format::Units;

pub fn units_button(units: Units, on_units: &Callback<Units>) -> Html {
    let other = if units == Units::Binary { Units::Decimal } else { Units::Binary };
    let onclick = on_units.reform(move |_: MouseEvent| other);
    let words = |units: Units| format!("{} of {}", units.names()[2], units.factor());
    let name = format!("Units: {}. Switch to {}.", words(units), words(other));
    html! {
        <button type="button" class="button button-quiet" {onclick} aria-label={name.clone()} title={name}>
            { units.names()[2] }
        </button>
    }
}

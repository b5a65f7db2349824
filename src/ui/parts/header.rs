//! The line on top of every screen: whose page this is, what is open, and what can always be done.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::brand::Mark;
use super::help::HelpButton;
use super::open_button::OpenButton;
use super::theme_button::ThemeButton;
use crate::ui::facts;
use crate::ui::state::Loaded;
use crate::ui::theme::Theme;

#[derive(Clone, Debug, PartialEq, Properties)]
pub struct HeaderProps {
    pub loaded: Option<Rc<Loaded>>,
    pub theme: Theme,
    pub on_file: Callback<File>,
    pub on_theme: Callback<Theme>,
}

#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let open = props.loaded.as_ref().map(|loaded| {
        let title = facts::title(&loaded.main.summary, &loaded.main.name);
        let subtitle = facts::subtitle(&loaded.main.summary);
        html! { <p class="what"><b title={loaded.main.name.clone()}>{ title }</b><span>{ " · " }{ subtitle }</span></p> }
    });
    html! {
        <header class="top">
            <p class="brand"><Mark size={18} />{ "camlscope" }</p>
            { open }
            <div class="top-actions">
                if props.loaded.is_some() {
                    <OpenButton label="Open…" on_file={&props.on_file} />
                }
                <HelpButton />
                <ThemeButton theme={props.theme} on_theme={&props.on_theme} />
            </div>
        </header>
    }
}

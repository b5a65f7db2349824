//! The search field of the flame graphs and tables. All of them share one search: plain text, or a regular expression
//! between slashes.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::search::Search;
use camlscope_engine::query::tree::Label;
use camlscope_present::words::errors::filter_error;

/// A compiled search. Two are equal if their texts are equal.
#[derive(Clone)]
pub struct Matcher {
    text: String,
    search: Rc<Search>,
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Matcher) -> bool {
        self.text == other.text
    }
}

impl Matcher {
    pub fn finds(&self, label: &Label) -> bool {
        self.search.finds(label)
    }
}

/// Returns `None` without a search, or what is wrong with it.
#[hook]
pub fn use_matcher(view_state: &ViewState) -> Result<Option<Matcher>, String> {
    let matcher = use_memo(view_state.search.clone(), |text| match Search::parse(text) {
        Ok(search) => Ok(search.map(|search| Matcher { text: text.clone(), search: Rc::new(search) })),
        Err(error) => Err(filter_error(&error)),
    });
    (*matcher).clone()
}

/// `found` describes the matches, or the problem. `on_step` goes to the next match, or to the previous one if it is
/// false. `on_leave` moves the focus to what is searched.
pub fn search_field(
    view_state: &ViewState,
    dispatch: &Callback<ViewAction>,
    found: Result<Html, String>,
    on_step: Callback<bool>,
    on_leave: Callback<()>,
) -> Html {
    let oninput = dispatch
        .reform(|event: InputEvent| ViewAction::Search(event.target_unchecked_into::<HtmlInputElement>().value()));
    let onkeydown = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                on_step.emit(!event.shift_key());
            }
            "Escape" => {
                event.prevent_default();
                dispatch.emit(ViewAction::Search(String::new()));
                on_leave.emit(());
            }
            _ => {}
        })
    };
    let is_searching = !view_state.search.trim().is_empty();
    let is_invalid = found.is_err();
    let status = match found {
        Ok(words) => words,
        Err(problem) => html! { <span class="flame-problem">{ problem }</span> },
    };
    html! {
        <div class="flame-search">
            <div class="flame-field">
                <input type="search" data-search="functions" value={view_state.search.clone()} {oninput} {onkeydown}
                    placeholder="Search, or /regex/" aria-label="Search names and files" aria-keyshortcuts="/"
                    title="Text, or a regular expression between slashes" spellcheck="false" autocomplete="off"
                    aria-invalid={is_invalid.to_string()} aria-describedby="search-found" />
                if !is_searching {
                    <kbd aria-hidden="true">{ "/" }</kbd>
                }
            </div>
            <span id="search-found" class="flame-found" role="status">{ is_searching.then_some(status) }</span>
        </div>
    }
}

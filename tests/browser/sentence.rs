//! The sentence with its filters, which can be added, changed, disabled and removed. All figures match the native engine's.

use anyhow::{Context, Result, anyhow, ensure};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::filter::{DiesWithin, Filter, When};
use camlscope_engine::query::measure::Measure;
use camlscope_present::words::presets::presets;
use serde_json::json;

use crate::keys::{DOWN, ENTER, ESCAPE, LEFT, TAB};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{answer, open_sample};
use crate::visit::visit;

const PEAK: Measure = Measure::Live(When::Peak);

#[test]
pub fn every_measure_and_unit_has_the_engines_figures() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        shows(page, "", PEAK)?;
        choose(page, "Measure", "Allocated")?;
        shows(page, "", Measure::Allocated)?;
        choose(page, "Unit", "blocks")?;
        shows(page, "", Measure::Blocks)?;
        choose(page, "Unit", "samples")?;
        shows(page, "", Measure::Samples)?;
        choose(page, "Measure", "Bytes × lifetime")?;
        shows(page, "", Measure::ByteSeconds)?;
        page.says("byte-seconds")?;
        choose(page, "Measure", "Promoted")?;
        shows(page, "", Measure::Promoted)?;
        choose(page, "Measure", "Temporary")?;
        shows(page, "", Measure::Temporary(DiesWithin::default()))?;
        type_threshold(page, "10")?;
        type_threshold(page, "1s")?;
        shows(page, "", Measure::Temporary(DiesWithin::Micros(1_000_000)))?;
        page.wait_for_address("show=temporary:1s")?;
        choose(page, "Measure", "Live at a time")?;
        type_threshold(page, "20.5")?;
        shows(page, "", Measure::Live(When::At(20_500_000)))?;
        page.wait_for("the progress bar to disappear", || Ok(page.attribute(".working", "class")?.is_none()))
    })
}

/// Types into the field next to the measure.
fn type_threshold(page: &Page, text: &str) -> Result<()> {
    let clear = "
        const field = document.querySelector('.say-time');
        field.value = '';
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    page.browser.run(clear, json!([]))?;
    page.type_into(".say-time", &format!("{text}{ENTER}"))
}

#[test]
fn typed_text_stays_while_the_page_is_redrawn() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        choose(page, "Measure", "Live at a time")?;
        page.wait_until_idle()?;
        page.browser.run("document.querySelector('.say-time').select()", json!([]))?;
        page.type_into(".say-time", "20.5")?;
        // This redraws the filter bar and the view. A script's click leaves the focus in the field.
        page.browser.run("document.querySelector('[data-reading=library] input').click()", json!([]))?;
        page.wait_until_idle()?;
        let typed = page.browser.run("return document.querySelector('.say-time').value", json!([]))?;
        ensure!(typed.as_str().is_some_and(|typed| typed.contains("20.5")), "the field contains {typed}");
        page.type_into(".say-time", ENTER)?;
        shows(page, "", Measure::Live(When::At(20_500_000)))?;

        // Text that isn't a time stays, with a message, until it is corrected.
        page.browser.run("document.querySelector('.say-time').select()", json!([]))?;
        page.browser.press(&format!("yesterday{ENTER}"))?;
        page.wait_for_text("“yesterday” isn't a time. Use a time such as 3.5s, peak or end.")?;
        let typed = page.browser.run("return document.querySelector('.say-time').value", json!([]))?;
        ensure!(typed == "yesterday", "the field contains {typed}");
        fits_every_window(page)?;
        shows(page, "", Measure::Live(When::At(20_500_000)))?;
        page.browser.run("document.querySelector('.say-time').select()", json!([]))?;
        page.browser.press(&format!("30s{ENTER}"))?;
        shows(page, "", Measure::Live(When::At(30_000_000)))?;
        ensure!(!page.text()?.contains("isn't a time"), "the message is still there");
        Ok(())
    })
}

#[test]
fn live_objects_can_be_counted_in_blocks_as_a_share_of_all_live_blocks() -> Result<()> {
    visit(|page| {
        open(page, "#size=..256")?;
        choose(page, "Unit", "blocks")?;
        let live = amounts("live-at=peak", Measure::Blocks)?.passing.value;
        let small = amounts("live-at=peak&size=..256", Measure::Blocks)?.passing.value;
        page.wait_for("the live blocks", || {
            let shown = (page.figure("passing.passing.value").ok(), page.figure("passing.whole.value").ok());
            Ok(shown == (Some(small.to_string()), Some(live.to_string())))
        })?;
        // The peak is part of the sentence, so it has no chip.
        has_chips(page, &["size=..256"])?;
        choose(page, "Unit", "bytes")?;
        shows(page, "size=..256", PEAK)
    })
}

#[test]
pub fn size_filter_can_be_typed_dragged_disabled_and_removed() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Size")?;
        field(page, "from", "2")?;
        field(page, "to", "256")?;
        page.press("Add")?;
        has_chips(page, &["size=2..256"])?;
        shows(page, "size=2..256", PEAK)?;

        page.press("of 2 to 256 words")?;
        page.wait_for("the distribution", || Ok(page.attribute(".range-in", "height")?.is_some()))?;
        fits_every_window(page)?;
        page.type_into(".range-handle[aria-label=To]", &LEFT.repeat(30))?;
        page.press("Apply")?;
        let clause = page.attribute("[data-clause]", "data-clause")?.context("the chip is gone")?;
        let bound: u64 = clause.trim_start_matches("size=2..").parse().with_context(|| clause.clone())?;
        ensure!((8..256).contains(&bound), "30 steps to the left moved the limit from 256 to {bound}");
        shows(page, &clause, PEAK)?;

        page.click("//input[@class='chip-switch']")?;
        shows(page, "", PEAK)?;
        ensure!(page.attribute("[data-clause]", "data-on")?.as_deref() == Some("false"), "the chip isn't off");
        let script = "return getComputedStyle(document.querySelector('.chip-words')).textDecorationLine";
        ensure!(page.browser.run(script, json!([]))? == "line-through", "the chip isn't struck through");
        page.click("//input[@class='chip-switch']")?;
        shows(page, &clause, PEAK)?;
        page.click("//button[starts-with(@aria-label, 'Remove')]")?;
        has_chips(page, &[])?;
        shows(page, "", PEAK)
    })
}

#[test]
pub fn every_kind_of_filter_can_be_added() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Lifetime")?;
        field(page, "to", "10s")?;
        page.press("Add")?;
        add(page, "Heap")?;
        check(page, "promoted to the major heap")?;
        check(page, "allocated in the major heap")?;
        page.press("Add")?;
        add(page, "Domain")?;
        check(page, "0")?;
        page.press("Add")?;
        for kind in ["Allocated in time range", "Live during time range"] {
            add(page, kind)?;
            field(page, "from", "1s")?;
            field(page, "to", "1min")?;
            page.press("Add")?;
        }
        add(page, "Hide functions")?;
        enter(page, "#name", "Stdlib")?;
        let made = [
            "lifetime=..10s",
            "heap=promoted,major",
            "domain=0",
            "allocated=1s..60s",
            "live-within=1s..60s",
            "hide-contains=Stdlib",
        ];
        has_chips(page, &made)?;
        shows(page, &made.join("&"), PEAK)?;
        fits_every_window(page)?;
        page.press("Clear")?;
        add(page, "Live at a time")?;
        check(page, "at a time")?;
        field(page, "time", "20s")?;
        page.press("Add")?;
        add(page, "Live throughout time range")?;
        field(page, "from", "19s")?;
        field(page, "to", "21s")?;
        page.press("Add")?;
        add(page, "One function calls another")?;
        page.type_into("#name", "Orders.Server.serve")?;
        enter(page, "#callee", "Orders.Server.handle")?;
        add(page, "Focus on a function")?;
        enter(page, "#name", "Orders.Server.handle")?;
        let made = [
            "live-at=20s",
            "live-through=19s..21s",
            "calls=Orders.Server.serve%3EOrders.Server.handle",
            "focus=Orders.Server.handle",
        ];
        has_chips(page, &made)?;
        shows(page, &made.join("&"), PEAK)
    })
}

#[test]
pub fn names_are_suggested_and_can_be_chosen_with_arrow_keys() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Function, file, module or line")?;
        page.type_into("#name", "sess")?;
        page.wait_for("a suggestion", || Ok(page.attribute("[role=option]", "id")?.is_some()))?;
        page.browser.press(DOWN)?;
        page.wait_for("the first suggestion to be active", || {
            Ok(page.attribute("[role=option]", "aria-selected")?.as_deref() == Some("true"))
        })?;
        let script = "return document.querySelector('[role=option][aria-selected=true]').textContent";
        let name = page.browser.run(script, json!([]))?;
        let name = name.as_str().context("no name")?;
        page.browser.press(ENTER)?;
        page.wait_for("the name in the field", || {
            Ok(page.browser.run("return document.querySelector('#name').value", json!([]))? == name)
        })?;
        check(page, "exclude matches")?;
        page.press("Add")?;
        let clause = format!("not-function-is={name}");
        has_chips(page, &[&clause])?;
        shows(page, &clause, PEAK)
    })
}

#[test]
fn line_is_added_by_the_end_of_its_path_and_needs_a_number() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Function, file, module or line")?;
        choose(page, "Match on", "line")?;
        page.type_into("#name", "orders.ml")?;
        page.wait_for_text("expected a file and a line such as orders.ml:88")?;
        page.type_into("#name", ":8")?;
        page.wait_for("a suggestion", || Ok(page.attribute("[role=option]", "id")?.is_some()))?;
        page.screenshot("line-filter")?;
        page.type_into("#name", "6")?;
        page.press("Add")?;
        has_chips(page, &["line=orders.ml:86"])?;
        shows(page, "line=orders.ml:86", PEAK)
    })
}

#[test]
fn invalid_filter_is_reported_and_not_added() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Size")?;
        field(page, "from", "many")?;
        page.wait_for_text("a number of words such as 257..")?;
        page.browser.press(ENTER)?;
        has_chips(page, &[])?;
        page.browser.press(ESCAPE)?;
        page.wait_for("the window to close", || Ok(page.attribute(".popover", "role")?.is_none()))?;
        let focused = page.browser.run("return document.activeElement.textContent", json!([]))?;
        ensure!(focused == "+ Filter", "the focus moved to {focused}");
        Ok(())
    })
}

#[test]
pub fn preset_applies_with_one_click_and_back_undoes_it() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        add(page, "Size")?;
        field(page, "to", "8")?;
        page.press("Add")?;
        has_chips(page, &["size=..8"])?;
        for preset in presets(None) {
            page.press("Presets")?;
            page.press(preset.question)?;
            let clauses: Vec<String> = preset.filter.clauses.iter().map(ToString::to_string).collect();
            has_chips(page, &clauses.iter().map(String::as_str).collect::<Vec<_>>())?;
            shows(page, &preset.filter.to_string(), preset.measure)?;
        }
        for preset in presets(None).iter().rev().skip(1) {
            page.go_back()?;
            shows(page, &preset.filter.to_string(), preset.measure)?;
        }
        page.go_back()?;
        has_chips(page, &["size=..8"])?;
        shows(page, "size=..8", PEAK)?;
        page.browser.run("history.forward()", json!([]))?;
        has_chips(page, &[])
    })
}

#[test]
pub fn copied_link_shows_the_same_chips_and_figures() -> Result<()> {
    visit(|page| {
        let filter = "size=2..256&not-module-contains=Camlinternal";
        open(page, &format!("#show=end&{filter}&off.heap=minor"))?;
        has_chips(page, &["size=2..256", "not-module-contains=Camlinternal", "heap=minor"])?;
        shows(page, filter, Measure::Live(When::End))?;
        choose(page, "Measure", "Allocated")?;
        page.click("//input[@class='chip-switch']")?;
        shows(page, "not-module-contains=Camlinternal", Measure::Allocated)?;
        page.wait_for_address("not-module-contains=")?;
        let link = page.browser.run("return location.hash", json!([]))?;
        let link = link.as_str().context("no link")?.to_owned();
        // Reloads the page and the file.
        page.browser.run("history.replaceState(null, '', ' ')", json!([]))?;
        page.browser.reload()?;
        open(page, &link)?;
        has_chips(page, &["size=2..256", "not-module-contains=Camlinternal", "heap=minor"])?;
        shows(page, "not-module-contains=Camlinternal", Measure::Allocated)
    })
}

#[test]
fn filter_that_no_object_can_match_is_reported() -> Result<()> {
    visit(|page| {
        open(page, "#collected=..&collected=never")?;
        page.wait_for_text(
            "No object can match this filter: objects that were never collected have no collection time.",
        )?;
        page.says("Change or remove one of the filters.")?;
        page.click("//button[starts-with(@aria-label, 'Remove: never')]")?;
        shows(page, "collected=..", PEAK)?;
        add(page, "Size")?;
        field(page, "from", "1GiB")?;
        page.press("Add")?;
        page.wait_for_text("Without “of 1 GiB or more”:")?;
        page.press("Disable it")?;
        shows(page, "collected=..", PEAK)
    })
}

#[test]
pub fn shortcuts_are_listed_with_a_key_and_do_not_act_in_text_fields() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        let tab_is =
            |tab: &str| page.wait_for(tab, || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(tab)));
        page.browser.press("?")?;
        page.wait_for_text("Keyboard shortcuts")?;
        fits_every_window(page)?;
        for _ in 0..5 {
            page.browser.press(TAB)?;
            // Between two rounds, the focus may be in the browser's own UI, but never in the page behind the dialog.
            let script = "const at = document.activeElement; return at === document.body || !!at.closest('dialog')";
            ensure!(page.browser.run(script, json!([]))? == true, "the focus left the dialog");
        }
        page.browser.press("3")?;
        tab_is("summary")?;
        page.browser.press(ESCAPE)?;
        page.wait_for("the list to close", || Ok(page.attribute("dialog", "open")?.is_none()))?;
        page.browser.press("3")?;
        tab_is("table")?;
        page.browser.press("[")?;
        tab_is("flame")?;
        page.browser.press("]")?;
        tab_is("table")?;
        page.browser.press("/")?;
        page.wait_for("the search to have the focus", || {
            Ok(page.browser.run("return document.activeElement.hasAttribute('data-search')", json!([]))? == true)
        })?;
        page.browser.press("1/?")?;
        tab_is("table")?;
        ensure!(page.attribute("dialog", "open")?.is_none(), "the list opened while typing");
        page.click("//button[@role='tab'][.='Flame graph']")?;
        page.browser.press(LEFT)?;
        tab_is("summary")?;
        let focused = page.browser.run("return document.activeElement.id", json!([]))?;
        ensure!(focused == "tab-summary", "the focus is on {focused}");
        add(page, "Size")?;
        field(page, "to", "3")?;
        tab_is("summary")
    })
}

pub fn open(page: &Page, hash: &str) -> Result<()> {
    page.browser.go(&format!("{}{hash}", page.url))?;
    page.wait_for_worker("ready")?;
    // A link to the sample opens it.
    if !hash.contains("trace=") {
        open_sample(page)?;
    }
    page.wait_for_screen("loaded")?;
    page.wait_for("the sentence", || Ok(page.attribute(".say-figures", "data-waiting")?.is_some()))?;
    // Otherwise, elements could move before a click reaches them.
    page.wait_until_idle()
}

/// Returns the native engine's response for the same file.
fn amounts(filter: &str, measure: Measure) -> Result<Amounts> {
    let view = View { filter: Filter::parse(filter)?, measure, ..View::default() };
    match answer(&Request { view, question: Question::Amounts })? {
        Answer::Amounts(amounts) => Ok(amounts),
        other => Err(anyhow!("not amounts: {other:?}")),
    }
}

pub fn shows(page: &Page, filter: &str, measure: Measure) -> Result<()> {
    let amounts = amounts(filter, measure)?;
    let figures = [
        ("passing.passing.value", amounts.passing.value.to_string()),
        ("passing.passing.samples", amounts.passing.samples.to_string()),
        ("passing.whole.value", amounts.whole.value.to_string()),
        ("passing.share_error", amounts.share_error.unwrap_or_default().to_string()),
    ];
    page.wait_for(&format!("the figures of “{filter}” by {measure:?}: {figures:?}"), || {
        Ok(figures.iter().all(|(name, value)| page.figure(name).ok().as_ref() == Some(value)))
    })
}

fn has_chips(page: &Page, clauses: &[&str]) -> Result<()> {
    let script = "return [...document.querySelectorAll('[data-clause]')].map((chip) => chip.dataset.clause)";
    page.wait_for(&format!("the chips {clauses:?}"), || Ok(page.browser.run(script, json!([]))? == json!(clauses)))
}

fn choose(page: &Page, of: &str, what: &str) -> Result<()> {
    page.wait_until_idle()?;
    page.click(&format!("//select[@aria-label='{of}']/option[.='{what}']"))
}

fn add(page: &Page, kind: &str) -> Result<()> {
    page.press("+ Filter")?;
    page.wait_until_idle()?;
    page.click(&format!("//button[@role='menuitem'][.='{kind}']"))?;
    page.wait_for("the window", || Ok(page.attribute(".editor", "class")?.is_some()))
}

fn field(page: &Page, label: &str, text: &str) -> Result<()> {
    page.click(&format!("//label[span[.='{label}']]/input"))?;
    page.browser.press(text)
}

/// Types a name and presses Enter once the page has processed it, because a driver types faster than any user.
fn enter(page: &Page, field: &str, name: &str) -> Result<()> {
    page.type_into(field, name)?;
    page.wait_until_idle()?;
    page.browser.press(ENTER)
}

fn check(page: &Page, label: &str) -> Result<()> {
    page.click(&format!("//label[span[.='{label}']]"))
}

//! The flame graph, used with the pointer, with the keyboard, and through its accessibility tree.

use std::cell::Cell;

use anyhow::{Context, Result, ensure};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Branches, Direction};
use camlscope_engine::query::measure::Measure;
use serde_json::json;

use crate::keys::{DOWN, ENTER, ESCAPE, LEFT, RIGHT, TAB, UP};
use crate::page::Page;
use crate::traces::{SAMPLE, answer, open_sample};
use crate::visit::visit;

/// The height of a row.
const ROW: f64 = 20.0;

#[test]
fn tooltip_of_a_frame_has_the_engines_figures() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (name, total, samples) = heaviest(&[])?;
        hover(page, 0.1, 1)?;
        page.wait_for_text(&name)?;
        ensure!(figure(page, "flame.total")? == total, "the tooltip's total is not {total}");
        ensure!(page.count("flame.samples")? == samples);
        page.wait_for("the mean lifetime", || Ok(!page.figure("flame.mean_lifetime_us")?.is_empty()))?;
        let tip = page.browser.run("return document.querySelector('.flame-tip').innerText", json!([]))?;
        ensure!(tip.as_str().is_some_and(|tip| tip.contains('±') && tip.contains("live at the peak")), "{tip}");
        Ok(())
    })
}

#[test]
fn double_click_zooms_to_a_frame_and_breadcrumbs_lead_back() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (first, ..) = heaviest(&[])?;
        let (second, ..) = heaviest(&[&first])?;
        let at = point(page, 0.1, 2)?;
        for count in [1, 2] {
            click(page, at, "left", count)?;
        }
        page.wait_for("breadcrumbs", || Ok(crumbs(page)? == format!("all/{first}/{second}")))?;
        page.wait_for_address("root=")?;
        page.says("reset zoom")?;
        page.click(&format!("//nav[@aria-label='Zoomed to']//button[.='{first}']"))?;
        page.wait_for("one level up", || Ok(crumbs(page)? == format!("all/{first}")))?;
        page.browser.run("history.back()", json!([]))?;
        page.wait_for("the previous zoom", || Ok(crumbs(page)? == format!("all/{first}/{second}")))?;
        page.browser.press("0")?;
        page.wait_for("all", || Ok(crumbs(page)? == "all"))?;

        // In a narrow window, a deep path is shortened, and no name is cut but the last.
        page.resize(390, 844)?;
        page.browser.run("location.hash = arguments[0]", json!([deep_zoom()?]))?;
        page.wait_for("the path to the deepest frame", || {
            Ok(crumbs(page)?.starts_with("all/Orders/") && !crumbs(page)?.contains("Orders.Server"))
        })?;
        page.wait_until_idle()?;
        let cut = "return [...document.querySelectorAll('.flame-crumbs button')]
            .filter((crumb) => crumb.scrollWidth > crumb.clientWidth + 1).map((crumb) => crumb.textContent)";
        ensure!(page.browser.run(cut, json!([]))? == json!([]), "names are cut: {}", crumbs(page)?);
        ensure!(page.browser.run(IS_LAST_VISIBLE, json!([]))? == true, "the zoomed frame is out of sight");
        Ok(())
    })
}

/// Whether the last entry of the path is in the window.
const IS_LAST_VISIBLE: &str = "
    const { left, right } = document.querySelector('.flame-crumbs b').getBoundingClientRect();
    return right - left > 20 && right <= innerWidth";

/// Returns the view that is zoomed to the end of the heaviest path.
fn deep_zoom() -> Result<String> {
    let (mut path, mut hash): (Vec<String>, _) = (Vec::new(), "#tab=flame".to_owned());
    loop {
        let below = branches(Direction::TopDown, &path.iter().map(String::as_str).collect::<Vec<_>>())?;
        let Some(heaviest) = below.children.into_iter().next() else { return Ok(hash) };
        hash.push_str(&format!("&root={}", heaviest.label.to_text()));
        path.push(heaviest.label.name);
    }
}

#[test]
fn zoom_is_animated_unless_the_user_prefers_reduced_motion() -> Result<()> {
    /// Zooms to a frame, and returns how often the picture was drawn on the way.
    fn n_pictures(page: &Page) -> Result<u64> {
        // The panel opens now, so that the graph keeps its width during the zoom.
        click(page, point(page, 0.1, 2)?, "left", 1)?;
        page.wait_for_address("selected=")?;
        // On a busy machine, an animation may be over before a frame is shown, so this clock runs with the frames.
        let watch = "
            let time = performance.now();
            const tick = () => { time += 20; requestAnimationFrame(tick); };
            tick();
            performance.now = () => time;
            window.pictures = 0;
            new MutationObserver((seen) => { window.pictures += seen.length })
                .observe(document.querySelector('.flame-canvas'), { attributes: true, attributeFilter: ['data-draw-ms'] })";
        let at = point(page, 0.1, 2)?;
        page.browser.run(watch, json!([]))?;
        for count in [1, 2] {
            click(page, at, "left", count)?;
        }
        page.wait_for("breadcrumbs", || Ok(crumbs(page)?.contains('/')))?;
        // The animation has ended when the browser shows frames without a new picture.
        let at_rest = "
            const frame = () => new Promise(requestAnimationFrame);
            const before = window.pictures;
            return frame().then(frame).then(frame).then(() => window.pictures === before)";
        page.wait_for("the animation to end", || Ok(page.browser.run(at_rest, json!([]))? == true))?;
        page.wait_until_idle()?;
        page.browser.run("return window.pictures", json!([]))?.as_u64().context("no count")
    }
    let moving = Cell::new(0);
    visit(|page| {
        open(page)?;
        moving.set(n_pictures(page)?);
        Ok(())
    })?;
    visit(|page| {
        page.prefer_no_motion()?;
        open(page)?;
        let still = n_pictures(page)?;
        ensure!(still < moving.get(), "{still} pictures without motion, {} with it", moving.get());
        Ok(())
    })
}

#[test]
fn touch_selects_a_frame_and_a_time_range() -> Result<()> {
    visit(|page| {
        page.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }))?;
        open(page)?;
        let (name, ..) = heaviest(&[])?;
        page.touch(&[point(page, 0.1, 1)?])?;
        page.wait_for("the frame in the panel", || {
            let title = page.browser.run("return document.querySelector('.panel h2')?.innerText ?? ''", json!([]))?;
            Ok(title.as_str().is_some_and(|title| title.contains(&name)))
        })?;
        let [left, top, width, height] = page.area(".timeline-canvas")?;
        page.touch(&[0.3, 0.4, 0.5, 0.6].map(|part| (left + part * width, top + height / 3.0)))?;
        page.wait_for_address("allocated=")
    })
}

#[test]
pub fn search_shows_the_matched_share_and_enter_goes_to_the_next_match() -> Result<()> {
    visit(|page| {
        open(page)?;
        let Answer::Find(found) = ask(Question::Find("Json".to_owned()))? else { anyhow::bail!("no answer") };
        page.browser.press("/")?;
        page.browser.press("Json")?;
        page.wait_for("the share that matched", || Ok(page.figure("find.percent").is_ok()))?;
        ensure!(figure(page, "find.percent")? == found.percent, "not {}%", found.percent);
        ensure!(figure(page, "find.percent_error")? == found.percent_error);
        page.says("matched ")?;
        page.browser.press(ENTER)?;
        page.wait_for_text("1 of ")?;
        let one = tip(page)?;
        page.browser.press(ENTER)?;
        page.wait_for_text("2 of ")?;
        ensure!(one.contains("Json") && tip(page)?.contains("Json"));
        page.browser.press("/")?;
        page.browser.press(ESCAPE)?;
        page.wait_for("an empty field", || Ok(!page.text()?.contains("matched")))
    })
}

#[test]
fn click_selects_a_function_and_its_menu_focuses_on_it() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (first, ..) = heaviest(&[])?;
        let (second, ..) = heaviest(&[&first])?;
        let at = point(page, 0.1, 2)?;
        click(page, at, "left", 1)?;
        page.wait_for_address(&format!("selected={second}@"))?;
        click(page, at, "right", 1)?;
        page.wait_for("the menu", || Ok(page.attribute("[role=menu]", "aria-label")?.as_deref() == Some(&second)))?;
        page.click("//*[@role='menu']//button[.='Focus']")?;
        page.wait_for_address(&format!("focus={second}"))?;
        page.wait_for("the focused flame graph", || {
            hover(page, 0.1, 1)?;
            Ok(tip(page)?.starts_with(&second))
        })
    })
}

#[test]
fn bottom_up_starts_with_allocating_functions_and_sandwich_shows_callers() -> Result<()> {
    visit(|page| {
        open(page)?;
        choose(page, "Direction", "up")?;
        let up = branches(Direction::Inverted, &[])?;
        page.wait_for("the largest allocating function", || {
            hover(page, 0.02, 1)?;
            Ok(figure(page, "flame.total")? == up.children[0].total)
        })?;
        choose(page, "Direction", "down")?;
        page.wait_for_address("#tab=flame&trace=")?;
        let at = point(page, 0.1, 2)?;
        click(page, at, "left", 1)?;
        click(page, at, "right", 1)?;
        page.wait_for("the menu", || Ok(page.attribute("[role=menu]", "role")?.is_some()))?;
        page.click("//*[@role='menu']//button[.='Callers and callees']")?;
        page.wait_for("the sandwich", || Ok(crumbs(page)?.contains("callers and callees of")))?;
        let (first, ..) = heaviest(&[])?;
        // The caller is above the function, and its callees are below.
        page.wait_for("the caller above", || {
            hover(page, 0.1, 0)?;
            Ok(tip(page).unwrap_or_default().starts_with(&first))
        })?;
        Ok(())
    })
}

#[test]
pub fn keyboard_moves_zooms_and_opens_the_menu() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (first, second, below) = way_down()?;
        let (third, sibling) = (&below.children[0].label.name, &below.children[1].label.name);
        focus_tree(page)?;
        let walk = [(DOWN, &first), (DOWN, &second), (DOWN, third), (RIGHT, sibling), (UP, &second), (DOWN, third)];
        for (key, name) in walk {
            page.browser.press(key)?;
            wait_for_keyboard_at(page, name)?;
        }
        page.browser.press(ENTER)?;
        page.wait_for("the zoom", || Ok(crumbs(page)? == format!("all/{first}/{second}/{third}")))?;
        page.browser.press("m")?;
        page.wait_for("the menu to have the focus", || {
            Ok(page.browser.run("return document.activeElement?.textContent", json!([]))? == "Focus")
        })?;
        page.browser.press(DOWN)?;
        page.wait_for("the next menu item", || {
            Ok(page.browser.run("return document.activeElement?.textContent", json!([]))? == "Hide")
        })?;
        page.browser.press(ESCAPE)?;
        page.wait_for("the tree to have the focus again", || {
            Ok(page.browser.run("return document.activeElement?.getAttribute('role')", json!([]))? == "tree")
        })?;
        page.browser.press("w")?;
        page.wait_for("a zoomed picture", || {
            let shown = page.attribute(".flame-minimap", "aria-label")?.unwrap_or_default();
            Ok(!shown.contains("0 to 100%"))
        })?;
        page.browser.press("0")?;
        page.wait_for("all", || Ok(crumbs(page)? == "all"))
    })
}

#[test]
fn no_key_is_lost_while_the_tree_is_loading() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (_, _, below) = way_down()?;
        focus_tree(page)?;
        let script = "
            const tree = document.querySelector('[role=tree]');
            for (const key of arguments[0]) {
                tree.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            }";
        page.browser.run(script, json!([["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]]))?;
        wait_for_keyboard_at(page, &below.children[1].label.name)?;
        // Keys that can't move the focus are also processed.
        page.browser.press(&[LEFT, LEFT, LEFT].concat())?;
        wait_for_keyboard_at(page, &below.children[0].label.name)?;
        page.browser.press(RIGHT)?;
        wait_for_keyboard_at(page, &below.children[1].label.name)
    })
}

#[test]
pub fn empty_flame_graph_names_the_filter_to_disable() -> Result<()> {
    visit(|page| {
        open(page)?;
        page.browser.run("location.hash = '#tab=flame&size=100000000..&lifetime=..1s'", json!([]))?;
        page.wait_for_text("Nothing to show")?;
        page.wait_for_text("words” to show")?;
        page.browser.run("location.hash = '#tab=flame&size=100000000..'", json!([]))?;
        page.wait_for("the filter that hides everything", || Ok(page.text()?.contains(" to show ")))?;
        page.press("Disable “")?;
        page.wait_for("the picture", || Ok(!page.text()?.contains("Nothing to show")))?;
        page.browser.run("location.hash = '#tab=flame&root=No.such@nowhere.ml'", json!([]))?;
        page.wait_for_text("isn't in the trace")?;
        page.press("Show all")?;
        page.wait_for("the picture", || Ok(crumbs(page)? == "all"))
    })
}

#[test]
fn flame_graph_fits_any_window_size() -> Result<()> {
    visit(|page| {
        open(page)?;
        // The sample's widest tree: all allocations, by call site.
        page.browser.run("location.hash = '#tab=flame&show=allocated&by=site'", json!([]))?;
        page.wait_until_idle()?;
        for width in [2560, 1440, 390, 360] {
            page.resize(width, 900)?;
            page.wait_until_idle()?;
            // The tooltip must fit as well.
            hover(page, 0.1, 3)?;
            page.wait_for("the tooltip", || Ok(!tip(page)?.is_empty()))?;
            page.fits_its_width()?;
        }
        Ok(())
    })
}

#[test]
fn flame_graph_updates_while_the_time_moves() -> Result<()> {
    visit(|page| {
        open(page)?;
        // The time moves once per frame. A page that waits for it to stop would never draw.
        let script = "
            const [canvas, timeline] = ['.flame-canvas', '.timeline-canvas'].map((css) => document.querySelector(css));
            let pictures = 0;
            new MutationObserver(() => pictures++).observe(canvas, { attributeFilter: ['data-draw-ms'] });
            return new Promise((resolve) => {
                let moves = 0;
                const step = () => {
                    if (pictures >= 10 || moves === 1000) return resolve(pictures);
                    const key = moves++ % 40 < 20 ? 'ArrowLeft' : 'ArrowRight';
                    timeline.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
                    requestAnimationFrame(step);
                };
                step();
            })";
        let pictures = page.browser.run(script, json!([]))?;
        ensure!(pictures.as_u64() >= Some(10), "only {pictures} pictures while the time moved 1,000 times");
        Ok(())
    })
}

pub fn open(page: &Page) -> Result<()> {
    page.open()?;
    open_sample(page)?;
    SAMPLE.is_shown(page)?;
    page.press("Flame graph")?;
    wait_for_picture(page)
}

/// Waits until the flame graph is drawn in its final size.
pub fn wait_for_picture(page: &Page) -> Result<()> {
    let is_drawn =
        "const canvas = document.querySelector('.flame-canvas'); return !!canvas?.dataset.drawMs && canvas.width > 0";
    page.wait_for("the picture", || Ok(page.browser.run(is_drawn, json!([]))? == true))?;
    page.wait_until_idle()
}

/// Returns the point at a fraction of the picture's width, in a row.
pub fn point(page: &Page, x: f64, row: u32) -> Result<(f64, f64)> {
    let [left, top, width, _] = page.area(".flame-canvas")?;
    Ok((left + x * width, top + (f64::from(row) + 0.5) * ROW))
}

pub fn hover(page: &Page, x: f64, row: u32) -> Result<()> {
    page.mouse_at("mouseMoved", point(page, x, row)?)
}

pub fn click(page: &Page, (x, y): (f64, f64), button: &str, count: u32) -> Result<()> {
    page.mouse_at("mouseMoved", (x, y))?;
    for kind in ["mousePressed", "mouseReleased"] {
        page.mouse(json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count }))?;
    }
    Ok(())
}

pub fn choose(page: &Page, control: &str, value: &str) -> Result<()> {
    page.click(&format!("//select[@aria-label='{control}']/option[@value='{value}']"))
}

pub fn tip(page: &Page) -> Result<String> {
    let text = page.browser.run("return document.querySelector('.flame-tip')?.innerText ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

pub fn crumbs(page: &Page) -> Result<String> {
    let script =
        "return [...document.querySelectorAll('.flame-crumbs li')].map((crumb) => crumb.textContent).join('/')";
    Ok(page.browser.run(script, json!([]))?.as_str().unwrap_or_default().to_owned())
}

/// Returns the heaviest frame, its heaviest child, and all children of that child.
fn way_down() -> Result<(String, String, Branches)> {
    let (first, ..) = heaviest(&[])?;
    let (second, ..) = heaviest(&[&first])?;
    let below = branches(Direction::TopDown, &[&first, &second])?;
    Ok((first, second, below))
}

pub fn focus_tree(page: &Page) -> Result<()> {
    page.wait_for("the focus to reach the tree", || {
        page.browser.press(TAB)?;
        Ok(page.browser.run("return document.activeElement?.getAttribute('role')", json!([]))? == "tree")
    })
}

/// Waits until a frame has the focus and the page knows its children.
fn wait_for_keyboard_at(page: &Page, name: &str) -> Result<()> {
    page.wait_for(&format!("the focus on {name}"), || {
        let current = current(page)?;
        Ok(current.starts_with(&format!("{name}, "))
            && current.contains("% of live bytes")
            && current.contains("child"))
    })
}

/// Returns what a screen reader reads for the frame that has the focus.
pub fn current(page: &Page) -> Result<String> {
    let script = "
        const id = document.querySelector('[role=tree]').getAttribute('aria-activedescendant');
        return document.getElementById(id)?.textContent ?? ''";
    Ok(page.browser.run(script, json!([]))?.as_str().unwrap_or_default().trim().to_owned())
}

fn figure(page: &Page, path: &str) -> Result<f64> {
    Ok(page.figure(path)?.parse()?)
}

/// Returns the name, total and samples of the heaviest frame below a path of functions.
pub fn heaviest(path: &[&str]) -> Result<(String, f64, u64)> {
    let heaviest = branches(Direction::TopDown, path)?.children.into_iter().next().context("no children")?;
    Ok((heaviest.label.name, heaviest.total, heaviest.samples))
}

/// Returns the children of a path from the native engine, live at the peak.
fn branches(direction: Direction, path: &[&str]) -> Result<Branches> {
    let mut parent = BoxSelector::Top;
    for _ in 0..=path.len() {
        let depth = match &parent {
            BoxSelector::Path(labels) => labels.len(),
            _ => 0,
        };
        let config = BranchConfig { direction: direction.clone(), parent: parent.clone(), rows: 0..1000 };
        let Answer::Branches(branches) = ask(Question::Branches(config))? else { anyhow::bail!("no answer") };
        let Some(name) = path.get(depth) else {
            return Ok(branches);
        };
        let labels = branches.children.into_iter().map(|branch| branch.label);
        let next = labels.into_iter().find(|label| label.name == **name).context("no such function")?;
        parent = match parent {
            BoxSelector::Path(labels) => BoxSelector::Path([labels, vec![next]].concat()),
            _ => BoxSelector::Path(vec![next]),
        };
    }
    anyhow::bail!("the path doesn't end")
}

fn ask(question: Question) -> Result<Answer> {
    let view = View { measure: Measure::Live(When::Peak), ..View::default() };
    answer(&Request { view, question })
}

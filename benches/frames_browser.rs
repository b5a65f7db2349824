//! Measures the first paint and how smoothly the page draws a large trace: frame times while the flame graph is zoomed and
//! panned, and flame graphs per second while the time of "live at" moves. A script sends one input event per frame.

#[path = "shared/in_browser.rs"]
#[allow(dead_code, reason = "this benchmark has no native results")]
mod in_browser;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camlscope_browser_tests::page::Page;
use in_browser::open_page;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Result<()> {
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        measure(Path::new(&file))?;
    }
    Ok(())
}

fn measure(file: &Path) -> Result<()> {
    let (page, _server) = open_page()?;
    page.resize(1440, 900)?;
    tell_start(&page)?;
    page.drop_path(&file.canonicalize()?)?;
    let there = |page: &Page, css: &str| -> Result<bool> { Ok(page.attribute(css, "class")?.is_some()) };
    wait(|| there(&page, ".workspace"))?;
    page.browser.run("location.hash = '#tab=flame&show=allocated&by=site'", json!([]))?;
    wait(|| Ok(page.attribute(".flame-canvas", "data-draw-ms")?.is_some()))?;
    std::thread::sleep(Duration::from_secs(2));

    println!("{}", file.file_name().unwrap_or_default().to_string_lossy());
    println!("{:34} {:>8} {:>8} {:>8} {:>8} {:>10}", "", "frames", "median", "95%", "worst", "drawing");
    for (name, act) in [("flame graph, wheel zooms", ZOOM), ("flame graph, drag pans", PAN)] {
        let seen = page.browser.run(&format!("const act = {act};\n{FRAMES}"), json!([]))?;
        tell(name, &seen)?;
    }
    page.browser.run("location.hash = '#tab=flame&show=live'", json!([]))?;
    std::thread::sleep(Duration::from_secs(2));
    let seen = page.browser.run(&format!("const act = {SCRUB};\n{FRAMES}"), json!([]))?;
    tell("live at a moving t → flame graph", &seen)?;
    let pictures = seen["pictures"].as_f64().context("no count of pictures")?;
    println!("flame graphs per second while t moves: {:.0} (goal ≥ 20)", pictures / 3.0);
    let blocked = page.browser.run(BLOCKED, json!([]))?;
    println!("the page was blocked for more than 50 ms at these times, start and load included: {blocked}\n");
    Ok(())
}

/// Prints the times of the first and the largest paint, since the navigation of a fresh browser.
fn tell_start(page: &Page) -> Result<()> {
    let seen = page.browser.run(START, json!([]))?;
    let ms = |key: &str| seen[key].as_f64().context("no time of the start");
    println!("first paint after {:.0} ms, largest paint after {:.0} ms", ms("first")?, ms("ready")?);
    Ok(())
}

fn tell(name: &str, seen: &Value) -> Result<()> {
    let sorted = |key: &str| -> Result<Vec<f64>> {
        let mut values: Vec<f64> = seen[key].as_array().context("no times")?.iter().filter_map(Value::as_f64).collect();
        values.sort_by(f64::total_cmp);
        Ok(values)
    };
    let (frames, draws) = (sorted("frames")?, sorted("draws")?);
    let at = |values: &[f64], part: f64| {
        let last = values.len().saturating_sub(1);
        values.get((part * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    };
    let (middle, most, worst) = (at(&frames, 0.5), at(&frames, 0.95), at(&frames, 1.0));
    println!("{name:34} {:>8} {middle:>8.1} {most:>8.1} {worst:>8.1} {:>10.1}", frames.len(), at(&draws, 0.5));
    Ok(())
}

/// The largest paint is part of the start screen, which is HTML. So it doesn't show when the app is ready.
const START: &str = "return new Promise((resolve) => {
    const first = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    new PerformanceObserver((seen) => resolve({ first, ready: seen.getEntries().at(-1).startTime }))
        .observe({ type: 'largest-contentful-paint', buffered: true });
})";
/// Returns the tasks of more than 50 ms since the navigation, as start → duration in ms.
const BLOCKED: &str = "return new Promise((resolve) => {
    const found = [];
    const watch = new PerformanceObserver((seen) => found.push(...seen.getEntries()));
    watch.observe({ type: 'longtask', buffered: true });
    setTimeout(() => resolve(found.map((task) => `${task.startTime.toFixed(0)} → ${task.duration.toFixed(0)}`)), 200);
})";
/// Calls `act` once per frame for three seconds. Returns the ms between frames, and the drawing times that the page reports.
const FRAMES: &str = "
    const canvas = document.querySelector('.flame-canvas');
    const [frames, draws] = [[], []];
    const watch = new MutationObserver(() => draws.push(Number(canvas.dataset.drawMs)));
    watch.observe(canvas, { attributes: true, attributeFilter: ['data-draw-ms'] });
    return new Promise((resolve) => {
        const began = performance.now();
        let before = began;
        const step = (now) => {
            frames.push(now - before);
            before = now;
            if (now - began > 3000) {
                watch.disconnect();
                return resolve({ frames: frames.slice(1), draws, pictures: draws.length });
            }
            act(canvas, (now - began) / 3000);
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    });";
const ZOOM: &str = "(canvas, t) => {
    const area = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: t < 0.5 ? -30 : 30,
        clientX: area.x + area.width * 0.4, clientY: area.y + 40 }));
}";
const PAN: &str = "(canvas, t) => {
    const area = canvas.getBoundingClientRect();
    const send = (kind, x) => canvas.dispatchEvent(new PointerEvent(kind, { bubbles: true, cancelable: true, pointerId: 1,
        button: 0, buttons: 1, isPrimary: true, clientX: area.x + x, clientY: area.y + 60 }));
    if (t < 0.1) return canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true,
        deltaY: -100, clientX: area.x + area.width * 0.4, clientY: area.y + 40 }));
    if (!canvas.isHeld) send('pointerdown', area.width / 2);
    canvas.isHeld = true;
    send('pointermove', area.width / 2 + 300 * Math.sin(t * 20));
}";
/// Presses the timeline's arrow keys, back and forth, so that the time doesn't reach the end.
const SCRUB: &str = "(canvas, t) => document.querySelector('.timeline-canvas').dispatchEvent(
    new KeyboardEvent('keydown', { key: t * 5 % 2 < 1 ? 'ArrowLeft' : 'ArrowRight', bubbles: true, cancelable: true }))";

fn wait(mut is_there: impl FnMut() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if is_there()? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("nothing within {PATIENCE:?}")
}

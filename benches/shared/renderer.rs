//! The memory of Chromium's tabs, from `/proc`: the renderer processes among the descendants of this process.

use std::fs;

pub struct Renderers {
    ids: Vec<u32>,
}

impl Renderers {
    /// Finds the running renderers. There are none on systems without `/proc`.
    pub fn of_this_process() -> Renderers {
        let names = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse().ok());
        Renderers { ids: ids.filter(|id| is_renderer(*id) && descends_from(*id, std::process::id())).collect() }
    }

    /// Resets the kernel's record of each process's peak memory.
    pub fn forget_peaks(&self) {
        for id in &self.ids {
            // If the kernel refuses, the peak since the process started remains, which isn't lower.
            let _ = fs::write(format!("/proc/{id}/clear_refs"), "5");
        }
    }

    /// Returns the highest peak of all renderers. The browser's spare renderer uses little memory.
    pub fn peak_mib(&self) -> Option<f64> {
        let peaks = self.ids.iter().filter_map(|id| status(*id, "VmHWM:")?.trim_end_matches("kB").trim().parse().ok());
        peaks.map(|kib: f64| kib / 1024.0).reduce(f64::max)
    }
}

fn is_renderer(id: u32) -> bool {
    fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|words| words.contains("--type=renderer"))
}

fn descends_from(id: u32, ancestor: u32) -> bool {
    let parent = |id: &u32| status(*id, "PPid:")?.parse().ok().filter(|parent| *parent != 0);
    std::iter::successors(Some(id), parent).any(|id| id == ancestor)
}

fn status(id: u32, field: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix(field))?.trim().to_owned())
}

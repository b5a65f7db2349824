//! The user's browser.

use std::env;

/// Opens an address in the browser. Returns false if there is none here, as over ssh.
pub fn open(address: &str) -> bool {
    is_available() && open::that_detached(address).is_ok()
}

fn is_available() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(any(target_os = "macos", windows)) {
        // It would open on the screen of a machine that is far away.
        return !is_set("SSH_CONNECTION");
    }
    // Windows' Subsystem for Linux opens the browser of Windows.
    ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"].into_iter().any(is_set)
}

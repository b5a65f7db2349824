//! What all native benches do: measure each file that is named, and leave the results for the bench in the browser.

use std::fs;

use serde_json::Value;

/// What `measure` returns is for the browser's bench: at least which file it was.
pub fn measure_each(mut measure: impl FnMut(&str, &[u8]) -> Value) {
    let mut results = Vec::new();
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match fs::read(&file) {
            Ok(bytes) => results.push(measure(&file, &bytes)),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    if let Ok(path) = std::env::var("CAMLSCOPE_BENCH_RESULTS")
        && let Err(error) = fs::write(&path, Value::Array(results).to_string())
    {
        eprintln!("{path}: {error}");
    }
}

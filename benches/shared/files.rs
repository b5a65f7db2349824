//! Shared by the native benchmarks: measures each file and saves the results for the benchmark in the browser.

use std::fs;

use serde_json::Value;

/// `measure` returns the results for the benchmark in the browser, which needs at least the path of the file.
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

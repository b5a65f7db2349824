//! Annotated files as JSON, for editors and scripts.

use serde_json::{Value, json};

use super::{About, Annotated};
use crate::UNITS;
use camlscope_engine::query::label::plain;
use camlscope_engine::query::lines::{FunctionLines, SourceFigures, SourceLine};
use camlscope_present::words::measure::{figure, margin};

/// Has all lines with figures, hot or not, and no others.
pub fn file(annotated: &Annotated, about: About) -> Value {
    let line = |line: &SourceLine| {
        let source = annotated.text(line.line);
        with_figures(json!({ "line": line.line, "source": source }), &line.figures, about)
    };
    let function = |function: &FunctionLines| {
        json!({
            "name": function.name,
            "label": plain(&function.name),
            "first_line": function.first_line,
            "last_line": function.last_line,
            "hottest_line": function.hottest_line,
        })
    };
    let fields = json!({
        "file": annotated.file.file,
        "path": annotated.path.as_ref().map(|path| path.display().to_string()),
        "newer_than_trace": annotated.is_newer,
        "n_lines": annotated.n_lines(),
        "lines": annotated.lines.lines.iter().map(line).collect::<Vec<_>>(),
        "functions": annotated.lines.functions.iter().map(function).collect::<Vec<_>>(),
    });
    with_figures(fields, &annotated.file.figures, about)
}

/// Adds figures as numbers and as text. Profiles have no samples and no errors.
fn with_figures(mut fields: Value, figures: &SourceFigures, about: About) -> Value {
    let SourceFigures { own, total, error, .. } = *figures;
    let margin = margin(about.measure, total, error);
    fields["self"] = json!(own);
    fields["total"] = json!(total);
    fields["self_bytes"] = json!(figures.self_bytes);
    fields["total_bytes"] = json!(figures.total_bytes);
    fields["self_blocks"] = json!(figures.self_blocks);
    fields["blocks"] = json!(figures.blocks);
    if !about.is_profile {
        fields["self_samples"] = json!(figures.self_samples);
        fields["total_samples"] = json!(figures.total_samples);
        fields["error"] = json!(error);
    }
    fields["self_share"] = json!(about.share(own));
    fields["total_share"] = json!(about.share(total));
    fields["self_text"] = json!(about.amount(own));
    fields["total_text"] = json!(about.amount(total));
    fields["text"] = json!(figure(UNITS, about.measure, total, margin, Some(about.share(total))));
    fields
}

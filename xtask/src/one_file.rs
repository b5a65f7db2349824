//! `camlscope.html`: the whole page as one file, which works from a disk, a network share or an email attachment.
//!
//! Styles and scripts are embedded unchanged. The WebAssembly and the sample are compressed with gzip and encoded as base64, in
//! scripts of a type that no browser runs. benches/README.md compares other encodings. The policy lists the hashes of the
//! scripts that run.

use anyhow::{Context, Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

use crate::assets::{self, Files, ICON, LATER, ONE_FILE_BOOT, PAGE, SAMPLE, SERVICE_WORKER, UI, WORKER};
use crate::page::gzipped;

pub const ONE_FILE: &str = "camlscope.html";

/// Builds the file from the page's sources, given by name.
pub fn assemble(sources: &Files) -> Result<String> {
    let style = assets::style_sheet(sources)?;
    let glue = &as_script(assets::text(sources, UI.glue)?)?;
    let worker_glue = &as_script(assets::text(sources, WORKER.glue)?)?;
    let boot = assets::joined(sources, &ONE_FILE_BOOT)?;
    for (name, text) in [
        ("a style sheet", style.as_str()),
        (UI.glue, glue),
        (WORKER.glue, worker_glue),
        ("what starts the page", &boot),
    ] {
        let is_held = !text.contains("</script") && !text.contains("</style") && !text.contains("<!--");
        ensure!(is_held && !text.contains('\r'), "{name} can't be embedded in a page as it is");
    }
    let policy = format!(
        "default-src 'none'; script-src '{}' '{}' 'wasm-unsafe-eval'; style-src '{}'; img-src data: blob:; \
         worker-src blob:; base-uri 'none'; form-action 'none'",
        hash(glue),
        hash(&boot),
        hash(&style)
    );
    let icon = BASE64_STANDARD.encode(assets::text(sources, ICON)?);
    let head =
        format!("<link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\n<style>{style}</style>\n</head>");
    let body = format!(
        "{}{}{}{}<script type=\"text/plain\" id=\"camlscope-worker-glue\">{worker_glue}</script>\n\
         <script id=\"camlscope-glue\">{glue}</script>\n<script>{boot}</script>\n</body>",
        packed("camlscope-worker-program", sources, WORKER.wasm)?,
        packed("camlscope-program", sources, UI.wasm)?,
        packed("camlscope-later", sources, LATER)?,
        packed("camlscope-sample", sources, SAMPLE)?
    );
    with_policy(assets::text(sources, PAGE)?, &policy)
        .and_then(|page| with_inserted(&page, "</head>", &head))
        .and_then(|page| with_inserted(&page, "</body>", &body))
}

/// Turns a program's JavaScript module into a plain script. Some browsers don't start module workers for a page on disk.
fn as_script(module: &str) -> Result<String> {
    let body = module.trim_end().strip_suffix("export { initSync, __wbg_init as default };");
    let body = body.context("wasm-bindgen's exports have changed")?;
    ensure!(!body.contains("\nimport ") && !body.contains("import.meta"), "wasm-bindgen's JavaScript is a module");
    Ok(format!("const init = (() => {{\n{body}return __wbg_init;\n}})();"))
}

/// Removes the lines that refer to other files, and replaces the policy.
fn with_policy(page: &str, policy: &str) -> Result<String> {
    let (mut lines, mut n_policies) = (Vec::new(), 0);
    let others = ["\"www/".to_owned(), format!("\"{ONE_FILE}\""), format!("\"{SERVICE_WORKER}\"")];
    let names_another = |line: &&str| others.iter().any(|other| line.contains(other));
    for line in page.lines().filter(|line| !names_another(line)) {
        if line.contains("http-equiv=\"Content-Security-Policy\"") {
            n_policies += 1;
            lines.push(format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"));
        } else {
            lines.push(line.to_owned());
        }
    }
    ensure!(n_policies == 1, "{PAGE} has {n_policies} policies");
    Ok(lines.join("\n") + "\n")
}

fn with_inserted(page: &str, tag: &str, text: &str) -> Result<String> {
    let (before, behind) = page.split_once(tag).with_context(|| format!("{PAGE} has no {tag}"))?;
    Ok([before, text, behind].concat())
}

/// Returns a script element that contains a file.
fn packed(id: &str, sources: &Files, name: &str) -> Result<String> {
    let bytes = sources.get(name).with_context(|| format!("{name} is missing"))?;
    let text = BASE64_STANDARD.encode(gzipped(bytes)?);
    Ok(format!("<script type=\"application/gzip\" id=\"{id}\">{text}</script>\n"))
}

/// Returns the hash of a text in the format of a content security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::Program;

    fn sources() -> Files {
        let page = "<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"old\">\n\
                    <meta name=\"service\" content=\"service-worker.js\">\n<script src=\"www/boot.js\"></script>\n</head>\n<body>\n</body>\n";
        let written = assets::written().map(|name| (name.to_owned(), name.as_bytes().to_vec()));
        let of = |program: Program| {
            [(program.wasm, "program"), (program.glue, "glue\nexport { initSync, __wbg_init as default };")]
        };
        let made = [of(WORKER), of(UI)].concat().into_iter().chain([(LATER, "later"), (PAGE, page)]);
        written.chain(made.map(|(name, text): (&str, &str)| (name.to_owned(), text.as_bytes().to_vec()))).collect()
    }

    #[test]
    fn policy_has_the_hashes_of_all_scripts_and_no_other_file_is_referenced() {
        let page = assemble(&sources()).expect("valid sources");
        let inside = [
            &as_script("glue\nexport { initSync, __wbg_init as default };").expect("glue"),
            "one-file.js\nhost.js\nboot.js",
            &assets::style_sheet(&sources()).expect("style sheets"),
        ];
        for text in inside {
            assert!(page.contains(&format!(">{text}</")) && page.contains(&hash(text)), "{text} in {page}");
        }
        assert!(!page.contains("www/") && !page.contains(SERVICE_WORKER) && !page.contains("old"), "{page}");
    }

    #[test]
    fn text_that_would_close_its_element_is_rejected() {
        let mut broken = sources();
        broken.insert(UI.glue.to_owned(), b"'</script>'\nexport { initSync, __wbg_init as default };".to_vec());
        assert!(assemble(&broken).is_err());
    }
}

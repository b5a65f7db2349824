//! Where one file of the page names another. We look only at the forms that make a browser fetch something, so a
//! string that merely looks like a path (wasm-bindgen's `"./app_bg.js"` is one) is left alone.

use std::ops::Range;
use std::sync::LazyLock;

use anyhow::{Result, bail};
use regex_lite::Regex;

/// One reference in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where the path stands in the text, without quotes, `?…` and `#…`.
    pub span: Range<usize>,
    /// The file meant, as a path from the repository's root.
    pub target: String,
}

/// The references to files in a text, in their order. `path` is the text's own, from the repository's root.
pub fn find(path: &str, text: &str) -> Result<Vec<Reference>> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let spans = match extension {
        "html" => html_spans(text),
        "js" => captures(&JS, text).filter(|span| is_relative_module(text, span)).collect(),
        "css" => captures(&CSS, text).collect(),
        "webmanifest" => captures(&MANIFEST, text).collect(),
        _ => Vec::new(),
    };
    let mut references = Vec::new();
    for span in spans {
        let url = &text[span.clone()];
        let bare = url.split(['?', '#']).next().unwrap_or(url);
        if names_a_file(path, bare)? {
            let target = resolve(path, bare)?;
            references.push(Reference { span: span.start..span.start + bare.len(), target });
        }
    }
    Ok(references)
}

static JS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"\b(?:from|import)\s*\(?\s*(?:"([^"\n]*)"|'([^'\n]*)')"#,
        r#"|\bnew\s+URL\(\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*,\s*import\.meta\.url"#,
    ))
});
static CSS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?s:/\*.*?\*/)|\burl\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^"'()\s]*))\s*\)"#,
        r#"|@import\s+(?:"([^"\n]*)"|'([^'\n]*)')"#,
    ))
});
static MANIFEST: LazyLock<Regex> = LazyLock::new(|| regex(r#""src"\s*:\s*"([^"\n]*)""#));
static HTML_TAG: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?s:<!--.*?-->)|<(?:link|script|img|meta)\b(?:[^>"']|"[^"]*"|'[^']*')*>"#));
static HTML_META: LazyLock<Regex> = LazyLock::new(|| regex(r#"\sname\s*=\s*["']?camlscope-"#));
static HTML_LINK: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'\s>]+))"#));
static HTML_CONTENT: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\scontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'\s>]+))"#));

pub fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is part of this program")
}

/// The spans of whichever group matched, for each match that has one.
fn captures<'t>(regex: &'static Regex, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    regex.captures_iter(text).filter_map(|found| found.iter().skip(1).flatten().next().map(|group| group.range()))
}

/// The page's own addresses, and the files it names to the program in `<meta name="camlscope-…" content="…">`.
fn html_spans(text: &str) -> Vec<Range<usize>> {
    let tags = HTML_TAG.find_iter(text).filter(|tag| !tag.as_str().starts_with("<!--"));
    let spans = tags.flat_map(|tag| {
        let is_meta = tag.as_str().starts_with("<meta");
        let attribute: &'static Regex = if is_meta { &HTML_CONTENT } else { &HTML_LINK };
        let wanted = !is_meta || HTML_META.is_match(tag.as_str());
        let inside = captures(attribute, tag.as_str()).filter(move |_| wanted);
        inside.map(move |span| tag.start() + span.start..tag.start() + span.end)
    });
    spans.collect()
}

/// A module is named by a path that starts with a dot; after `new URL(` any path is relative.
fn is_relative_module(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start - 1].trim_end();
    text[span.clone()].starts_with('.') || before.ends_with("URL(")
}

fn names_a_file(from: &str, url: &str) -> Result<bool> {
    if url.starts_with('/') && !url.starts_with("//") {
        bail!("{from} names {url}, which starts at the host's root: under a sub-path the page would break");
    }
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let elsewhere =
        url.starts_with("//") || scheme.is_some_and(|scheme| scheme.bytes().all(|b| b.is_ascii_alphanumeric()));
    let directory = url.is_empty() || url.ends_with('/') || url == "." || url.ends_with("..");
    Ok(!elsewhere && !directory)
}

/// `../a/./b.js` seen from `www/x.js` is `a/b.js`.
fn resolve(from: &str, url: &str) -> Result<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in url.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.pop().is_none() => {
                bail!("{from} names {url}, which lies outside the repository")
            }
            ".." => {}
            name => parts.push(name),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, targets: &[&str]) {
        let found = find(path, text).expect("the references are sound");
        assert_eq!(found.iter().map(|reference| reference.target.as_str()).collect::<Vec<_>>(), targets, "{text}");
    }

    #[test]
    fn html_names_files_in_links_scripts_images_and_our_own_metas() {
        check("index.html", r#"<link rel=stylesheet href="www/style.css">"#, &["www/style.css"]);
        check("index.html", r#"<link rel=icon href=www/icon.svg>"#, &["www/icon.svg"]);
        check("index.html", r#"<script type="module" src='www/boot.js'></script>"#, &["www/boot.js"]);
        check("index.html", r#"<meta name="camlscope-worker" content="www/worker-boot.js">"#, &["www/worker-boot.js"]);
        check("index.html", "<meta\n  content=\"www/s.ctf\"\n  name=\"camlscope-sample\">", &["www/s.ctf"]);
    }

    #[test]
    fn html_that_fetches_nothing_of_ours_is_left_alone() {
        check("index.html", r#"<meta name="description" content="a/b.html">"#, &[]);
        check("index.html", r#"<meta http-equiv="Content-Security-Policy" content="default-src 'none'">"#, &[]);
        check("index.html", r#"<a href="docs/x.html">x</a><!-- <link href="gone.css"> -->"#, &[]);
        check(
            "index.html",
            r#"<link rel=icon href="data:image/svg+xml,<svg/>"><link href="https://example.org/">"#,
            &[],
        );
    }

    #[test]
    fn scripts_name_modules_and_urls_beside_themselves() {
        check("www/boot.js", r#"import init from "./app.js";"#, &["www/app.js"]);
        check("www/boot.js", "import { a,\n  b } from './snippets/x/inline0.js'", &["www/snippets/x/inline0.js"]);
        check("www/boot.js", r#"await import("../lib/b.js"); import "./c.js""#, &["lib/b.js", "www/c.js"]);
        check("www/boot.js", "init(new URL('app_bg.wasm', import.meta.url))", &["www/app_bg.wasm"]);
    }

    #[test]
    fn a_string_that_only_looks_like_a_path_is_left_alone() {
        check("www/app.js", r#"return { __proto__: null, "./app_bg.js": import0 };"#, &[]);
        check("www/app.js", r#"new URL("./y", base); load("./z.js")"#, &[]);
    }

    #[test]
    fn style_sheets_name_images_and_other_sheets() {
        check(
            "www/style.css",
            "@import \"base.css\"; a { background: url(img/a.svg#b) }",
            &["www/base.css", "www/img/a.svg"],
        );
        check("www/style.css", "/* url(gone.png) */ a { mask: url('data:image/png;base64,AA==') }", &[]);
    }

    #[test]
    fn a_manifest_names_its_icons_and_keeps_its_start() {
        let text =
            r#"{ "start_url": "../", "icons": [{ "src": "icon.svg", "sizes": "any" }, {"src":"icon-512.png"}] }"#;
        check("www/manifest.webmanifest", text, &["www/icon.svg", "www/icon-512.png"]);
    }

    #[test]
    fn the_span_holds_the_path_alone() {
        let text = r#"<img src="www/sprite.svg?v=1#icon">"#;
        let found = find("index.html", text).expect("the references are sound");
        assert_eq!(&text[found[0].span.clone()], "www/sprite.svg");
    }

    #[test]
    fn addresses_that_break_under_a_sub_path_are_refused() {
        let error = find("index.html", r#"<link href="/www/a.css">"#).expect_err("absolute");
        assert!(error.to_string().contains("host's root"), "{error}");
        let error = find("index.html", r#"<link href="../a.css">"#).expect_err("outside");
        assert!(error.to_string().contains("outside"), "{error}");
    }
}

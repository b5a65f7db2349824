//! The URL template for links to the user's source code.

pub const EXAMPLE: &str = "vscode://file/home/me/project/{file}:{line}";

/// Returns what is wrong with a template, if anything.
pub fn complaint(template: &str) -> Option<&'static str> {
    let scheme = template.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        _ if template.is_empty() => None,
        None | Some("javascript" | "data") => Some("Start with a URL scheme, such as https: or vscode:."),
        _ if !template.contains("{file}") => Some("Include {file} for the file name."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_needs_a_url_scheme_and_a_file_placeholder() {
        assert_eq!(complaint(""), None);
        assert_eq!(complaint(EXAMPLE), None);
        assert_eq!(complaint("https://example.org/{file}#L{line}"), None);
        assert!(complaint("/home/me/{file}").is_some());
        assert!(complaint("https://example.org/").is_some());
        assert!(complaint("JavaScript:alert('{file}')").is_some());
    }
}

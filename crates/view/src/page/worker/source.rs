//! Why a file can't be read.

/// Explains an error of the File API, by its name.
pub fn reason(name: &str) -> &'static str {
    match name {
        "NotFoundError" => "it was moved or deleted, or it's a folder",
        "NotReadableError" => "it changed while being read, or you don't have permission to read it",
        "NotAllowedError" | "SecurityError" => "the browser denied access",
        _ => "the browser gave no reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_present::words::errors::UserError;

    #[test]
    fn a_changed_file_has_a_different_error_than_a_deleted_one() {
        assert!(reason("NotReadableError").contains("changed"));
        assert!(reason("NotFoundError").contains("moved or deleted"));
    }

    #[test]
    fn an_unknown_error_still_has_a_message() {
        assert_eq!(UserError::unreadable(reason("")).text, "Can't read the file: the browser gave no reason.");
    }
}

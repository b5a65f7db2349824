//! Short messages to the user.

use camlscope_present::words::errors::UserError;

/// A message at the bottom of the window. It disappears after a while, when dismissed, or when another file is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub tone: Tone,
    pub text: String,
}

impl Notice {
    pub fn info(text: impl Into<String>) -> Notice {
        Notice { tone: Tone::Info, text: text.into() }
    }

    pub fn problem(text: impl Into<String>) -> Notice {
        Notice { tone: Tone::Problem, text: text.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Info,
    Problem,
}

/// Returns the notice after a drop, or `None` for one file, or for two that are compared.
pub fn of_drop(files: usize, folders: usize) -> Option<String> {
    let text = match (files, folders) {
        (1 | 2, 0) => return None,
        (0, 0) => "You dropped text or a link, not a file. Drop the trace file itself.".to_owned(),
        (0, _) => {
            let error = UserError::directory();
            format!("{} {}", error.text, error.advice)
        }
        (1, _) => "Opened the file and ignored the folder. Folders aren't supported.".to_owned(),
        (2, _) => "Compared the two files and ignored the folder. Folders aren't supported.".to_owned(),
        (files, _) => format!("Compared the first two of {files} files. Only two traces can be compared at a time."),
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::of_drop;

    #[test]
    fn one_file_or_two_need_no_notice() {
        assert_eq!(of_drop(1, 0), None);
        assert_eq!(of_drop(2, 0), None, "two files are compared");
    }

    #[test]
    fn other_drops_show_a_notice() {
        assert!(of_drop(0, 0).is_some_and(|text| text.contains("not a file")));
        assert!(of_drop(0, 2).is_some_and(|text| text.contains("folder")));
        assert!(of_drop(3, 0).is_some_and(|text| text.contains("first two of 3 files")));
        assert!(of_drop(1, 1).is_some_and(|text| text.contains("ignored the folder")));
    }
}

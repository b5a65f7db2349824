//! Parses values from their names in links and options. The reverse of `as_str`.

/// Implements `FromStr` for a type, given all of its values.
macro_rules! from_name {
    ($type:ident, $all:expr) => {
        impl std::str::FromStr for $type {
            type Err = ();

            fn from_str(text: &str) -> Result<$type, ()> {
                $all.into_iter().find(|value: &$type| value.as_str() == text).ok_or(())
            }
        }
    };
}

pub(crate) use from_name;

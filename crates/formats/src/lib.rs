#![doc = include_str!("../README.md")]

mod carry;
pub mod ctf;
pub mod decompress;
pub mod spacetime;
pub mod warnings;

#[cfg(test)]
mod tests {
    #[test]
    fn the_readme_example_is_the_compiled_example() {
        assert!(include_str!("../README.md").contains(include_str!("../examples/sampled_words.rs")));
    }
}

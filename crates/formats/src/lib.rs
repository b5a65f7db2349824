#![doc = include_str!("../README.md")]

mod carry;
pub mod ctf;
pub mod decompress;
pub mod spacetime;
pub mod warnings;

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_in_the_readme_is_the_one_that_is_compiled() {
        assert!(include_str!("../README.md").contains(include_str!("../examples/sampled_words.rs")));
    }
}

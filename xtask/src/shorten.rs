//! Shorter names for what the WebAssembly imports. wasm-bindgen gives each import a name with a hash of 16 digits, which
//! stands in the WebAssembly and in its JavaScript, and which nothing can pack: some kilobytes of the page.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

/// A name of wasm-bindgen's: a word that begins so and ends in a hash.
const PREFIX: &str = "__wbg_";
const HASH_DIGITS: usize = 16;

/// The same program under shorter names.
pub fn shorten(js: &str, wasm: &[u8]) -> Result<(String, Vec<u8>)> {
    let names: HashMap<&str, String> =
        words(js).filter(|word| is_hashed(word)).fold(HashMap::new(), |mut names, word| {
            let next = format!("${}", names.len());
            names.entry(word).or_insert(next);
            names
        });
    // A lone one belongs to a template.
    let is_taken = |word: &str| word.len() > 1 && word.starts_with('$');
    ensure!(!words(js).any(is_taken), "the JavaScript has names that begin with $");
    let mut short_js = String::with_capacity(js.len());
    let mut rest = js;
    while let Some(word) = words(rest).find(|word| names.contains_key(word)) {
        // A word is a part of the text that it was found in.
        let at = word.as_ptr() as usize - rest.as_ptr() as usize;
        short_js.push_str(&rest[..at]);
        short_js.push_str(&names[word]);
        rest = &rest[at + word.len()..];
    }
    short_js.push_str(rest);
    let short_wasm = rename_imports(wasm, &names).context("the WebAssembly's imports could not be read")?;
    Ok((short_js, short_wasm))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty())
}

fn is_hashed(word: &str) -> bool {
    let hash = word.len().checked_sub(HASH_DIGITS).and_then(|at| word.get(at..));
    word.starts_with(PREFIX)
        && hash.is_some_and(|hash| hash.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c)))
}

const WASM_HEADER: usize = 8;
const IMPORTS: u8 = 2;
const FUNCTION: u8 = 0;

/// Only functions are imported; anything else is an error.
fn rename_imports(wasm: &[u8], names: &HashMap<&str, String>) -> Result<Vec<u8>> {
    let mut renamed = wasm.get(..WASM_HEADER).context("no header")?.to_vec();
    let mut rest = &wasm[WASM_HEADER..];
    while let Some((&id, behind)) = rest.split_first() {
        let mut at = behind;
        let content = take_bytes(&mut at)?;
        rest = at;
        renamed.push(id);
        if id != IMPORTS {
            put_bytes(&mut renamed, content);
            continue;
        }
        let (mut imports, mut section) = (content, Vec::new());
        let n = take_number(&mut imports)?;
        put_number(&mut section, n);
        for _ in 0..n {
            put_bytes(&mut section, take_bytes(&mut imports)?);
            let name = std::str::from_utf8(take_bytes(&mut imports)?)?;
            put_bytes(&mut section, names.get(name).map_or(name, String::as_str).as_bytes());
            let (&kind, behind) = imports.split_first().context("cut off")?;
            ensure!(kind == FUNCTION, "{name} is no function");
            imports = behind;
            section.push(kind);
            put_number(&mut section, take_number(&mut imports)?);
        }
        put_bytes(&mut renamed, &section);
    }
    Ok(renamed)
}

/// LEB128, as all numbers of WebAssembly are.
fn take_number(bytes: &mut &[u8]) -> Result<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().context("cut off")?;
        *bytes = rest;
        ensure!(shift < u32::BITS, "a number is too long");
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Ok(number);
        }
    }
}

fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// With their length before them.
fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8]> {
    let len = take_number(bytes)? as usize;
    let (taken, rest) = bytes.split_at_checked(len).context("cut off")?;
    *bytes = rest;
    Ok(taken)
}

fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put_number(bytes, content.len() as u32);
    bytes.extend(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    const JS: &str = "import0 = { __wbg_now_0123456789abcdef: f, __wbg_new_00112233445566aa: g, __wbg_init: h }; i.__wbg_now_0123456789abcdef + `${1}`";

    fn wasm(imports: &[&str]) -> Vec<u8> {
        let mut section = vec![];
        put_number(&mut section, imports.len() as u32);
        for name in imports {
            put_bytes(&mut section, b"./app_bg.js");
            put_bytes(&mut section, name.as_bytes());
            section.extend([FUNCTION, 0x81, 0x01]);
        }
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        wasm.extend([1, 4, 1, 0x60, 0, 0]);
        wasm.push(IMPORTS);
        put_bytes(&mut wasm, &section);
        wasm.extend([10, 2, 0, 0]);
        wasm
    }

    #[test]
    fn an_import_has_the_same_short_name_in_both_and_other_names_stay() {
        let long = wasm(&["__wbg_new_00112233445566aa", "__wbg_init", "__wbg_now_0123456789abcdef"]);
        let (js, short) = shorten(JS, &long).expect("a program");
        assert_eq!(js, "import0 = { $0: f, $1: g, __wbg_init: h }; i.$0 + `${1}`");
        assert_eq!(short, wasm(&["$1", "__wbg_init", "$0"]));
    }

    #[test]
    fn what_is_cut_off_is_an_error_and_so_is_javascript_with_such_names() {
        let whole = wasm(&["__wbg_init"]);
        for cut in [4, 16, 30] {
            assert!(shorten(JS, &whole[..cut]).is_err(), "{cut}");
        }
        assert!(shorten("$0 = 1", &whole).is_err());
    }
}

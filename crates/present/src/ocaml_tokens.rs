//! Splits OCaml code into tokens that are worth a color. It is not a parser: what it doesn't know stays plain, so code of
//! ocamllex, Menhir and Reason is readable too.
//!
//! It reads the text once, from left to right, and counts nested comments instead of recursing.

use std::ops::Range;

/// The kinds of tokens that are colored. All other text is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Keyword,
    /// A module or a constructor.
    Capitalized,
    Comment,
    String,
    Number,
    /// `'a`
    TypeVariable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Bytes of the text. May contain line breaks.
    pub range: Range<usize>,
    pub kind: TokenKind,
}

impl TokenKind {
    pub fn as_str(self) -> &'static str {
        match self {
            TokenKind::Keyword => "keyword",
            TokenKind::Capitalized => "capitalized",
            TokenKind::Comment => "comment",
            TokenKind::String => "string",
            TokenKind::Number => "number",
            TokenKind::TypeVariable => "variable",
        }
    }
}

/// Returns the tokens of a file, in order. They don't overlap.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0 };
    let mut tokens = Vec::new();
    while let Some(byte) = lexer.peek(0) {
        let start = lexer.at;
        if let Some(kind) = lexer.token(byte) {
            tokens.push(Token { range: start..lexer.at, kind });
        }
    }
    tokens
}

/// Returns the parts of a line: text, and its color if it has one. `line` is a range of `text`, and `tokens` are the file's.
pub fn parts_of_line<'a>(text: &'a str, line: Range<usize>, tokens: &[Token]) -> Vec<(&'a str, Option<TokenKind>)> {
    let first = tokens.partition_point(|token| token.range.end <= line.start);
    let mut parts = Vec::new();
    let mut at = line.start;
    let mut push = |range: Range<usize>, kind| match text.get(range) {
        None | Some("") => {}
        Some(part) => parts.push((part, kind)),
    };
    for token in tokens[first..].iter().take_while(|token| token.range.start < line.end) {
        let range = token.range.start.max(line.start)..token.range.end.min(line.end);
        push(at..range.start, None);
        at = range.end;
        push(range, Some(token.kind));
    }
    push(at..line.end, None);
    parts
}

struct Lexer<'a> {
    text: &'a [u8],
    /// Only ever moves forward, to the start of a character or to the end.
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, n: usize) -> Option<u8> {
        self.text.get(self.at + n).copied()
    }

    fn is_next(&self, text: &[u8]) -> bool {
        self.text[self.at..].starts_with(text)
    }

    /// Reads one token that starts with `byte`, or skips what isn't one.
    fn token(&mut self, byte: u8) -> Option<TokenKind> {
        match byte {
            b'(' if self.is_next(b"(*") => {
                self.comment();
                Some(TokenKind::Comment)
            }
            b'"' => {
                self.string();
                Some(TokenKind::String)
            }
            b'{' if self.quoted_string() => Some(TokenKind::String),
            b'\'' => self.after_apostrophe(),
            b'`' => {
                self.at += 1;
                (self.skip_while(is_in_name) > 0).then_some(TokenKind::Capitalized)
            }
            b'0'..=b'9' => {
                self.number();
                Some(TokenKind::Number)
            }
            _ if is_in_name(byte) => self.name(),
            _ => {
                self.at += 1;
                None
            }
        }
    }

    fn skip_while(&mut self, is_skipped: impl Fn(u8) -> bool) -> usize {
        let n = self.text[self.at..].iter().take_while(|byte| is_skipped(**byte)).count();
        self.at += n;
        n
    }

    fn name(&mut self) -> Option<TokenKind> {
        let start = self.at;
        self.skip_while(is_in_name);
        let name = &self.text[start..self.at];
        let is_keyword = str::from_utf8(name).is_ok_and(|name| KEYWORDS.binary_search(&name).is_ok());
        if is_keyword {
            return Some(TokenKind::Keyword);
        }
        name.first().is_some_and(u8::is_ascii_uppercase).then_some(TokenKind::Capitalized)
    }

    /// `1_000`, `0xFFl`, `1.5e-3`, `0x1p-3`
    fn number(&mut self) {
        let is_hex = self.is_next(b"0x") || self.is_next(b"0X");
        self.digits(is_hex);
        // `1..2` has no fraction in some tools' syntax.
        if self.peek(0) == Some(b'.') && self.peek(1) != Some(b'.') {
            self.at += 1;
            self.digits(is_hex);
        }
    }

    /// Digits, with the sign of an exponent.
    fn digits(&mut self, is_hex: bool) {
        loop {
            self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let last = self.text.get(self.at.wrapping_sub(1)).map(u8::to_ascii_lowercase);
            let is_exponent = last == Some(if is_hex { b'p' } else { b'e' });
            let is_signed =
                matches!(self.peek(0), Some(b'+' | b'-')) && self.peek(1).is_some_and(|b| b.is_ascii_digit());
            if !(is_exponent && is_signed) {
                return;
            }
            self.at += 1;
        }
    }

    /// A character (`'x'`, `'\n'`) or a type variable (`'a`).
    fn after_apostrophe(&mut self) -> Option<TokenKind> {
        if let Some(length) = self.character() {
            self.at += length;
            return Some(TokenKind::String);
        }
        self.at += 1;
        (self.skip_while(is_in_name) > 0).then_some(TokenKind::TypeVariable)
    }

    /// Returns the length of the character literal here.
    fn character(&self) -> Option<usize> {
        let length = match self.peek(1)? {
            // The longest is `'\u{10FFFF}'`. The escaped character itself may be an apostrophe.
            b'\\' => {
                let rest = self.text.get(self.at + 3..)?;
                3 + rest.iter().take(9).position(|byte| *byte == b'\'')?
            }
            b'\'' => return None,
            byte => 1 + width(byte),
        };
        (self.peek(length) == Some(b'\'')).then_some(length + 1)
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'"' => return,
                b'\\' => self.at += self.peek(0).map_or(0, width),
                _ => {}
            }
        }
        self.at = self.at.min(self.text.len());
    }

    /// Reads `{id|…|id}` or `{%name id|…|id}`. Returns false if there is none.
    fn quoted_string(&mut self) -> bool {
        let is_in_id = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        let count = |from: usize, test: &dyn Fn(&u8) -> bool| {
            self.text.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| test(byte)).count())
        };
        let mut id = self.at + 1;
        if self.peek(1) == Some(b'%') {
            id += count(id, &|byte| *byte == b'%');
            id += count(id, &|byte| is_in_name(*byte) || *byte == b'.');
            id += count(id, &|byte| *byte == b' ');
        }
        let end_of_id = id + count(id, &is_in_id);
        if self.text.get(end_of_id) != Some(&b'|') {
            return false;
        }
        let end: Vec<u8> = [b"|", &self.text[id..end_of_id], b"}"].concat();
        self.at = end_of_id + 1;
        while let Some(byte) = self.peek(0) {
            if byte == b'|' && self.is_next(&end) {
                self.at += end.len();
                return true;
            }
            self.at += 1;
        }
        true
    }

    /// Comments nest, and strings in them are read as strings: `(* "*)" *)` is one comment.
    fn comment(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'(' if self.is_next(b"(*") => {
                    (self.at, depth) = (self.at + 2, depth + 1);
                }
                b'*' if self.is_next(b"*)") => {
                    (self.at, depth) = (self.at + 2, depth - 1);
                    if depth == 0 {
                        return;
                    }
                }
                b'"' => self.string(),
                b'{' if self.quoted_string() => {}
                b'\'' => self.at += self.character().unwrap_or(1),
                // The apostrophe in `don't` starts no character.
                _ if is_in_name(byte) => drop(self.skip_while(is_in_name)),
                _ => self.at += 1,
            }
        }
    }
}

/// Whether a byte can be in a name. All of a character that isn't ASCII can.
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'') || !byte.is_ascii()
}

/// Returns how many bytes the character has that starts with this byte.
fn width(byte: u8) -> usize {
    match byte {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

/// In order.
const KEYWORDS: [&str; 55] = [
    "and",
    "as",
    "asr",
    "assert",
    "begin",
    "class",
    "constraint",
    "do",
    "done",
    "downto",
    "else",
    "end",
    "exception",
    "external",
    "false",
    "for",
    "fun",
    "function",
    "functor",
    "if",
    "in",
    "include",
    "inherit",
    "initializer",
    "land",
    "lazy",
    "let",
    "lor",
    "lsl",
    "lsr",
    "lxor",
    "match",
    "method",
    "mod",
    "module",
    "mutable",
    "new",
    "nonrec",
    "object",
    "of",
    "open",
    "or",
    "private",
    "rec",
    "sig",
    "struct",
    "then",
    "to",
    "true",
    "try",
    "type",
    "val",
    "virtual",
    "when",
    "while",
];

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Writes each token as `kind:text`.
    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let found: Vec<String> =
            tokens(code).into_iter().map(|token| format!("{}:{}", token.kind.as_str(), &code[token.range])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn keywords_modules_and_numbers_stand_out() {
        check(
            "let rec f x = List.map (fun y -> y + 1_000) x",
            &["keyword:let", "keyword:rec", "capitalized:List", "keyword:fun", "number:1_000"],
        );
        check("0xFFl 1.5e-3 0x1p-3 1.", &["number:0xFFl", "number:1.5e-3", "number:0x1p-3", "number:1."]);
        check("`Ok letter inner x1 end_", &["capitalized:`Ok"]);
        check("0xe-1", &["number:0xe", "number:1"]);
    }

    #[test]
    fn comments_nest_and_hide_code() {
        check("(* a (* b *) let *) in", &["comment:(* a (* b *) let *)", "keyword:in"]);
        check("(* \"*)\" *) in", &["comment:(* \"*)\" *)", "keyword:in"]);
        check("(* {x|*)|x} *) in", &["comment:(* {x|*)|x} *)", "keyword:in"]);
        check("(* '\"' don't *) in", &["comment:(* '\"' don't *)", "keyword:in"]);
        check("( * ) in", &["keyword:in"]);
    }

    #[test]
    fn strings_end_where_the_compiler_ends_them() {
        check(r#""a\"b\\" in"#, &[r#"string:"a\"b\\""#, "keyword:in"]);
        check("{|a\"|b|} in", &["string:{|a\"|b|}", "keyword:in"]);
        check("{sql|a|}b|sql} in", &["string:{sql|a|}b|sql}", "keyword:in"]);
        check("{%ext.a id|a|}|id} in", &["string:{%ext.a id|a|}|id}", "keyword:in"]);
        check("{ x with y = 1 } { a | b }", &["number:1"]);
    }

    #[test]
    fn characters_are_not_type_variables() {
        check(
            r"'a' 'a '\'' '\n' '\123' '\u{e9}' 'é'",
            &[
                "string:'a'",
                "variable:'a",
                r"string:'\''",
                r"string:'\n'",
                r"string:'\123'",
                r"string:'\u{e9}'",
                "string:'é'",
            ],
        );
        check("f' x' 'b list", &["variable:'b"]);
        check("type ('k, 'v) t", &["keyword:type", "variable:'k", "variable:'v"]);
        check("'\"' let", &["string:'\"'", "keyword:let"]);
    }

    #[test]
    fn a_line_has_its_part_of_a_comment() {
        let code = "x (* a\nb *) let";
        let all = tokens(code);
        assert_eq!(parts_of_line(code, 0..6, &all), [("x ", None), ("(* a", Some(TokenKind::Comment))]);
        let second = [("b *)", Some(TokenKind::Comment)), (" ", None), ("let", Some(TokenKind::Keyword))];
        assert_eq!(parts_of_line(code, 7..15, &all), second);
        assert_eq!(parts_of_line(code, 6..6, &all), []);
    }

    #[test]
    fn unfinished_code_ends_with_the_text() {
        for code in ["(* (* ", "\"abc\\", "{x|", "{%", "'", "'\\", "\"\\é", "(* \"", "(* '", "`", "1e", "{%a", "(*)"] {
            assert!(tokens(code).iter().all(|token| token.range.end <= code.len()), "{code}");
        }
        let deep = "(*".repeat(100_000);
        assert_eq!(tokens(&deep).len(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_split_at_characters_and_nothing_is_lost(pieces in vec(select(&PIECES[..]), 0..14)) {
            let code = pieces.concat();
            let all = tokens(&code);
            prop_assert!(all.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
            let whole: String = parts_of_line(&code, 0..code.len(), &all).into_iter().map(|(part, _)| part).collect();
            prop_assert_eq!(whole, code);
        }
    }

    const PIECES: [&str; 18] =
        ["(*", "*)", "\"", "{|", "|}", "{a|", "'", "\\", "é", "𝄞", "let", "X", "\n", "1.", "e-", "%", " ", "|a}"];

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}

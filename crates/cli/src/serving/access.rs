//! Who gets a response: requests to the address itself that don't come from another site or another user.

use std::io;
use std::net::SocketAddr;

use camlscope_serve::Request;

use super::peer::is_another_user;

#[derive(Debug)]
pub struct Access {
    server: SocketAddr,
    /// Address and port, as in the header `Host`.
    host: String,
    origin: String,
}

/// More than anyone can guess.
const SECRET_BYTES: usize = 16;

/// Returns random hexadecimal digits.
pub fn new_secret() -> io::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that doesn't depend on how much is right.
pub fn is_same(guess: &str, secret: &str) -> bool {
    let differences =
        guess.bytes().zip(secret.bytes()).fold(0, |differences, (one, other)| differences | (one ^ other));
    guess.len() == secret.len() && differences == 0
}

impl Access {
    pub fn new(server: SocketAddr) -> Access {
        Access { server, host: server.to_string(), origin: format!("http://{server}") }
    }

    pub fn allows(&self, request: &Request) -> bool {
        // Another site's name can be made to resolve to this machine (DNS rebinding). Its requests have its name.
        let is_host = request.header("host") == Some(&self.host);
        let is_origin = request.header("origin").is_none_or(|origin| origin == self.origin);
        let is_another_user = request.peer.is_some_and(|client| is_another_user(client, self.server));
        is_host && is_origin && !is_from_another_site(request) && !is_another_user
    }
}

/// Another site may link to the page, but not request anything from it.
fn is_from_another_site(request: &Request) -> bool {
    let is_link =
        request.header("sec-fetch-mode") == Some("navigate") && request.header("sec-fetch-dest") == Some("document");
    match request.header("sec-fetch-site") {
        None | Some("none" | "same-origin") => false,
        Some(_) => !is_link,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_only_the_right_one_passes() {
        let (secret, other) = (new_secret().expect("a secret"), new_secret().expect("a secret"));
        assert!(secret.len() == 2 * SECRET_BYTES && secret != other);
        assert!(is_same(&secret, &secret));
        for guess in ["", &secret[1..], &other, &format!("{secret}0")] {
            assert!(!is_same(guess, &secret), "{guess}");
        }
    }
}

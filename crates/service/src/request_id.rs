//! Ids of calls: what a user quotes, and an operator finds in the log.
//!
//! A client may choose one, so that its own log and the server's have the same; it is taken if it
//! can harm no log. Otherwise the server makes one. It says nothing, and allows nothing.

/// The header, of HTTP and as metadata of gRPC.
pub(crate) const HEADER: &str = "x-request-id";
/// Longest one that is taken.
const LONGEST: usize = 64;

/// Whether a text can be an id: letters, digits and `-_.:` of ASCII, at most 64.
pub(crate) fn is_sane(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_harms_no_log() {
        let longest = "a".repeat(LONGEST);
        for sane in ["7", "2f1c-4.x:Y_z", &longest] {
            assert!(is_sane(sane), "{sane}");
        }
        let long = "a".repeat(LONGEST + 1);
        for other in ["", "a b", "a\nb", "a\"", "é", "a=b", &long] {
            assert!(!is_sane(other), "{other}");
        }
    }
}

//! Extracts web addresses, shell commands and file paths from a text, which people search for by fragment.

use linkify::{LinkFinder, LinkKind};

use super::file_types::{is_extension, is_program, is_top_level_domain};
use crate::model::Metadata;

/// Maximum number of findings per kind and text.
pub const KEPT: usize = 64;
/// Maximum bytes of one finding.
const LONGEST: usize = 2_048;
/// Characters around a path that do not belong to it.
const AROUND: &[char] =
    &['"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '!', '?', '*', '“', '”', '‘', '’'];
/// Languages of fenced blocks with commands; in a block without one, a prompt sign marks a command.
const SHELLS: &[&str] =
    &["bash", "sh", "shell", "zsh", "fish", "console", "terminal", "shell-session", "powershell"];

/// Addresses, commands and paths in a text, each once, in order.
#[must_use]
pub fn findings(text: &str) -> Metadata {
    let (urls, rest) = urls(text);
    Metadata { urls, commands: commands(text), paths: paths(&rest) }
}

/// Extracts web addresses, and returns the text with blanks in their place.
fn urls(text: &str) -> (Vec<String>, String) {
    let mut found = Vec::new();
    let mut rest = text.to_owned();
    // Every address contains a dot or a colon: most texts need no further check.
    if !text.contains(['.', ':']) {
        return (found, rest);
    }
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]).url_must_have_scheme(false);
    for link in finder.links(text) {
        let url = link.as_str();
        if url.contains("://") || is_bare_address(url) {
            keep(&mut found, url);
            rest.replace_range(link.start()..link.end(), &" ".repeat(url.len()));
        }
    }
    (found, rest)
}

/// Whether text is an address without a scheme: `www.x.org` and `github.com/x`, but not `notes.md` or
/// `lib.rs/x`.
fn is_bare_address(text: &str) -> bool {
    let host = text.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let domain = host.rsplit('.').next().unwrap_or_default();
    (host.starts_with("www.") || text.len() > host.len()) && host.contains('.') && is_top_level_domain(domain)
}

/// Extracts commands: after a prompt sign, in a fenced block of a shell, or between backticks if a known program
/// comes first.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.contains(['`', '$']) {
        return found;
    }
    // Language of the current fenced block.
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.trim().to_lowercase()) };
            continue;
        }
        let prompted = line.strip_prefix("$ ").map(str::trim).filter(|command| is_plausible(command));
        match (&fence, prompted) {
            (_, Some(command)) => keep(&mut found, command),
            (Some(language), None) if SHELLS.contains(&language.as_str()) && is_plausible(line) => {
                keep(&mut found, line);
            }
            (None, None) => quoted(line, &mut found),
            (Some(_), None) => {}
        }
    }
    found
}

/// Extracts commands between backticks in a line of prose.
fn quoted(line: &str, found: &mut Vec<String>) {
    for part in line.split('`').skip(1).step_by(2) {
        let command = part.trim().trim_start_matches("$ ");
        let mut words = command.split_whitespace();
        if words.next().is_some_and(is_program) && words.next().is_some() {
            keep(found, command);
        }
    }
}

fn is_plausible(command: &str) -> bool {
    command.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '.' | '/' | '~' | '_'))
}

fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.contains(['/', '\\', '.']) {
        return found;
    }
    for token in text.split_whitespace() {
        let token = token.trim_start_matches(AROUND);
        let token = token.trim_end_matches(|letter: char| AROUND.contains(&letter) || ".:".contains(letter));
        // `--file=x.txt` and `(see x.txt)` alike.
        let token = token.rsplit(['=', '(']).next().unwrap_or(token);
        let token = without_line_number(token);
        if is_path(token) {
            keep(&mut found, token);
        }
    }
    found
}

/// Strips the line number: `src/lib.rs:42:7` becomes `src/lib.rs`.
fn without_line_number(token: &str) -> &str {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = token;
    while let Some((before, after)) = rest.rsplit_once(':')
        && is_number(after)
    {
        rest = before;
    }
    rest
}

fn is_path(token: &str) -> bool {
    let allowed = |letter: char| letter.is_alphanumeric() || "/\\._-+@~:$%#".contains(letter);
    if token.len() < 3 || !token.chars().all(allowed) {
        return false;
    }
    let is_drive =
        matches!(token.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    if is_drive || token.starts_with("\\\\") {
        return true;
    }
    let name = token.rsplit('/').next().unwrap_or_default();
    let named = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    let parts = token.split('/').filter(|part| !part.is_empty()).count();
    if token.contains('/') && !token.contains("//") {
        let is_rooted = token.starts_with('/') && parts > 1;
        let is_relative = ["~/", "./", "../"].iter().any(|start| token.starts_with(start));
        let has_type = named.is_some_and(|extension| {
            (1..=8).contains(&extension.len())
                && extension.chars().all(char::is_alphanumeric)
                && extension.chars().any(char::is_alphabetic)
        });
        return is_rooted || is_relative || has_type;
    }
    named.is_some_and(is_extension)
}

fn keep(found: &mut Vec<String>, value: &str) {
    if found.len() < KEPT
        && !value.is_empty()
        && value.len() <= LONGEST
        && !found.iter().any(|known| known == value)
    {
        found.push(value.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_without_the_punctuation_around_them() {
        let found = findings(
            "See (https://github.com/x/y_(z)?a=1#b), github.com/bardo/issues/3. Or www.rust-lang.org!",
        );
        assert_eq!(
            found.urls,
            ["https://github.com/x/y_(z)?a=1#b", "github.com/bardo/issues/3", "www.rust-lang.org"]
        );
        assert!(found.paths.is_empty(), "{:?}", found.paths);
    }

    #[test]
    fn commands_are_found_where_they_are_marked() {
        let text = "Run `git rebase main`, then:\n```bash\n# build\ncargo build --release\n```\n$ make test\nmake sure `it` and `the git way` work";
        assert_eq!(findings(text).commands, ["git rebase main", "cargo build --release", "make test"]);
    }

    #[test]
    fn paths_are_found_on_every_system() {
        let text = "In /etc/hosts, ~/.ssh/config and ../a; src/lib.rs:42:7 fails, C:\\logs\\a.txt too (see bardo.toml).";
        assert_eq!(
            findings(text).paths,
            ["/etc/hosts", "~/.ssh/config", "../a", "src/lib.rs", "C:\\logs\\a.txt", "bardo.toml"]
        );
    }

    #[test]
    fn prose_holds_none_of_them() {
        for text in [
            "He and/or she earns 3.14 % in 24/7 trading, e.g. at 5.30 p.m. or a 50/50 split.",
            "I paid $5 for it. etc. The U.S. is big... and so on/off.",
            "/help shows it; the ratio was 1/2.",
            "mail me: mira@example.com",
        ] {
            let found = findings(text);
            assert_eq!(found, Metadata::default(), "{text}");
        }
    }

    #[test]
    fn hostile_text_is_bounded() {
        let text = "/a/b.c https://x.yz/`$ ".repeat(5_000) + &"(".repeat(10_000) + &"http://".repeat(5_000);
        let found = findings(&text);
        assert!(found.urls.len() <= KEPT && found.paths.len() <= KEPT);
    }
}

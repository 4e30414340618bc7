//! Cuts a text into the tokens that may be secrets.

/// Token of a text, by the places of its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub start: usize,
    pub end: usize,
}

/// Whether a character stands between tokens and never in one.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || "\"“”«»‘’`()[]{}<>,;=|:/\\：，。、；！？（）「」".contains(character)
}

/// Whether a character is of a script without spaces between words.
fn is_unspaced(character: char) -> bool {
    character >= '\u{2e80}' && character.is_alphabetic()
}

/// Cuts a text at white space, quotes, brackets and signs of assignment; signs of other kinds stay in a token.
///
/// A script without spaces is cut off from figures and letters of others. Dots, dashes and quotes at the ends of a token belong to the sentence.
pub(super) fn tokens(text: &[char]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut start = 0;
    for place in 0..=text.len() {
        let is_end = place == text.len() || is_separator(text[place]);
        let is_cut = !is_end && place > start && is_unspaced(text[place]) != is_unspaced(text[place - 1]);
        if is_end || is_cut {
            found.extend(trimmed(text, start, place));
            start = place + usize::from(is_end);
        }
    }
    found
}

/// A token without the punctuation of its sentence; none if nothing is left.
fn trimmed(text: &[char], mut start: usize, mut end: usize) -> Option<Token> {
    while start < end && "'.!?-–—…".contains(text[start]) {
        start += 1;
    }
    while start < end && "'.…-–—".contains(text[end - 1]) {
        end -= 1;
    }
    while start < end
        && "!?".contains(text[end - 1])
        && text[start..end - 1].iter().all(|one| one.is_alphabetic())
    {
        end -= 1;
    }
    (start < end).then_some(Token { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        tokens(&characters).iter().map(|token| characters[token.start..token.end].iter().collect()).collect()
    }

    #[test]
    fn signs_of_a_sentence_are_no_part_of_a_token_and_signs_inside_are() {
        assert_eq!(told("The key is \"Tr0ub4dor&3\", ok?"), ["The", "key", "is", "Tr0ub4dor&3", "ok"]);
        assert_eq!(told("admin:hunter2@host/path -p x!y!"), ["admin", "hunter2@host", "path", "p", "x!y!"]);
        assert_eq!(told("… — 'a.b.' 密码：abc。"), ["a.b", "密码", "abc"]);
        assert_eq!(told("暗証番号は7264です"), ["暗証番号は", "7264", "です"]);
        assert!(tokens(&[]).is_empty());
    }
}

//! Taking recalled sections out of a text, so that a captured prompt does not become new memories of old ones.

use super::block::standard_blocks;
use super::framing::MARK;

/// The text without its recalled sections: whole ones, nested ones, and ones of which only one end is left.
///
/// A section that never ends goes on to the next tag of a standard block at the start of a line, or to the end: a fenced
/// memory cannot contain such a line. A section that never began goes back to the last section, or to the start.
#[must_use]
pub fn strip_recalled(text: &str) -> String {
    let (opening, closing) = (format!("<{MARK}>"), format!("</{MARK}>"));
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    // What was kept since the last section; dropped again if a section turns out to end here without a beginning.
    let mut since = 0;
    loop {
        match (rest.find(&opening), rest.find(&closing)) {
            (None, None) => break,
            (Some(start), end) if end.is_none_or(|end| start < end) => {
                kept.push_str(&rest[..start]);
                rest = &rest[start..];
                rest = &rest[section_end(rest, &opening, &closing)..];
            }
            (_, Some(end)) => {
                kept.truncate(since);
                rest = &rest[end + closing.len()..];
            }
            (Some(_), None) => break,
        }
        rest = rest.strip_prefix('\n').unwrap_or(rest);
        since = kept.len();
    }
    kept.push_str(rest);
    without_empty_blocks(&kept)
}

/// The end of the section that begins at the start of a text.
fn section_end(text: &str, opening: &str, closing: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match (text[at..].find(opening), text[at..].find(closing)) {
            (Some(inner), end) if end.is_none_or(|end| inner < end) => {
                depth += 1;
                at += inner + opening.len();
            }
            (_, Some(end)) => {
                depth -= 1;
                at += end + closing.len();
                if depth == 0 {
                    return at;
                }
            }
            _ => return next_block(text, at),
        }
    }
}

/// Where the next line begins that opens or closes a standard block, or the end.
fn next_block(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text[at..].find("\n<") {
        let start = at + found + 1;
        let name = text[start + 1..].trim_start_matches('/');
        if standard_blocks()
            .iter()
            .any(|standard| name.strip_prefix(standard.tag).is_some_and(|rest| rest.starts_with('>')))
        {
            return start;
        }
        at = start;
    }
    text.len()
}

/// Drops the tags of standard blocks that held nothing but a recalled section.
fn without_empty_blocks(text: &str) -> String {
    let mut text = text.to_owned();
    for standard in standard_blocks() {
        let empty = format!("<{0}>\n</{0}>", standard.tag);
        if text.contains(&empty) {
            text = text.replace(&format!("{empty}\n"), "").replace(&empty, "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &str = "<bardo:recalled>\n<memory source=\"self\">\nold\n</memory>\n</bardo:recalled>\n";

    #[test]
    fn a_text_without_the_mark_is_untouched() {
        assert_eq!(strip_recalled("a < b, <memory> and </memory>"), "a < b, <memory> and </memory>");
    }

    #[test]
    fn whole_sections_go_with_the_tags_that_held_only_them() {
        let text = format!(
            "<event>\nnew\n</event>\n<past_events>\n{SECTION}</past_events>\n<knowledge>\n{SECTION}</knowledge>\nafter"
        );
        assert_eq!(strip_recalled(&text), "<event>\nnew\n</event>\nafter");
    }

    #[test]
    fn nested_sections_go_whole() {
        let text = format!("a\n<bardo:recalled>\n{SECTION}x\n</bardo:recalled>\nb");
        assert_eq!(strip_recalled(&text), "a\nb");
    }

    #[test]
    fn a_section_that_lost_its_end_goes_to_the_next_block() {
        let text = "a\n<bardo:recalled>\n<memory>\nold\n</past_events>\n<instruction>\ndo\n</instruction>\n";
        assert_eq!(strip_recalled(text), "a\n</past_events>\n<instruction>\ndo\n</instruction>\n");
        assert_eq!(strip_recalled("a\n<bardo:recalled>\n<memory>\nol"), "a\n");
    }

    #[test]
    fn a_section_that_lost_its_start_goes_from_the_beginning() {
        assert_eq!(strip_recalled("ld\n</memory>\n</bardo:recalled>\nb"), "b");
        let text = format!("a\n{SECTION}lost\n</bardo:recalled>\nb");
        assert_eq!(strip_recalled(&text), "a\nb");
    }
}

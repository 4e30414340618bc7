//! Taking recalled sections out of a text, so that a captured prompt does not become new memories of old ones.

use super::block::standard_blocks;
use super::framing::MARK;

/// The text without its recalled sections: whole ones, nested ones, and ones of which only one end is left.
///
/// A fenced memory cannot contain a line that is the tag of a standard block. So a section without an end goes on to
/// the next such line, or to the end; one without a beginning goes back to the last such line, or to the start. Of those
/// only a tag counts that has a line to itself, as in a prompt: whoever writes of the mark in a sentence erases nothing.
#[must_use]
pub fn strip_recalled(text: &str) -> String {
    if !text.contains(MARK) {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    // Where the text goes on after the last section, and what was kept when it began to.
    let (mut at, mut since) = (0, 0);
    for tag in tags(text) {
        let is_of_a_pair = tag.twin.is_some();
        if tag.start < at || !(is_of_a_pair || has_line_to_itself(text, &tag)) {
            continue;
        }
        kept.push_str(&text[at..tag.start]);
        at = match (tag.opening, tag.twin) {
            (true, Some(end)) => end,
            (true, None) => next_block_line(text, tag.end),
            (false, _) => {
                let lost = after_last_block_line(&kept[since..]);
                kept.truncate(since + lost);
                tag.end
            }
        };
        at += usize::from(text[at..].starts_with('\n'));
        since = kept.len();
    }
    kept.push_str(&text[at..]);
    without_empty_blocks(&kept)
}

/// A tag of a recalled section.
struct Tag {
    start: usize,
    end: usize,
    opening: bool,
    /// Of an opening tag: the end of the closing one that belongs to it.
    twin: Option<usize>,
}

/// All tags of recalled sections, paired like brackets.
fn tags(text: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, mark) in text.match_indices(MARK) {
        let end = at + mark.len() + 1;
        if !text[at + mark.len()..].starts_with('>') {
            continue;
        }
        if text[..at].ends_with("</") {
            if let Some(twin) = open.pop() {
                tags[twin].twin = Some(end);
            }
            tags.push(Tag { start: at - 2, end, opening: false, twin: None });
        } else if text[..at].ends_with('<') {
            open.push(tags.len());
            tags.push(Tag { start: at - 1, end, opening: true, twin: None });
        }
    }
    tags
}

/// Whether nothing else stands on its line; a line may end as JSON writes it, too.
fn has_line_to_itself(text: &str, tag: &Tag) -> bool {
    let (before, after) = (&text[..tag.start], &text[tag.end..]);
    let begins = before.is_empty() || before.ends_with(['\n', '\r']) || before.ends_with("\\n");
    begins && (after.is_empty() || after.starts_with(['\n', '\r']) || after.starts_with("\\n"))
}

/// Where the next line begins that is the tag of a standard block, or the end.
fn next_block_line(text: &str, from: usize) -> usize {
    let mut lines = text[from..].match_indices('\n').map(|(at, _)| from + at + 1);
    lines.find(|start| is_block_line(text[*start..].lines().next().unwrap_or(""))).unwrap_or(text.len())
}

/// Where the last line ends that is the tag of a standard block, or the start.
fn after_last_block_line(text: &str) -> usize {
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((line, *end))
    });
    lines.filter(|(line, _)| is_block_line(line.trim_end())).last().map_or(0, |(_, end)| end)
}

fn is_block_line(line: &str) -> bool {
    let name =
        line.strip_prefix("</").or_else(|| line.strip_prefix('<')).and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| standard_blocks().iter().any(|standard| standard.tag == name))
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
        assert_eq!(
            strip_recalled("<event>\nnew\n</event>\nld\n</bardo:recalled>\nb"),
            "<event>\nnew\n</event>\nb"
        );
    }

    #[test]
    fn whoever_writes_of_the_mark_erases_nothing() {
        for text in [
            "The doc says to end it with </bardo:recalled> and then go on",
            "Write <bardo:recalled> before it. The vault has moved",
            "`</bardo:recalled>`",
        ] {
            assert_eq!(strip_recalled(text), text);
        }
        assert_eq!(strip_recalled("{\"prompt\": \"ld\\n</bardo:recalled>\\nnew\"}"), "\\nnew\"}");
    }

    #[test]
    fn a_section_that_lost_its_end_does_not_take_a_later_one_with_it() {
        let text = format!("<bardo:recalled>\nol\n<event>\nnew\n</event>\n{SECTION}b");
        assert_eq!(strip_recalled(&text), "<event>\nnew\n</event>\nb");
    }

    #[test]
    fn a_megabyte_of_broken_sections_takes_no_time() {
        let text = "<bardo:recalled>\n<event>\nx\n".repeat(40_000);
        assert_eq!(strip_recalled(&text), "<event>\nx\n".repeat(40_000));
    }
}

//! Filling one block: as much of its content as its tokens allow, whole memories before parts of one.

use std::collections::BTreeSet;

use super::block::{Block, Content};
use super::framing::{MARK, MemoryText, Profile, fence};
use super::neutral::{Flag, protect_structure};
use super::truncate::{CUT, shorten};
use super::{Tokenizer, order, table};
use crate::Result;

/// Tokens below which a part of a memory is not worth its fence.
const SMALLEST_PART: usize = 64;
/// Memories in a row that may be too large before the search for one that fits ends.
const MISSES: usize = 4;
/// Part of the block that a best memory too large for it is sure of.
const BEST_KEEPS: usize = 2;

/// A block as it stands in a prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// The text with its tags; empty if nothing fits.
    pub text: String,
    pub tokens: usize,
    /// Whether any of the content is not there.
    pub cut: bool,
    /// Indexes of the memories or rows that are there, in the order in which they stand.
    pub shown: Vec<usize>,
    /// Those of them that are shortened.
    pub shortened: Vec<usize>,
    pub flags: BTreeSet<Flag>,
}

/// What a limit would give: the tokens used, and whether anything would be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub used: usize,
    pub cut: bool,
}

/// A piece of a block.
struct Piece {
    text: String,
    size: Size,
    flags: BTreeSet<Flag>,
}

/// Tokens, counted only as far as anybody had to know.
#[derive(Clone, Copy)]
enum Size {
    Exactly(usize),
    MoreThan(usize),
}

impl Size {
    fn of(text: &str, limit: usize, tokenizer: Tokenizer) -> Self {
        tokenizer.count_up_to(text, limit).map_or(Self::MoreThan(limit), Self::Exactly)
    }

    fn at_least(self) -> usize {
        match self {
            Self::Exactly(tokens) => tokens,
            Self::MoreThan(tokens) => tokens.saturating_add(1),
        }
    }

    fn within(self, limit: usize) -> Option<usize> {
        match self {
            Self::Exactly(tokens) if tokens <= limit => Some(tokens),
            _ => None,
        }
    }
}

/// A block on its way into a prompt; every piece is made inert and counted once, when it is first looked at.
pub(super) struct Filler<'a> {
    tokenizer: Tokenizer,
    tags: &'a [&'a str],
    head: String,
    tail: String,
    /// Tokens of both.
    around: usize,
    body: Body<'a>,
}

enum Body<'a> {
    /// One text, inert, with the tags around it counted in.
    Text { text: String, whole: Piece },
    /// Pieces to choose from, the best first.
    Memories { memories: &'a [MemoryText], pieces: Vec<Option<Piece>> },
    /// Rows to show from the first on.
    Rows { rows: Vec<String>, sizes: Vec<usize> },
}

/// Which pieces a limit has room for.
#[derive(Default)]
struct Choice {
    whole: Vec<usize>,
    /// A memory to shorten, and the tokens for it.
    part: Option<(usize, usize)>,
    used: usize,
}

impl<'a> Filler<'a> {
    /// Prepares a block. `rules` stand before its memories; `window` is the most it could ever be given.
    pub fn new(
        block: &'a Block,
        profile: Profile,
        rules: bool,
        tags: &'a [&'a str],
        window: usize,
        tokenizer: Tokenizer,
    ) -> Result<Self> {
        let (mut head, mut tail) = (format!("<{}>\n", block.tag), format!("</{}>\n", block.tag));
        let body = match &block.content {
            Content::Text(text) => {
                let (text, flags) = if block.trusted {
                    (text.clone(), BTreeSet::new())
                } else {
                    let inert = protect_structure(text, tags);
                    (inert.text, inert.flags)
                };
                let whole = format!("{head}{text}\n{tail}");
                let limit = if block.protected { usize::MAX } else { window };
                let size = Size::of(&whole, limit, tokenizer);
                Body::Text { text, whole: Piece { text: whole, size, flags } }
            }
            Content::Memories(memories) => {
                head = format!("{head}<{MARK}>\n");
                if memories.is_empty() {
                    head = format!("{head}{}\n", profile.nothing());
                } else if rules {
                    head = format!("{head}{}\n", profile.rules());
                }
                tail = format!("</{MARK}>\n{tail}");
                Body::Memories { memories, pieces: memories.iter().map(|_| None).collect() }
            }
            Content::Rows(rows) => {
                let table = table::lines(rows)?;
                head = format!("{head}{}", protect_structure(&table.header, tags).text);
                let rows: Vec<_> = table.rows.iter().map(|row| protect_structure(row, tags).text).collect();
                Body::Rows { rows, sizes: Vec::new() }
            }
        };
        let around = tokenizer.count(&head) + tokenizer.count(&tail);
        Ok(Self { tokenizer, tags, head, tail, around, body })
    }

    /// Whether there is nothing to show; an empty list of memories has its own words.
    pub fn is_empty(&self) -> bool {
        match &self.body {
            Body::Text { text, .. } => text.trim().is_empty(),
            Body::Memories { .. } => false,
            Body::Rows { rows, .. } => rows.is_empty(),
        }
    }

    /// Tokens of all of a protected block, which is never cut.
    pub fn need(&mut self) -> usize {
        self.plan(usize::MAX).used
    }

    /// Tokens of the content as far as it was counted: at least this much was asked for.
    pub fn asked(&self) -> usize {
        match &self.body {
            Body::Text { whole, .. } => whole.size.at_least(),
            Body::Memories { pieces, .. } => {
                self.around + pieces.iter().flatten().map(|piece| piece.size.at_least()).sum::<usize>()
            }
            Body::Rows { sizes, .. } => self.around + sizes.iter().sum::<usize>(),
        }
    }

    /// What a limit would give.
    pub fn plan(&mut self, limit: usize) -> Plan {
        if self.is_empty() {
            return Plan { used: 0, cut: false };
        }
        if let Body::Text { whole, .. } = &self.body {
            let whole = whole.size.within(limit);
            return Plan { used: whole.unwrap_or(limit), cut: whole.is_none() };
        }
        match self.choose(limit) {
            Some(choice) => {
                Plan { used: choice.used, cut: choice.part.is_some() || choice.whole.len() < self.len() }
            }
            None => Plan { used: 0, cut: true },
        }
    }

    /// The block with as much content as the limit has room for.
    pub fn fill(&mut self, limit: usize) -> Filled {
        if self.is_empty() {
            return Filled::default();
        }
        if matches!(self.body, Body::Text { .. }) {
            return self.fill_text(limit);
        }
        let Some(choice) = self.choose(limit) else { return Filled { cut: true, ..Filled::default() } };
        let total = self.len();
        let mut shown = choice.whole;
        let mut part =
            choice.part.and_then(|(index, room)| self.part(index, room).map(|piece| (index, piece)));
        if let Some((index, _)) = &part {
            shown.push(*index);
            shown.sort_unstable();
        }
        let shortened: Vec<usize> = part.iter().map(|(index, _)| *index).collect();
        if matches!(self.body, Body::Memories { .. }) {
            shown = order::best_at_both_ends(shown);
        }
        let mut filled = Filled { text: self.head.clone(), tokens: self.around, ..Filled::default() };
        for index in &shown {
            match part.take_if(|(shortened, _)| shortened == index) {
                Some((_, piece)) => filled.add(&piece.text, piece.size.at_least(), &piece.flags),
                None => self.add_whole(*index, &mut filled),
            }
        }
        if shown.len() < total {
            let marker = self.marker(total - shown.len());
            filled.add(&marker, self.tokenizer.count(&marker), &BTreeSet::new());
        }
        filled.text.push_str(&self.tail);
        if !self.tokenizer.adds_up() {
            filled.tokens = self.tokenizer.count(&filled.text);
        }
        filled.cut = shown.len() < total || !shortened.is_empty();
        Filled { shown, shortened, ..filled }
    }

    fn fill_text(&self, limit: usize) -> Filled {
        let Body::Text { text, whole } = &self.body else { return Filled::default() };
        let flags = whole.flags.clone();
        if let Some(tokens) = whole.size.within(limit) {
            return Filled { text: whole.text.clone(), tokens, flags, ..Filled::default() };
        }
        let wrap = |inner: &str| format!("{}{inner}\n{}", self.head, self.tail);
        let bare = || {
            let text = wrap(CUT.trim());
            self.tokenizer.count_up_to(&text, limit).map(|tokens| (text, tokens))
        };
        let (text, tokens) = shorten(text, limit, self.tokenizer, wrap).or_else(bare).unwrap_or_default();
        Filled { text, tokens, cut: true, flags, ..Filled::default() }
    }

    /// The pieces that fit in a limit; `None` if not even the tags do.
    fn choose(&mut self, limit: usize) -> Option<Choice> {
        let room = limit.checked_sub(self.around)?;
        let total = self.len();
        let mut choice = self.choose_within(room);
        if choice.whole.len() < total {
            // With something left out, a line has to say so; it is longest when everything is.
            let marker = self.tokenizer.count(&self.marker(total));
            choice = self.choose_within(room.checked_sub(marker)?);
            choice.used += marker;
        }
        choice.used += self.around;
        Some(choice)
    }

    fn choose_within(&mut self, room: usize) -> Choice {
        let total = self.len();
        if matches!(self.body, Body::Rows { .. }) {
            let mut choice = Choice::default();
            for index in 0..total {
                let Some(size) = self.size(index, room - choice.used) else { break };
                choice.used += size;
                choice.whole.push(index);
            }
            return choice;
        }
        let best_too_large = total > 0 && self.size(0, room).is_none();
        let kept_for_best = if best_too_large { room / BEST_KEEPS } else { 0 };
        let mut left = room - kept_for_best;
        let (mut choice, mut first_miss, mut in_a_row) = (Choice::default(), best_too_large.then_some(0), 0);
        for index in usize::from(best_too_large)..total {
            if left == 0 || in_a_row >= MISSES {
                break;
            }
            if let Some(size) = self.size(index, left) {
                left -= size;
                choice.whole.push(index);
                in_a_row = 0;
            } else {
                first_miss.get_or_insert(index);
                in_a_row += 1;
            }
        }
        left += kept_for_best;
        if let Some(index) = first_miss.filter(|_| left >= SMALLEST_PART) {
            choice.part = Some((index, left));
            left = 0;
        }
        choice.used = room - left;
        choice
    }

    /// A memory shortened to fit in some tokens.
    fn part(&self, index: usize, room: usize) -> Option<Piece> {
        let Body::Memories { memories, .. } = &self.body else { return None };
        let memory = &memories[index];
        let inert = memory.inert(self.tags);
        let opening = memory.opening(inert.flags.iter().copied());
        let (text, tokens) = shorten(&inert.text, room, self.tokenizer, |inner| fence(&opening, inner))?;
        Some(Piece { text, size: Size::Exactly(tokens), flags: inert.flags })
    }

    /// Tokens of one piece, if there are at most `limit`.
    fn size(&mut self, index: usize, limit: usize) -> Option<usize> {
        let (tokenizer, tags) = (self.tokenizer, self.tags);
        match &mut self.body {
            Body::Text { .. } => None,
            Body::Memories { memories, pieces } => {
                let piece = pieces[index].get_or_insert_with(|| {
                    let memory = &memories[index];
                    let inert = memory.inert(tags);
                    let text = fence(&memory.opening(inert.flags.iter().copied()), &inert.text);
                    Piece { size: Size::of(&text, limit, tokenizer), text, flags: inert.flags }
                });
                if matches!(piece.size, Size::MoreThan(counted) if counted < limit) {
                    piece.size = Size::of(&piece.text, limit, tokenizer);
                }
                piece.size.within(limit)
            }
            Body::Rows { rows, sizes } => {
                while sizes.len() <= index {
                    sizes.push(tokenizer.count(&rows[sizes.len()]));
                }
                Some(sizes[index]).filter(|size| *size <= limit)
            }
        }
    }

    fn add_whole(&self, index: usize, filled: &mut Filled) {
        match &self.body {
            Body::Memories { pieces, .. } => {
                if let Some(piece) = &pieces[index] {
                    filled.add(&piece.text, piece.size.at_least(), &piece.flags);
                }
            }
            Body::Rows { rows, sizes } => filled.add(&rows[index], sizes[index], &BTreeSet::new()),
            Body::Text { .. } => {}
        }
    }

    fn marker(&self, left_out: usize) -> String {
        let what = if matches!(self.body, Body::Rows { .. }) { "rows" } else { "memories" };
        format!("<cut {what}=\"{left_out}\"/>\n")
    }

    fn len(&self) -> usize {
        match &self.body {
            Body::Text { .. } => 1,
            Body::Memories { memories, .. } => memories.len(),
            Body::Rows { rows, .. } => rows.len(),
        }
    }
}

impl Filled {
    fn add(&mut self, text: &str, tokens: usize, flags: &BTreeSet<Flag>) {
        self.text.push_str(text);
        self.tokens += tokens;
        self.flags.extend(flags);
    }
}

//! Fitting one block to its tokens: as much of its content as they allow, whole memories before parts of one.

use std::collections::BTreeSet;

use super::block::{Block, Content, MemorySource, Order};
use super::compress::{CONDENSED, Condenser};
use super::count_cache::CountCache;
use super::framing::{MARK, MemoryText, Voice, fence, section_opening};
use super::neutralization::{Flag, neutralise, protect_structure};
use super::truncate::{CUT, shorten};
use super::{order, table};
use crate::Result;

/// Tokens below which a part of a memory is not worth its fence.
const SMALLEST_PART: usize = 64;
/// Memories in a row that may be too large before the search for one that fits ends.
const MISSES: usize = 4;
/// Memories read at once; a prompt of the base size has room for about as many.
const PAGE: usize = 32;
/// Part of the block that a best memory too large for it is sure of.
const BEST_KEEPS: usize = 2;

/// A block as it stands in a prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct FittedBlock {
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
    /// Part of the tokens of a text that is left after its predictable words went.
    pub condensed: Option<f64>,
}

/// Effect of a limit: the tokens used, and whether anything would be cut.
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
    fn of(text: &str, limit: usize, counts: &CountCache) -> Self {
        counts.count_up_to(text, limit).map_or(Self::MoreThan(limit), Self::Exactly)
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
pub(super) struct BlockFitter<'a> {
    counts: &'a CountCache,
    tags: &'a [&'a str],
    head: String,
    tail: String,
    /// Tokens of both.
    around: usize,
    body: Body<'a>,
    condenser: Option<Condenser<'a>>,
    order: Order,
}

enum Body<'a> {
    /// One text, inert, with the tags around it counted in.
    Text { text: String, whole: Piece },
    /// Pieces to choose from, the best first; those read so far.
    Memories { source: &'a dyn MemorySource, read: Vec<MemoryText>, pieces: Vec<Option<Piece>> },
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

impl<'a> BlockFitter<'a> {
    /// Prepares a block. `rules` stand before its memories; `window` is the most it could ever be given.
    pub fn new(
        block: &'a Block,
        voice: Voice,
        rules: bool,
        tags: &'a [&'a str],
        window: usize,
        counts: &'a CountCache,
        condenser: Option<Condenser<'a>>,
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
                let size = Size::of(&whole, limit, counts);
                Body::Text { text, whole: Piece { text: whole, size, flags } }
            }
            Content::Memories(memories) => {
                head = format!("{head}{}", section_opening(None));
                if memories.count() == 0 {
                    head = format!("{head}{}\n", voice.nothing());
                } else if rules {
                    head = format!("{head}{}\n", voice.rules());
                }
                tail = format!("</{MARK}>\n{tail}");
                Body::Memories { source: memories.as_ref(), read: Vec::new(), pieces: Vec::new() }
            }
            Content::Rows(rows) => {
                let table = table::lines(rows)?;
                head = format!("{head}{}", protect_structure(&table.header, tags).text);
                let rows: Vec<_> = table.rows.iter().map(|row| protect_structure(row, tags).text).collect();
                Body::Rows { rows, sizes: Vec::new() }
            }
        };
        let around = counts.count(&head) + counts.count(&tail);
        Ok(Self { counts, tags, head, tail, around, body, condenser, order: block.order })
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
    pub fn need(&mut self) -> Result<usize> {
        Ok(self.plan(usize::MAX)?.used)
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

    /// Computes the effect of a limit.
    pub fn plan(&mut self, limit: usize) -> Result<Plan> {
        if self.is_empty() {
            return Ok(Plan { used: 0, cut: false });
        }
        if let Body::Text { whole, .. } = &self.body {
            let whole = whole.size.within(limit);
            return Ok(Plan { used: whole.unwrap_or(limit), cut: whole.is_none() });
        }
        Ok(match self.choose(limit)? {
            Some(choice) => {
                Plan { used: choice.used, cut: choice.part.is_some() || choice.whole.len() < self.len() }
            }
            None => Plan { used: 0, cut: true },
        })
    }

    /// The block with as much content as the limit has room for.
    pub fn fit(&mut self, limit: usize) -> Result<FittedBlock> {
        if self.is_empty() {
            return Ok(FittedBlock::default());
        }
        if matches!(self.body, Body::Text { .. }) {
            return Ok(self.fit_text(limit));
        }
        let Some(choice) = self.choose(limit)? else {
            return Ok(FittedBlock { cut: true, ..FittedBlock::default() });
        };
        let total = self.len();
        let mut shown = choice.whole;
        let mut part =
            choice.part.and_then(|(index, room)| self.part(index, room).map(|piece| (index, piece)));
        if let Some((index, _)) = &part {
            shown.push(*index);
            shown.sort_unstable();
        }
        let shortened: Vec<usize> = part.iter().map(|(index, _)| *index).collect();
        if let (Body::Memories { read, .. }, Order::EdgesFirst) = (&self.body, self.order) {
            shown = order::chronological_order(order::best_at_both_ends(shown), read);
        }
        let mut fitted =
            FittedBlock { text: self.head.clone(), tokens: self.around, ..FittedBlock::default() };
        for index in &shown {
            match part.take_if(|(shortened, _)| shortened == index) {
                Some((_, piece)) => fitted.add(&piece.text, piece.size.at_least(), &piece.flags),
                None => self.add_whole(*index, &mut fitted),
            }
        }
        if shown.len() < total {
            let marker = self.marker(total - shown.len());
            fitted.add(&marker, self.counts.count(&marker), &BTreeSet::new());
        }
        fitted.text.push_str(&self.tail);
        if matches!(self.body, Body::Memories { .. }) {
            let opening = section_opening(Some(&fitted.text));
            fitted.text = fitted.text.replacen(&section_opening(None), &opening, 1);
        }
        if !self.counts.tokenizer().is_additive() {
            fitted.tokens = self.counts.count(&fitted.text);
        }
        fitted.cut = shown.len() < total || !shortened.is_empty();
        Ok(FittedBlock { shown, shortened, ..fitted })
    }

    fn fit_text(&self, limit: usize) -> FittedBlock {
        let Body::Text { text, whole } = &self.body else { return FittedBlock::default() };
        let flags = whole.flags.clone();
        if let Some(tokens) = whole.size.within(limit) {
            return FittedBlock { text: whole.text.clone(), tokens, flags, ..FittedBlock::default() };
        }
        let wrap = |inner: &str| format!("{}{inner}\n{}", self.head, self.tail);
        if let Some((text, tokens, condensed, found)) = self.condense(text, limit, wrap, |text| {
            let inert = protect_structure(text, self.tags);
            (inert.text, inert.flags)
        }) {
            let flags = flags.union(&found).copied().collect();
            return FittedBlock {
                text,
                tokens,
                cut: true,
                flags,
                condensed: Some(condensed),
                ..FittedBlock::default()
            };
        }
        let bare = || {
            let text = wrap(CUT.trim());
            self.counts.count_up_to(&text, limit).map(|tokens| (text, tokens))
        };
        let (text, tokens) =
            shorten(text, limit, self.counts.tokenizer(), wrap).or_else(bare).unwrap_or_default();
        FittedBlock { text, tokens, cut: true, flags, ..FittedBlock::default() }
    }

    /// A text without its predictable words, made inert once more (words that part a bracket from a name may have gone)
    /// and wrapped; cut at its end if that is not enough. `None` if condensing is off, or gains nothing.
    fn condense(
        &self,
        text: &str,
        limit: usize,
        wrap: impl Fn(&str) -> String,
        inert: impl Fn(&str) -> (String, BTreeSet<Flag>),
    ) -> Option<(String, usize, f64, BTreeSet<Flag>)> {
        let tokenizer = self.counts.tokenizer();
        let room = limit - self.counts.count_up_to(&wrap(CONDENSED), limit)?;
        let (short, share) = self.condenser?.condense(text, room, tokenizer)?;
        let (short, flags) = inert(&short);
        let marked = |inner: &str| wrap(&format!("{}{CONDENSED}", inner.trim_end()));
        let whole = marked(&short);
        if let Some(tokens) = self.counts.count_up_to(&whole, limit) {
            return Some((whole, tokens, share, flags));
        }
        let (text, tokens) = shorten(&short, limit, tokenizer, marked)?;
        Some((text, tokens, share, flags))
    }

    /// The pieces that fit in a limit; `None` if not even the tags do.
    fn choose(&mut self, limit: usize) -> Result<Option<Choice>> {
        let Some(room) = limit.checked_sub(self.around) else { return Ok(None) };
        let total = self.len();
        let mut choice = self.choose_within(room)?;
        if choice.whole.len() < total {
            // With something left out, a line has to say so; it is longest when everything is.
            let marker = self.counts.count(&self.marker(total));
            let Some(room) = room.checked_sub(marker) else { return Ok(None) };
            choice = self.choose_within(room)?;
            choice.used += marker;
        }
        if choice.whole.is_empty() && choice.part.is_none() && total > 0 {
            // Tags around nothing would only take room.
            return Ok(None);
        }
        choice.used += self.around;
        Ok(Some(choice))
    }

    fn choose_within(&mut self, room: usize) -> Result<Choice> {
        let total = self.len();
        if matches!(self.body, Body::Rows { .. }) {
            let mut choice = Choice::default();
            for index in 0..total {
                let Some(size) = self.size(index, room - choice.used)? else { break };
                choice.used += size;
                choice.whole.push(index);
            }
            return Ok(choice);
        }
        let best_too_large = total > 0 && self.size(0, room)?.is_none();
        let kept_for_best = if best_too_large { room / BEST_KEEPS } else { 0 };
        let mut left = room - kept_for_best;
        let (mut choice, mut first_miss, mut in_a_row) = (Choice::default(), best_too_large.then_some(0), 0);
        for index in usize::from(best_too_large)..total {
            if left == 0 || in_a_row >= MISSES {
                break;
            }
            if let Some(size) = self.size(index, left)? {
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
        Ok(choice)
    }

    /// A memory shortened to fit in some tokens.
    fn part(&self, index: usize, room: usize) -> Option<Piece> {
        let Body::Memories { read, .. } = &self.body else { return None };
        let memory = &read[index];
        let inert = memory.inert(self.tags);
        let opening = memory.opening(inert.flags.iter().copied());
        let again = |text: &str| {
            let inert = neutralise(text, self.tags);
            (inert.text, inert.flags)
        };
        if inert.flags.is_empty()
            && let Some((text, tokens, _, flags)) =
                self.condense(&inert.text, room, |inner| fence(&opening, inner), again)
            && flags.is_empty()
        {
            return Some(Piece { text, size: Size::Exactly(tokens), flags });
        }
        let (text, tokens) =
            shorten(&inert.text, room, self.counts.tokenizer(), |inner| fence(&opening, inner))?;
        Some(Piece { text, size: Size::Exactly(tokens), flags: inert.flags })
    }

    /// Tokens of one piece, if there are at most `limit`.
    fn size(&mut self, index: usize, limit: usize) -> Result<Option<usize>> {
        let (counts, tags) = (self.counts, self.tags);
        Ok(match &mut self.body {
            Body::Text { .. } => None,
            Body::Memories { source, read, pieces } => {
                if index >= read.len() {
                    read.extend(source.load(read.len(), source.count().min(index + PAGE))?);
                    pieces.resize_with(read.len(), || None);
                }
                let piece = pieces[index].get_or_insert_with(|| {
                    let memory = &read[index];
                    let inert = memory.inert(tags);
                    let text = fence(&memory.opening(inert.flags.iter().copied()), &inert.text);
                    Piece { size: Size::of(&text, limit, counts), text, flags: inert.flags }
                });
                if matches!(piece.size, Size::MoreThan(known) if known < limit) {
                    piece.size = Size::of(&piece.text, limit, counts);
                }
                piece.size.within(limit)
            }
            Body::Rows { rows, sizes } => {
                while sizes.len() <= index {
                    sizes.push(counts.count(&rows[sizes.len()]));
                }
                Some(sizes[index]).filter(|size| *size <= limit)
            }
        })
    }

    fn add_whole(&self, index: usize, fitted: &mut FittedBlock) {
        match &self.body {
            Body::Memories { pieces, .. } => {
                if let Some(piece) = &pieces[index] {
                    fitted.add(&piece.text, piece.size.at_least(), &piece.flags);
                }
            }
            Body::Rows { rows, sizes } => fitted.add(&rows[index], sizes[index], &BTreeSet::new()),
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
            Body::Memories { source, .. } => source.count(),
            Body::Rows { rows, .. } => rows.len(),
        }
    }
}

impl FittedBlock {
    fn add(&mut self, text: &str, tokens: usize, flags: &BTreeSet<Flag>) {
        self.text.push_str(text);
        self.tokens += tokens;
        self.flags.extend(flags);
    }
}

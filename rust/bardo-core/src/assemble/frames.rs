//! Frames: the same prompt call after call, laid out so that a provider's prompt cache hits.
//!
//! Providers cache the longest beginning of a prompt that is byte-identical to that of an earlier call. So between two
//! whole layouts (I-frames), what did not change goes to the front in the order it had, and what changed goes behind it
//! (P-frames). The instruction stays last in both, where models read best. Order is all that differs: the parts join
//! exactly, so the frame has the tokens of the prompt it was made from.

use std::collections::BTreeMap;

use super::Tokenizer;
use super::shares::Phase;

/// Stays at the beginning of every frame: chat endpoints take it apart from the rest, and before it.
const FIRST: &str = "system";
/// Stays at the end of every frame.
const LAST: &str = "instruction";

/// A block of an assembled prompt, as far as frames need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramePart {
    /// Name of the block.
    pub name: String,
    /// Its text, tags included.
    pub text: String,
    /// Tokens of that text.
    pub tokens: usize,
}

/// Why a frame is whole, or that it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Whole: the first of all.
    First,
    /// Whole: the first of a Delta cycle.
    Cycle,
    /// Whole: the phase of life changed.
    Phase,
    /// Whole: enough frames have passed since the last whole one.
    Due,
    /// Only what changed is new; it stands behind what did not.
    Predicted,
}

impl FrameKind {
    /// Whether all blocks are laid out again.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self != Self::Predicted
    }

    /// The word that stands for it in a report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Cycle => "cycle",
            Self::Phase => "phase",
            Self::Due => "due",
            Self::Predicted => "predicted",
        }
    }
}

/// A prompt in the order of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Whether it is whole, and why.
    pub kind: FrameKind,
    /// Indexes of the parts that were given, in the order in which they stand.
    pub order: Vec<usize>,
    /// Number of parts at the front that did not change since the last frame: a breakpoint belongs behind them.
    pub steady: usize,
    /// Names of the blocks whose content changed, came or went since the last frame.
    pub changed: Vec<String>,
    /// Tokens of the whole.
    pub tokens: usize,
    /// Tokens of the beginning that is byte-identical to that of the last frame, in whole blocks.
    pub cacheable: usize,
}

/// Makes frames out of prompts, and keeps count of what was cacheable.
#[derive(Clone, Debug)]
pub struct FrameTracker {
    every: usize,
    last: Option<SentFrame>,
    /// How often each block changed; what changes seldom is laid out first.
    changes: BTreeMap<String, usize>,
    frames: usize,
    tokens: usize,
    cacheable: usize,
}

#[derive(Clone, Debug)]
struct SentFrame {
    parts: Vec<FramePart>,
    phase: Phase,
    cycle: u64,
    since_whole: usize,
}

impl FrameTracker {
    /// A tracker that makes every `every`-th frame a whole one; 0 is taken as 1, which makes all of them whole.
    #[must_use]
    pub fn new(every: usize) -> Self {
        Self { every: every.max(1), last: None, changes: BTreeMap::new(), frames: 0, tokens: 0, cacheable: 0 }
    }

    /// The next frame. `cycle` is the number of the Delta cycle; a new one begins with a whole frame.
    pub fn next(&mut self, parts: Vec<FramePart>, tokenizer: Tokenizer, phase: Phase, cycle: u64) -> Frame {
        let parts: Vec<(usize, FramePart)> =
            parts.into_iter().enumerate().filter(|(_, part)| !part.text.is_empty()).collect();
        let kind = self.kind(phase, cycle);
        let changed = self.changed(&parts);
        for name in &changed {
            *self.changes.entry(name.clone()).or_default() += 1;
        }
        let laid_out = self.lay_out(parts, kind, &changed);
        let order = laid_out.iter().map(|(index, _)| *index).collect();
        let parts: Vec<FramePart> = laid_out.into_iter().map(|(_, part)| part).collect();
        let text = |parts: &[FramePart]| parts.iter().map(|part| part.text.as_str()).collect::<String>();
        let count = |parts: &[FramePart]| {
            let joined = parts.windows(2).all(|pair| Tokenizer::joins(&pair[0].text, &pair[1].text));
            if tokenizer.is_additive() && joined {
                parts.iter().map(|part| part.tokens).sum()
            } else {
                tokenizer.count(&text(parts))
            }
        };
        let before = self.last.as_ref().map_or(&[][..], |sent| &sent.parts);
        let same = parts.iter().zip(before).take_while(|(part, earlier)| part.text == earlier.text).count();
        let steady = parts.iter().take_while(|part| !changed.contains(&part.name)).count();
        let frame =
            Frame { kind, order, steady, changed, tokens: count(&parts), cacheable: count(&parts[..same]) };
        self.frames += 1;
        self.tokens += frame.tokens;
        self.cacheable += frame.cacheable;
        let since_whole =
            if kind.is_whole() { 1 } else { self.last.as_ref().map_or(1, |sent| sent.since_whole + 1) };
        self.last = Some(SentFrame { parts, phase, cycle, since_whole });
        frame
    }

    /// Frames made, their tokens, and how many of those were cacheable.
    #[must_use]
    pub fn totals(&self) -> (usize, usize, usize) {
        (self.frames, self.tokens, self.cacheable)
    }

    fn kind(&self, phase: Phase, cycle: u64) -> FrameKind {
        match &self.last {
            None => FrameKind::First,
            Some(sent) if sent.cycle != cycle => FrameKind::Cycle,
            Some(sent) if sent.phase != phase => FrameKind::Phase,
            Some(sent) if sent.since_whole >= self.every => FrameKind::Due,
            Some(_) => FrameKind::Predicted,
        }
    }

    fn changed(&self, parts: &[(usize, FramePart)]) -> Vec<String> {
        let Some(sent) = &self.last else { return Vec::new() };
        let now = |name: &str| parts.iter().find(|(_, part)| part.name == name);
        let mut changed: Vec<String> = parts
            .iter()
            .filter(|(_, part)| !sent.parts.iter().any(|earlier| earlier == part))
            .map(|(_, part)| part.name.clone())
            .collect();
        changed
            .extend(sent.parts.iter().filter(|part| now(&part.name).is_none()).map(|part| part.name.clone()));
        changed
    }

    /// A whole frame keeps the order of the prompt, but for blocks that were seen to change: they go behind the others. A
    /// predicted one keeps the order of the last frame, and what changed goes behind what did not.
    fn lay_out(
        &self,
        mut parts: Vec<(usize, FramePart)>,
        kind: FrameKind,
        changed: &[String],
    ) -> Vec<(usize, FramePart)> {
        let before = |name: &str| {
            self.last
                .as_ref()
                .and_then(|sent| sent.parts.iter().position(|part| part.name == name))
                .unwrap_or(usize::MAX)
        };
        let times = |name: &str| self.changes.get(name).copied().unwrap_or(0);
        parts.sort_by_key(|(index, part)| {
            let name = part.name.as_str();
            let (late, place) = if kind.is_whole() {
                (times(name) > 0, *index)
            } else if changed.iter().any(|changed| changed == name) {
                (true, *index)
            } else {
                (false, before(name))
            };
            (name == LAST, name != FIRST, late, place)
        });
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(blocks: &[(&str, &str)]) -> Vec<FramePart> {
        let part = |(name, content): &(&str, &str)| {
            let text = format!("<{name}>\n{content}\n</{name}>\n");
            FramePart { name: (*name).to_owned(), tokens: Tokenizer::O200k.count(&text), text }
        };
        blocks.iter().map(part).collect()
    }

    fn next(tracker: &mut FrameTracker, event: &str, phase: Phase, cycle: u64) -> (Frame, String) {
        let parts = prompt(&[
            ("system", &"Trade with care. ".repeat(30)),
            ("event", event),
            ("past_events", &"The oracle lagged. ".repeat(40)),
            ("instruction", "Decide."),
        ]);
        let frame = tracker.next(parts.clone(), Tokenizer::O200k, phase, cycle);
        let text = frame.order.iter().map(|index| parts[*index].text.as_str()).collect();
        (frame, text)
    }

    #[test]
    fn unchanged_blocks_are_a_byte_identical_beginning() {
        let mut tracker = FrameTracker::new(100);
        let (first, _) = next(&mut tracker, "one", Phase::Thriving, 0);
        assert_eq!((first.kind, first.cacheable), (FrameKind::First, 0));
        let (_, second) = next(&mut tracker, "two", Phase::Thriving, 0);
        let (third, text) = next(&mut tracker, "three", Phase::Thriving, 0);
        assert_eq!(third.kind, FrameKind::Predicted);
        assert_eq!(third.changed, ["event"]);
        let common = text.bytes().zip(second.bytes()).take_while(|(left, right)| left == right).count();
        assert!(Tokenizer::O200k.count(&text[..text.floor_char_boundary(common)]) >= third.cacheable);
        assert!(third.cacheable * 10 >= third.tokens * 6, "{} of {}", third.cacheable, third.tokens);
        assert!(text.ends_with("</instruction>\n"));
        assert_eq!(third.tokens, Tokenizer::O200k.count(&text));
    }

    #[test]
    fn a_new_cycle_a_new_phase_and_every_nth_frame_are_whole() {
        let mut tracker = FrameTracker::new(3);
        let mut kind = |phase, cycle| next(&mut tracker, "x", phase, cycle).0.kind;
        assert_eq!(kind(Phase::Thriving, 0), FrameKind::First);
        assert_eq!(kind(Phase::Thriving, 0), FrameKind::Predicted);
        assert_eq!(kind(Phase::Thriving, 0), FrameKind::Predicted);
        assert_eq!(kind(Phase::Thriving, 0), FrameKind::Due);
        assert_eq!(kind(Phase::Stable, 0), FrameKind::Phase);
        assert_eq!(kind(Phase::Stable, 1), FrameKind::Cycle);
    }

    #[test]
    fn on_a_steady_loop_at_least_three_fifths_are_cacheable() {
        let mut tracker = FrameTracker::new(8);
        for step in 0..40 {
            next(&mut tracker, &format!("event {step}"), Phase::Thriving, step / 20);
        }
        let (frames, tokens, cacheable) = tracker.totals();
        assert_eq!(frames, 40);
        assert!(cacheable * 10 >= tokens * 6, "{cacheable} of {tokens}");
    }

    #[test]
    fn a_system_block_that_changed_still_stands_first() {
        let mut tracker = FrameTracker::new(9);
        tracker.next(prompt(&[("event", "e")]), Tokenizer::O200k, Phase::Thriving, 0);
        let frame =
            tracker.next(prompt(&[("system", "s"), ("event", "e")]), Tokenizer::O200k, Phase::Thriving, 0);
        assert_eq!((frame.order, frame.steady, frame.cacheable), (vec![0, 1], 0, 0));
    }

    #[test]
    fn a_block_that_comes_or_goes_counts_as_changed() {
        let mut tracker = FrameTracker::new(9);
        tracker.next(prompt(&[("system", "s"), ("event", "e")]), Tokenizer::O200k, Phase::Thriving, 0);
        let frame =
            tracker.next(prompt(&[("system", "s"), ("notes", "n")]), Tokenizer::O200k, Phase::Thriving, 0);
        assert_eq!(frame.changed, ["notes", "event"]);
        assert_eq!(frame.steady, 1);
    }
}

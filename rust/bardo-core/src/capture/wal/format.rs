//! Encodes and decodes the bytes of a journal: its slots and its frames.
//!
//! Format version 1, all numbers little-endian. The first 4,096 bytes hold two slots, at 0 and 2,048, each `bardowal`,
//! the version (u32), the salt (u32, 0 in journals of logs without a mark), the owner (u64), the epoch (u64), and their
//! XXH3 checksum. Each frame begins at a multiple of 4,096, so that no acknowledged byte is rewritten before the next
//! epoch: `bfrm`, its number within the epoch from 0 (u32), the epoch (u64), the length of its body (u64), the XXH3
//! checksum of number, epoch, length and body (u64), and the body.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Version of the format.
pub(super) const VERSION: u32 = 1;
pub(super) const MAGIC: [u8; 8] = *b"bardowal";
pub(super) const FRAME_MAGIC: [u8; 4] = *b"bfrm";
/// Alignment of a frame in bytes.
pub(super) const STEP: usize = 4_096;
/// Offsets of the slots.
pub(super) const SLOTS: [usize; 2] = [0, 2_048];
pub(super) const SLOT_BYTES: usize = 40;
/// Size of a frame header in bytes.
pub(super) const FRAME_HEAD: usize = 32;

/// The owner, salt and epoch of a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub owner: u64,
    pub salt: u32,
    pub epoch: u64,
}

/// Size in bytes of a frame with a body of the given length.
pub(super) const fn frame_bytes(body: usize) -> usize {
    (FRAME_HEAD + body).next_multiple_of(STEP)
}

impl Slot {
    pub fn to_bytes(self) -> [u8; SLOT_BYTES] {
        let mut slot = [0; SLOT_BYTES];
        slot[..8].copy_from_slice(&MAGIC);
        slot[8..12].copy_from_slice(&VERSION.to_le_bytes());
        slot[12..16].copy_from_slice(&self.salt.to_le_bytes());
        slot[16..24].copy_from_slice(&self.owner.to_le_bytes());
        slot[24..32].copy_from_slice(&self.epoch.to_le_bytes());
        let checksum = xxh3_64(&slot[..32]);
        slot[32..].copy_from_slice(&checksum.to_le_bytes());
        slot
    }
}

/// Writes the header of a frame before its body.
pub(super) fn close_frame(frame: &mut [u8], number: u32, epoch: u64) {
    let body = (frame.len() - FRAME_HEAD) as u64;
    frame[..4].copy_from_slice(&FRAME_MAGIC);
    frame[4..8].copy_from_slice(&number.to_le_bytes());
    frame[8..16].copy_from_slice(&epoch.to_le_bytes());
    frame[16..24].copy_from_slice(&body.to_le_bytes());
    let checksum = checksum(&frame[4..24], &frame[FRAME_HEAD..]);
    frame[24..32].copy_from_slice(&checksum.to_le_bytes());
}

pub(super) fn checksum(head: &[u8], body: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(head);
    hash.update(body);
    hash.digest()
}

/// Reason for refusing a journal.
pub(super) enum Refusal {
    Foreign,
    Damaged,
    TooNew(u32),
}

pub(super) fn number(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Decodes the readable slots.
pub(super) fn slots_of(bytes: &[u8]) -> std::result::Result<Vec<Slot>, Refusal> {
    let mut found = Vec::new();
    let mut is_ours = false;
    let mut is_other = false;
    for at in SLOTS {
        let slot = bytes.get(at..at + SLOT_BYTES).unwrap_or_default();
        let version = number(slot, 8) as u32;
        let has_magic = slot.starts_with(&MAGIC);
        if has_magic && version > VERSION {
            return Err(Refusal::TooNew(version));
        }
        if has_magic && version == VERSION && number(slot, 32) == xxh3_64(&slot[..32]) {
            let salt = (number(slot, 8) >> 32) as u32;
            found.push(Slot { owner: number(slot, 16), salt, epoch: number(slot, 24) });
        }
        is_ours |= has_magic;
        // A torn slot is zeros from some byte on.
        is_other |= slot.iter().zip(MAGIC).any(|(byte, own)| *byte != own && *byte != 0);
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let has_frames = (STEP..bytes.len()).step_by(STEP).any(|at| frame(&bytes[at..], None).is_some());
    match (has_frames, is_other && !is_ours) {
        (true, _) => Err(Refusal::Damaged),
        (false, true) => Err(Refusal::Foreign),
        (false, false) => Ok(found),
    }
}

/// Bodies of the consecutive whole frames of an epoch, and the fault of the next one.
pub(super) fn frames_of(bytes: &[u8], epoch: u64) -> (Vec<Vec<u8>>, Option<String>) {
    let (mut found, mut at) = (Vec::new(), STEP);
    while let Some((number, body)) = bytes.get(at..).and_then(|rest| frame(rest, Some(epoch)))
        && number as usize == found.len()
    {
        found.push(body.to_vec());
        at += frame_bytes(body.len());
    }
    let later = (at..bytes.len()).step_by(STEP).find_map(|at| frame(&bytes[at..], Some(epoch)));
    let broken = later.map(|(number, _)| {
        format!("is broken: its frame {} cannot be read, and frame {number} after it is whole", found.len())
    });
    (found, broken)
}

/// Number and body of the frame at the start of `bytes`, if it is whole and of the given epoch.
pub(super) fn frame(bytes: &[u8], epoch: Option<u64>) -> Option<(u32, &[u8])> {
    let (head, rest) = bytes.split_at_checked(FRAME_HEAD)?;
    if !head.starts_with(&FRAME_MAGIC) || epoch.is_some_and(|epoch| number(head, 8) != epoch) {
        return None;
    }
    let body = rest.get(..usize::try_from(number(head, 16)).ok()?)?;
    let own = number(head, 4) as u32;
    (checksum(&head[4..24], body) == number(head, 24)).then_some((own, body))
}

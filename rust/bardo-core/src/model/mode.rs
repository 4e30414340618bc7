//! Modes of an agent, and the groups of modes that share memories.

/// Groups of modes that share memories; every other mode is separate.
const GROUPS: &[&[&str]] = &[&["booth", "chat"]];

/// The modes whose memories are visible in a mode, including itself.
#[must_use]
pub fn modes_with(mode: &str) -> Vec<&str> {
    GROUPS.iter().find(|group| group.contains(&mode)).map_or_else(|| vec![mode], |group| group.to_vec())
}

/// Whether two modes share memories.
#[must_use]
pub fn share_a_mode(one: &str, other: &str) -> bool {
    modes_with(one).contains(&other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chat_and_booth_share_and_code_is_apart_both_ways() {
        assert!(
            share_a_mode("chat", "booth") && share_a_mode("booth", "chat") && share_a_mode("code", "code")
        );
        assert!(!share_a_mode("chat", "code") && !share_a_mode("code", "booth"));
    }
}

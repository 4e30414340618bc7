//! Rules whose conditions are structured, as the Curator states them: what they are about can be read.

use std::collections::BTreeSet;

use crate::model::FactPayload;

/// Whether decisions can test a rule: all of its conditions are structured, and it says of which number it is about.
pub(super) fn is_testable(payload: &FactPayload) -> bool {
    structured(payload)
        .is_some_and(|(_, outcome)| outcome.ends_with(" is higher") || outcome.ends_with(" is lower"))
}

/// The conditions of a rule without their bounds, and its outcome; none where a condition is in free words.
pub(super) fn structured(payload: &FactPayload) -> Option<(BTreeSet<String>, &str)> {
    let FactPayload::Heuristic { condition, action, outcome, .. } = payload else { return None };
    let parts = [condition, action].into_iter().flat_map(|words| words.split(" and "));
    let feature = |part: &str| -> Option<String> {
        let mut words = part.split(' ');
        let (path, sign, value) = (words.next()?, words.next()?, words.next()?);
        let side = match sign {
            ">=" => "high",
            "<=" => "low",
            "is" => value,
            _ => return None,
        };
        words.next().is_none().then(|| format!("{path} {side}"))
    };
    let features: Option<BTreeSet<String>> = parts.filter(|part| !part.is_empty()).map(feature).collect();
    Some((features.filter(|features| !features.is_empty())?, outcome))
}

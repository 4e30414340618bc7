//! Compression: never longer, in order, and what carries the meaning stays.

use bardo_core::assemble::{LEAST_KEPT, MOST_KEPT, Tokenizer, WordModel, compress};
use proptest::prelude::*;

fn model() -> WordModel {
    let mut model = WordModel::default();
    for number in 0..50 {
        model.learn(&format!(
            "we went to the market and bought apples for {number} euros because they were very good"
        ));
    }
    model
}

/// Texts that must stay in any place: written so that no rule of the compressor is repeated here.
const KEPT: &[&str] = &[
    "17",
    "3.5",
    "$4,000",
    "9pm",
    "2026-05-01",
    "Melanie",
    "ETH/USDC",
    "not",
    "never",
    "didn't",
    "won’t",
    "without",
    "https://example.org/a?b=c",
    "foo_bar()",
    "let_x=1;",
    "twelve",
    "AAVE",
    "iPhone",
    "流动性",
    "C++",
    "0x7f",
    "nicht",
];
const DROPPED: &[&str] =
    &["the", "really", "because", "market", "of", "very", "good", "went", "apples", "and", "—", "it's"];

fn is_part_in_order(part: &str, whole: &str) -> bool {
    let mut words = whole.split_whitespace();
    part.split_whitespace().all(|word| words.any(|other| other == word))
}

#[test]
fn predictable_words_go_first() {
    let text = "We went to the market and bought apples for 7 euros, but Melanie did not like the strange durian there.";
    let short = compress(text, "", 0.6, &model(), Tokenizer::O200k).unwrap();
    assert!(short.tokens * 10 <= short.before * 7, "{short:?}");
    for word in ["7", "Melanie", "not", "durian"] {
        assert!(short.text.contains(word), "{short:?}");
    }
    assert!(!short.text.contains("went to the"), "{short:?}");
}

#[test]
fn a_question_keeps_the_words_around_its_terms() {
    let text = "They talked about gardens and soil for a long while. Her sister adopted a grey kitten from the shelter. \
                Then they spoke about cooking soups with lentils and cream.";
    let kept = |question| compress(text, question, 0.5, &model(), Tokenizer::O200k).unwrap().text;
    assert!(
        kept("what did her sister adopt?").contains("grey kitten"),
        "{}",
        kept("what did her sister adopt?")
    );
    assert!(kept("which soups do they cook?").contains("lentils"), "{}", kept("which soups do they cook?"));
}

#[test]
fn a_word_that_is_most_of_a_text_is_not_dropped() {
    let sequence = "acgt".repeat(3_000);
    for text in [
        sequence.clone(),
        format!("the sequence of the sample follows here: {sequence} and it was very good"),
    ] {
        for share in [LEAST_KEPT, 0.5, MOST_KEPT] {
            let short = compress(&text, "", share, &model(), Tokenizer::O200k).unwrap();
            assert!(
                short.tokens as f64 >= short.before as f64 * LEAST_KEPT,
                "{} of {}",
                short.tokens,
                short.before
            );
            assert!(short.text.contains(&sequence));
        }
    }
}

#[test]
fn lines_stay_lines_and_code_stays_whole() {
    let text = "it is really good:\n```\nwe went to the market\n```\nand then\n| a | the |\nvery very good and so on\n";
    let short = compress(text, "", 0.2, &model(), Tokenizer::O200k).unwrap().text;
    assert!(
        short.contains("```\nwe went to the market\n```\n") && short.contains("| a | the |\n"),
        "{short}"
    );
}

#[test]
fn a_share_out_of_range_is_refused() {
    for share in [0.0, 0.19, 0.81, f64::NAN] {
        assert!(compress("text", "", share, &model(), Tokenizer::O200k).is_err());
    }
}

proptest! {
    #[test]
    fn any_text_only_loses_whole_words_and_never_grows(
        text in prop_oneof!["(?s)[\\PC\\s]{0,300}", "(?s).{0,200}", "([a-z]{1,9}[ \n]){0,60}"],
        question in "(?s).{0,40}",
        share in LEAST_KEPT..MOST_KEPT,
    ) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Estimate] {
            let short = compress(&text, &question, share, &model(), tokenizer).unwrap();
            prop_assert_eq!(short.tokens, tokenizer.count(&short.text));
            prop_assert!(short.tokens <= short.before && short.text.len() <= text.len());
            prop_assert!(is_part_in_order(&short.text, &text));
        }
    }

    #[test]
    fn numbers_names_negations_urls_and_code_stay_in_order(
        picks in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<bool>()), 1..60),
        share in LEAST_KEPT..MOST_KEPT,
    ) {
        let mut words = vec!["so"];
        let mut must_stay = Vec::new();
        for (keep, index, line) in &picks {
            let list = if *keep { KEPT } else { DROPPED };
            let word = list[index.index(list.len())];
            words.push(word);
            if *keep {
                must_stay.push(word);
            }
            if *line {
                words.push("and\nso");
            }
        }
        let short = compress(&words.join(" "), "who is Melanie?", share, &model(), Tokenizer::O200k).unwrap();
        let left: Vec<&str> = short.text.split_whitespace().filter(|word| KEPT.contains(word)).collect();
        prop_assert_eq!(left, must_stay);
    }
}

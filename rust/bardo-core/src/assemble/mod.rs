//! The window of a model as working memory (spec 5).

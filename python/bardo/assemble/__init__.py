"""The window of a model as working memory (spec 5): blocks in, one prompt within its token budget out."""

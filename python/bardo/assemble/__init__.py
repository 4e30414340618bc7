"""The window of a model as working memory: blocks in, one prompt within its token budget out."""

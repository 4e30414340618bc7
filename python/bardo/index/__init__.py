"""Making what was captured findable: embedders and the LanceDB archive index (spec 2 and 4)."""

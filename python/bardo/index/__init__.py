"""Makes captured memories findable: vectors, the LanceDB archive, and the indexer of both (spec 2 and 4)."""

"""Makes captured memories findable: vectors, the LanceDB archive, and the indexer of both."""

"""Derived indexes of memories: vectors, the LanceDB archive, and the indexer of both."""

"""Index a project: from its files to its graph."""

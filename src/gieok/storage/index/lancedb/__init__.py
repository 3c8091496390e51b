"""`store: lancedb`: vector search by LanceDB."""

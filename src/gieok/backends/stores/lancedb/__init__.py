"""`store: lancedb`: the vector leg by LanceDB."""

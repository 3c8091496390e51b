"""Archives of cold memories, a module per kind."""

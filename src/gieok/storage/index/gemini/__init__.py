"""`store: gemini`: local documents and keywords, semantic search by Gemini File Search."""

"""`store: gemini`: documents and keywords here, meaning by Gemini File Search."""

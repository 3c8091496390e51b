"""Times in words, Korean and English: one grammar for questions about the past and for plans."""

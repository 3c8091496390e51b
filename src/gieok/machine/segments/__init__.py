"""Places over which devices exchange segments: each is one file here."""

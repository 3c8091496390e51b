"""What helps at the moment of an action: forms that work, mended errors, lines that name a file."""

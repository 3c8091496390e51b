"""What helps at the moment of an edit: lines of memories that name what it is about."""

"""What helps at the moment of an action: lines of memories that name what it is about."""

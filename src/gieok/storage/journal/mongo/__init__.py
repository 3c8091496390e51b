"""The journal with what was said in MongoDB; everything else is in PostgreSQL."""

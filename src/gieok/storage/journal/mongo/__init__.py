"""Journal with the texts of messages in MongoDB and everything else in PostgreSQL."""

"""What the store and the journal on a PostgreSQL server share."""

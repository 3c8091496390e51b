"""Journal on a PostgreSQL server."""

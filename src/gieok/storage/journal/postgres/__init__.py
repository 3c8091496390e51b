"""The journal on a PostgreSQL server."""

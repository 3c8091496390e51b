"""Store on a server: PostgreSQL with pgvector, for many processes, machines and scopes."""

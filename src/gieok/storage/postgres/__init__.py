"""PostgreSQL code that the store, the journal and the accounts share."""

"""Users, characters, keys and points of a service: a module per database, the statements once."""

"""Everything that talks to the outside: stores, embedders. Only `gieok.app` imports a backend, through the registry."""

"""The HTTP API of `gieok serve`."""

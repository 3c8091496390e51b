"""Pure functions on text: no I/O, standard library only."""

"""Claims: what one sentence of a memory says, and whether a later one takes its place."""

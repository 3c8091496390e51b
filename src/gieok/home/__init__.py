"""Home of a caller: what a process opens from a home folder, and the calls of its commands."""

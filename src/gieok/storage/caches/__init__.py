"""Windows that were read before."""

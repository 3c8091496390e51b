"""Commands of the sidecar that observes transcripts."""

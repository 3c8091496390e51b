"""Operations of the sidecar that observes transcripts."""

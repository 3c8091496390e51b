"""Where raw messages are kept."""

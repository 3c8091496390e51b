"""Operations around the hooks of coding agents."""

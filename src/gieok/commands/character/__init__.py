"""Operations on characters that remember."""

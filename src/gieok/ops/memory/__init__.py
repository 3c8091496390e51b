"""Operations on memory files and what is kept of them."""

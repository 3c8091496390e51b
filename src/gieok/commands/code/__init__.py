"""Operations on the code of a project."""

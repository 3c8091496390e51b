"""Columns of a terminal: Korean, Chinese and Japanese letters take two."""

#: Letters that take two columns: Hangul, Han, kana, full-width forms.
_WIDE = (
    ("ᄀ", "ᅟ"),
    ("⺀", "꓏"),
    ("가", "힣"),
    ("豈", "﫿"),
    ("︰", "﹯"),
    ("！", "｠"),
    ("￠", "￦"),
)


def count_text_columns(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(2 if _is_wide(char) else 1 for char in text)


def _is_wide(char: str) -> bool:
    return char > "ჿ" and any(low <= char <= high for low, high in _WIDE)


def pad_columns(text: str, columns: int) -> str:
    """Return a text with blanks up to so many columns: behind it, or before it where negative."""
    blanks = " " * max(abs(columns) - count_text_columns(text), 0)
    return blanks + text if columns < 0 else text + blanks

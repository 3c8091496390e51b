"""English names of months: their numbers, and a pattern of them."""

#: First letters of the months, January first.
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)


def month_number(name: str) -> int:
    """Return the number of a month by its name or the beginning of it; 0 for another word."""
    beginning = name[:3].lower()
    return MONTH_NAMES.index(beginning) + 1 if beginning in MONTH_NAMES else 0

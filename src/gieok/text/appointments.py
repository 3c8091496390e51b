"""The day ahead that a user's words name, seen from the day on which they were said.

Examples: "내일 오전 10시에 미팅 있어", "The demo is on Thursday at 3pm". Whether it is worth a line at a
session's start is decided there (`text.due`), when today is known.
"""

from datetime import date

from gieok.text.ends import split_end_sentences, tells_what_is_ahead
from gieok.text.times import ahead


def find_day_ahead(text: str, said_on: date) -> date | None:
    """Return the last day that a text names from the day on which it was said on; None for none.

    Of several days the one that is named last counts: "moved from Tuesday to Wednesday". A whole
    week or month is no day, and neither are the days of what was, is asked or is supposed.
    """
    days = [
        named.last
        for sentence in split_end_sentences(text)
        if tells_what_is_ahead(sentence)
        for _, named in ahead.each(sentence, said_on)
        if not named.is_period and named.last >= said_on
    ]
    return days[-1] if days else None

"""The day ahead that a user's words name, seen from the day on which they were said.

Examples: "내일 오전 10시에 미팅 있어", "The demo is on Thursday at 3pm". Whether it is worth a line at a
session's start is decided there (`text.due`), when today is known.
"""

import re
from datetime import date

from gieok.text import binding
from gieok.text.ends import split_end_sentences, tells_what_is_ahead
from gieok.text.times import ahead

#: (pattern, example, counter-example): the words say what takes place again and again, and so names
#: a day of every week or none.
HABITS = (
    (
        (
            r"(?i)\b(?:every|each|always|usually|normally|often|regularly|whenever|daily|weekly"
            r"|monthly|cron)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day"
            r" (?:mornings|afternoons|evenings|nights)\b"
        ),
        "Our standup is on Monday at 10am every week",
        "The demo is on Thursday at 3pm",
    ),
    (
        r"매[일주월달년]|마다|격주|항상|(?<![가-힣])(?:늘|보통|평소|원래)|크론",
        "월요일 오전 10시에 스탠드업이 있어 매주",
        "이번 주 목요일 3시에 데모 있어",
    ),
)
#: (pattern, example, counter-example): the words tell what was. What was moved or booked may still
#: be ahead.
PAST = (
    (
        (
            r"(?i)\b(?:i|we|he|she|they|it|just|already|finally) "
            r"(?!(?:re)?scheduled|moved|shifted|pushed|booked|planned|agreed|decided|arranged"
            r"|confirmed|invited|need)[a-z]{2,}ed\b"
        ),
        "We finished the review on Thursday at 3pm",
        "We moved the review to Thursday at 3pm",
    ),
    (
        # what is to be done is ahead
        (
            r"(?i)(?<!\bbe )\b(?:met|took|saw|gave|sent|came|broke|began|fell|made|told|spent"
            r"|bought|ate)\b"
        ),
        "I sent Bob from Acme the form today at 10am",
        "The form must be sent to Bob from Acme today",
    ),
)
#: What is asked for by a day, or to be kept in mind, is due, though somebody else shall do it.
_KEPT_IN_MIND = (
    r"(?i)까지|마감|기한|기억|잊|리마인드|메모"
    r"|\bby\b|\bdue\b|\bdeadline\b|\bbefore\b|\bremember\b|\bremind\b"
)
_CLAUSE_END = r"[,;]\s+|\s+(?:but|so|because)\s+|(?<=니까)\s+|(?<=는데)\s+|(?<=어서)\s+"
#: Before and behind a day that is denied: "Wednesday, not Thursday", 목요일 말고 수요일.
_DENIED_BEFORE, _DENIED_BEHIND = r"(?i)\bnot (?:on )?$", r"^\S{0,2}\s?(?:말고|아니고|아니라|대신)"


def find_day_ahead(text: str, said_on: date) -> date | None:
    """Return the last day that a text names from the day on which it was said on; None for none.

    Of several days the one that is named last counts: "moved from Tuesday to Wednesday". A whole
    week or month is no day, and neither are the days of what was, is asked, supposed, quoted or
    forbidden, of what comes again and again, and of work that is asked for.
    """
    if binding.is_played(text):
        return None
    days = [
        named.last
        for sentence in split_end_sentences(binding.blank_quotations(text))
        if _tells_appointment(sentence)
        for start, named in ahead.each(sentence, said_on)
        if not named.is_period
        and named.last >= said_on
        and _is_stated_at(sentence, start, start + len(named.words))
    ]
    return days[-1] if days else None


def _tells_appointment(sentence: str) -> bool:
    return (
        tells_what_is_ahead(sentence)
        and not binding.is_reported(sentence)
        and not any(re.search(pattern, sentence) for pattern, _, _ in (*HABITS, *PAST))
    )


def _is_stated_at(sentence: str, start: int, end: int) -> bool:
    """Say whether the clause of a day states it, and neither orders, forbids nor denies it."""
    if re.search(_DENIED_BEFORE, sentence[:start]) or re.search(_DENIED_BEHIND, sentence[end:]):
        return False
    clause = _cut_clause_around(sentence, start)
    if re.search(_KEPT_IN_MIND, clause):
        return True
    return not (binding.asks_for_work(clause) or binding.orders_or_forbids(clause))


def _cut_clause_around(sentence: str, at: int) -> str:
    """Return the clause of a sentence that holds an offset."""
    ends = [found.end() for found in re.finditer(_CLAUSE_END, sentence)]
    begin = max((end for end in ends if end <= at), default=0)
    return sentence[begin : min((end for end in ends if end > at), default=len(sentence))]

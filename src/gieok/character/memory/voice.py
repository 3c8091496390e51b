"""How a character tells itself what it remembers: Korean, plain or polite, or English.

A wording of a fact is a plain statement: it ends in 다, or in the value. Told, it is what the user
said: 혜화동에 산다고 했어, 직업은 제빵사라고 했어요.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.character.facts import WHOSE_UNSURE, Fact, FactType
from gieok.text.josa import fill_particles, get_final, with_particle

#: Value of `speech_level` for polite speech.
_POLITE = "존댓말"
_LAST_VALUE = re.compile(r"\{(\w+)\}$")
#: How a plain statement ends: 한다, 했다, 이다, 있다. Nouns that end in 다 are single words: 바다.
_STATEMENT_END = re.compile(r"\s\S*[이하되있없같싶않좋많]다$")
#: Final consonants of the syllable before 다: ㄴ, ㅆ.
_FINALS = (4, 20)


class Voice(NamedTuple):
    """Language of a narrative, and whether its Korean is polite."""

    lang: str
    is_polite: bool = False

    def say(self, plain: str, polite: str, en: str, **values: str) -> str:
        """Return a template in this voice, with its values and their particles."""
        template = en if self.lang != "ko" else polite if self.is_polite else plain
        return fill_particles(template, **values)

    def report(self, wording: str, *, is_sure: bool = True, **values: str) -> str:
        """Return a wording of a fact, with its values, as something that the user said."""
        statement = fill_particles(wording, **values)
        if self.lang != "ko":
            first = statement[:1].upper() + statement[1:]
            return f"{first}." if is_sure else f"{first}, I think."
        last = _LAST_VALUE.search(wording)
        is_statement = is_korean_statement(values[last[1]]) if last else wording.endswith("다")
        said = f"{statement}고" if is_statement else with_particle(statement, "이라고", "라고")
        if is_sure:
            return said + (" 했어요." if self.is_polite else " 했어.")
        return said + (" 했던 것 같아요." if self.is_polite else " 했던 것 같아.")


def is_korean_statement(value: str) -> bool:
    """Return whether a value is a plain statement of several words: 혼자 산다, not 바다."""
    if " " not in value or not value.endswith("다"):
        return False
    return get_final(value[-2]) in _FINALS or _STATEMENT_END.search(value) is not None


def choose_voice(lang: str, facts: Sequence[Fact]) -> Voice:
    """Return the voice in which a character speaks to its user now."""
    levels = (one for one in facts if one.predicate == "speech_level" and one.is_current)
    return Voice(lang, any(_POLITE in one.object for one in levels))


def is_well_supported(fact: Fact) -> bool:
    """Return whether a fact may be told as known: set by a person, read by a model, or said again.

    What rules found once is told with its words: in talk that nobody has seen, a quarter of it is
    wrong, however plain its form. Said again, a plan is no surer whose it is.
    """
    is_known_whose = fact.type is not FactType.PLAN or fact.confidence > WHOSE_UNSURE
    return fact.is_set or bool(fact.by) or (fact.mentions > 1 and is_known_whose)

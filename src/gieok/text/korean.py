"""Translation of messages that are written in English where they arise.

The messages are errors, hints and reasons. An error arrives as a finished English text, so its
template is found again: `{0}` in a message of the catalogue stands for any value, `{0!r}` for a
value in quotes, `{0:,}` for a number. In the translation, `{0:이/가}` is the value and the particle
that fits it, `{:이/가}` the particle that fits the text before it. A value may be such a message too;
`the {0}` is one of the nouns (`the journal`). A message without a translation stays English.
"""

import re
from functools import cache
from typing import NamedTuple

from gieok.text.catalogues import ENGLISH, list_translations
from gieok.text.josa import with_particle

#: A place with a name: a message that is translated where it is shown.
_NAMED = re.compile(r"\{[a-z_]\w*(?:![rs])?(?::[^{}\s]*)?\}")
_HOLE = re.compile(r"\{(\d)(!r|:,)?\}")
_PUT_IN = re.compile(r"\{(\d?)(?::([^{}/]*)/([^{}]*))?\}")
#: First value of an unspecific template.
_ONE = r"(\S+(?: and \S+)*)"
_FORMS = {
    "!r": r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({].*?[\])}]|-?[\d.]+|None|True|False)""",
    ":,": r"(-?[\d,.]+(?:[eE][+-]?\d+)?)",
    "": "(.*?)",
}
#: A template with fewer fixed letters takes only a single word as its first value: otherwise it
#: would match sentences that belong to other templates.
_FEW_LETTERS = 8
#: A value in quotes, or a number, counts as so many letters.
_OF_A_FORM = 4
_DEEPEST = 4


class Template(NamedTuple):
    """An English message with placeholders, and its translation.

    `first` and `last` are the fixed beginning and end of all texts that match; `letters` is the
    number of fixed letters, which says how specific the template is.
    """

    english: str
    korean: str
    first: str
    last: str
    letters: int

    def match(self, text: str) -> "re.Match[str] | None":
        """Return the match of a text, with the values of the placeholders; None for no match."""
        if not (text.startswith(self.first) and text.endswith(self.last)):
            return None
        return _compile_english_form(self.english, self.letters).fullmatch(text)


class Catalogue(NamedTuple):
    """All translations: texts without placeholders, and templates, the most specific first."""

    plain: dict[str, str]
    templates: list[Template]

    def say(self, text: str, depth: int = 0) -> str:
        """Return the translation of a text; the text itself where no message matches."""
        if text in self.plain:
            return self.plain[text]
        for template in self.templates if depth < _DEEPEST else ():
            if match := template.match(text):
                return self._filled(template, match, depth + 1)
        return self._joined(text, depth + 1) if depth < _DEEPEST else text

    def _joined(self, text: str, depth: int) -> str:
        """Return the translation of a text that was composed of several messages.

        The forms are `one; another`, `what (why)`, `place: what`.
        """
        if "; " in text:
            return "; ".join(self.say(part, depth) for part in text.split("; "))
        what, opening, why = text.partition(" (")
        if opening and text.endswith(")"):
            return f"{self.say(what, depth)} ({self.say(why[:-1], depth)})"
        place, colon, what = text.partition(": ")
        return f"{place}: {self.say(what, depth)}" if colon else text

    def _filled(self, template: Template, found: "re.Match[str]", depth: int) -> str:
        korean, filled, end = template.korean, "", 0
        before = _HOLE.split(template.english)[::3]
        for place in _PUT_IN.finditer(korean):
            filled += korean[end : place.start()]
            if place[1]:
                value, number = found[int(place[1]) + 1], int(place[1])
                noun = self.plain.get(f"the {value}") if before[number].endswith("the ") else None
                filled += noun or self.say(value, depth)
            filled = with_particle(filled, place[2], place[3]) if place[2] else filled
            end = place.end()
        return filled + korean[end:]


def in_language(text: str, lang: str) -> str:
    """Return an English text in the language of a reader."""
    return load_templates(lang).say(text) if lang != ENGLISH and text else text


@cache
def load_templates(lang: str) -> Catalogue:
    """Return the translations of a language for texts that arise in English."""
    plain, templates = dict[str, str](), list[Template]()
    for english, translation in list_translations(lang).items():
        if _NAMED.search(english):
            continue
        pieces = _HOLE.split(english)[::3]
        if len(pieces) == 1:
            plain[english] = translation
        else:
            letters = sum(len(re.sub(r"[\W_]", "", piece)) for piece in pieces)
            letters += _OF_A_FORM * (english.count("!r}") + english.count(":,}"))
            templates.append(
                Template(
                    english=english,
                    korean=translation,
                    first=pieces[0],
                    last=pieces[-1],
                    letters=letters,
                )
            )
    return Catalogue(
        plain, sorted(templates, key=lambda one: (-one.letters, -len(one.english), one.english))
    )


@cache
def _compile_english_form(english: str, letters: int) -> re.Pattern[str]:
    parts = _HOLE.split(english)
    expression = re.escape(parts[0])
    for form, piece in zip(parts[2::3], parts[3::3], strict=True):
        is_vague = letters < _FEW_LETTERS and (not expression or letters < _OF_A_FORM)
        expression += (_ONE if is_vague else _FORMS[form or ""]) + re.escape(piece)
    return re.compile(expression, re.DOTALL)

"""Translation of texts that arrive as finished English: their templates are found again.

An error knows its template, so `text.messages` looks its translation up. What is left for this
module knows no template: texts of the operating system, SQLite and Python inside an error, reasons
and notes in results, lines of progress, and incidents and errors that were stored as text or that
crossed a process as a line. They are put together in many places from parts, and some of them lie
on disk, so their templates cannot be carried along.

A message of the catalogue is matched with the text: `{0}` or `{name}` stands for any value,
`{0!r}` for a value in quotes, `{0:,}` for a number. A value may be such a message too; `the {0}` is
one of the nouns (`the journal`). A text without a translation stays English.
"""

import re
from functools import cache
from typing import NamedTuple

from gieok.text.catalogues import list_translations
from gieok.text.josa import with_particle

#: A place in a template: its name or number, how its value is quoted, and its form.
_HOLE = re.compile(r"(?<!\{)\{(\d|[a-z_]\w*)(!r)?(:[^{}\s]*)?\}(?!\})")
#: A place in a translation, with or without a value and a particle.
_PUT_IN = re.compile(r"\{(\w*)(?:!r)?(?::(?:([^{}/]*)/([^{}]*)|[^{}]*))?\}|\{\{|\}\}")
#: First value of an unspecific template.
_ONE = r"(\S+(?: and \S+)*)"
_QUOTED = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({].*?[\])}]|-?[\d.]+|None|True|False)"""
_NUMBER = r"(-?[\d,.]+(?:[eE][+-]?\d+)?)"
_ANYTHING = "(.*?)"
#: A template with fewer fixed letters takes only a single word as its first value: otherwise it
#: would match sentences that belong to other templates. One with names may be a count on a page
#: (`{count} transcripts`), in which no sentence stands.
_FEW_LETTERS, _FEW_LETTERS_NAMED = 8, 16
#: A value in quotes, or a number, counts as so many letters.
_OF_A_FORM = 4
_DEEPEST = 4


class Template(NamedTuple):
    """An English message with placeholders, and its translation.

    `pieces` are the fixed texts around the places, `names` the places' names and `forms` the
    expressions of their values; `letters` is the number of fixed letters, which says how specific
    the template is.
    """

    korean: str
    pieces: list[str]
    names: list[str]
    forms: tuple[str, ...]
    letters: int

    def match(self, text: str) -> "re.Match[str] | None":
        """Return the match of a text, with the values of the placeholders; None for no match."""
        if not (text.startswith(self.pieces[0]) and text.endswith(self.pieces[-1])):
            return None
        if not all(piece in text for piece in self.pieces):
            return None
        return _compile_english_form(tuple(self.pieces), self.forms).fullmatch(text)


class Catalogue(NamedTuple):
    """All translations: texts without placeholders, and templates, the most specific first."""

    plain: dict[str, str]
    templates: list[Template]

    def say(self, text: str, depth: int = 0) -> str:
        """Return the translation of a text; the text itself where no message matches."""
        said = self._say_whole(text, depth)
        if said is not None:
            return said
        return self._joined(text, depth + 1) if depth < _DEEPEST else text

    def _say_whole(self, text: str, depth: int) -> str | None:
        """Return the translation of a text that is one message; None for another text."""
        if text in self.plain:
            return self.plain[text]
        for template in self.templates if depth < _DEEPEST else ():
            if match := template.match(text):
                return self._filled(template, match, depth + 1)
        return None

    def _joined(self, text: str, depth: int) -> str:
        """Return the translation of a text that was composed of several messages.

        The forms are `one; another`, `what (why)`, `place: what`.
        """
        first, semicolon, rest = text.partition("; ")
        if semicolon:
            # a message may have a semicolon itself, so what is left is tried as one message first
            return f"{self.say(first, depth)}; {self.say(rest, depth - 1)}"
        what, opening, why = text.partition(" (")
        if opening and text.endswith(")"):
            return f"{self.say(what, depth)} ({self.say(why[:-1], depth)})"
        place, colon, what = text.partition(": ")
        return f"{place}: {self.say(what, depth)}" if colon else text

    def _filled(self, template: Template, found: "re.Match[str]", depth: int) -> str:
        filled, end = "", 0
        for place in _PUT_IN.finditer(template.korean):
            filled += template.korean[end : place.start()]
            if place[0] in ("{{", "}}"):
                filled += place[0][0]
            elif place[1]:
                number = template.names.index(place[1])
                value, before = found[number + 1], template.pieces[number]
                noun = self.plain.get(f"the {value}") if before.endswith("the ") else None
                filled += noun or self.say(value, depth)
            filled = with_particle(filled, place[2], place[3]) if place[2] else filled
            end = place.end()
        return filled + template.korean[end:]


def retranslate(text: str, lang: str) -> str:
    """Return a finished English text in another language; the text where it has no translation."""
    return load_templates(lang).say(text)


@cache
def load_templates(lang: str) -> Catalogue:
    """Return the translations of a language for texts that arise in English."""
    plain, templates = dict[str, str](), list[Template]()
    for english, translation in list_translations(lang).items():
        places = list(_HOLE.finditer(english))
        if not places:
            plain[english] = translation
        elif template := _build_template(english, translation, places):
            templates.append(template)
    return Catalogue(
        plain, sorted(templates, key=lambda one: (-one.letters, -len("".join(one.pieces)), one))
    )


def _build_template(
    english: str, translation: str, places: "list[re.Match[str]]"
) -> Template | None:
    """Return the template of a message.

    None where it has names and says too little, or where the translation needs other values.
    """
    starts, ends = [0, *(place.end() for place in places)], [place.start() for place in places]
    pieces = [
        english[start:end].replace("{{", "{").replace("}}", "}")
        for start, end in zip(starts, [*ends, len(english)], strict=True)
    ]
    forms = [
        _QUOTED if place[2] else _NUMBER if re.search("[,fg%d]", place[3] or "") else _ANYTHING
        for place in places
    ]
    letters = sum(len(re.sub(r"[\W_]", "", piece)) for piece in pieces)
    letters += _OF_A_FORM * sum(form != _ANYTHING for form in forms)
    names = [place[1] for place in places]
    needed = {place[1] for place in _PUT_IN.finditer(translation) if place[1]}
    is_named = not names[0].isdigit()
    if not needed <= set(names) or (is_named and letters < _OF_A_FORM):
        return None
    if letters < _OF_A_FORM:
        forms = [_ONE for _ in forms]
    elif letters < (_FEW_LETTERS_NAMED if is_named else _FEW_LETTERS) and not pieces[0]:
        forms[0] = _ONE if forms[0] == _ANYTHING else forms[0]
    return Template(
        korean=translation, pieces=pieces, names=names, forms=tuple(forms), letters=letters
    )


@cache
def _compile_english_form(pieces: tuple[str, ...], forms: tuple[str, ...]) -> re.Pattern[str]:
    expression = re.escape(pieces[0])
    for form, piece in zip(forms, pieces[1:], strict=True):
        expression += form + re.escape(piece)
    return re.compile(expression, re.DOTALL)

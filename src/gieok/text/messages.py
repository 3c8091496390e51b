"""Messages for people: English in the code, other languages in catalogues of gettext.

A message is an English template, which is its id: `{count} files`. What is put in may be a message
itself. A translation may name a value with the particle that fits it, `{name:이/가}`, or the
particle that fits the text before it, `{:이/가}`. An error's text is a message too: a `Phrase`,
which knows its template. A language is one file, `locale/LANG/LC_MESSAGES/gieok.po`, compiled to
`gieok.mo` by `make docs`. The hook before a tool imports this module: standard library alone, and
of it only what imports fast.
"""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from string import Formatter

from gieok.errors import Phrase
from gieok.text.catalogues import ENGLISH, load_catalogue
from gieok.text.josa import with_particle
from gieok.text.late_pattern import defer_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    class _WordsRow(NamedTuple):
        template: str
        values: tuple[tuple[str, object], ...] = ()
        about: str = ""
        plural: str = ""

    class _WordListRow(NamedTuple):
        messages: tuple["Words", ...]

else:  # `typing` takes 3 ms, a tenth of what a tool's use may cost
    _WordsRow = namedtuple(  # noqa: PYI024 - as above
        "_WordsRow", "template values about plural", defaults=((), "", "")
    )
    _WordListRow = namedtuple("_WordListRow", "messages")  # noqa: PYI024 - as above

#: A particle alone, in a translation.
_PARTICLE = defer_pattern(r"\{:([^{}/]*)/([^{}]*)\}")


class Words(_WordsRow):
    """A message for people that is put into their language when it is shown.

    `about` tells apart two uses of one English text that other languages say differently.
    """

    __slots__ = ()

    @classmethod
    def of(cls, template: str, about: str = "", plural: str = "", **values: object) -> "Words":
        """Return a message with what is put into its places.

        With `plural`, `template` is for one; `values` then has `count`.
        """
        return cls(template, tuple(values.items()), about, plural)

    @classmethod
    def said(cls, text: str) -> "Words":
        """Return what was said in English elsewhere, such as an error's text."""
        return cls("{text}", (("text", Phrase(text)),))

    @staticmethod
    def fill_english(template: str, **values: object) -> str:
        """Return a message in English."""
        return translate(template, ENGLISH, values)

    @property
    def en(self) -> str:
        """The text in English."""
        return self.say(ENGLISH)

    def __str__(self) -> str:
        """Return the text in English, as an error's English text has it."""
        return self.en

    @property
    def phrase(self) -> Phrase:
        """The message as an error holds it: without `about`."""
        values = dict(self.values)
        is_plural = bool(self.plural) and values["count"] != 1
        return Phrase(self.plural if is_plural else self.template, **values)

    def say(self, lang: str) -> str:
        """Return the text in `lang`; English where the language or the message is unknown."""
        return translate(
            self.template, lang, dict(self.values), about=self.about, plural=self.plural
        )


class WordList(_WordListRow):
    """Messages in a row, with commas between them."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return all of them in English."""
        return self.say(ENGLISH)

    def say(self, lang: str) -> str:
        """Return all of them in a language."""
        return ", ".join(message.say(lang) for message in self.messages)


def translate(
    template: str,
    lang: str,
    values: Mapping[str, object] | None = None,
    *,
    arguments: Sequence[object] = (),
    about: str = "",
    plural: str = "",
) -> str:
    """Return a message in a language with its values put in; English where it has no translation.

    `values` go into places with names, `arguments` into places with numbers (`{0}`).

    A message without values is shown as it is, also where it has braces. `plural` is the English
    for any `count` but one; the two are messages of their own.
    """
    is_plural = bool(plural) and values is not None and values["count"] != 1
    text = plural if is_plural else template
    if lang != ENGLISH:
        text = load_catalogue(lang).find_translation(text, about)
    if not values and not arguments:
        return text
    formatter = _MessageFormatter(lang)
    first, *rest = _PARTICLE.split(text)
    said = formatter.vformat(first, arguments, values or {})
    for closed, open_, piece in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        said = with_particle(said, closed, open_)
        said += formatter.vformat(piece, arguments, values or {})
    return said


def in_language(text: str, lang: str) -> str:
    """Return an English text in the language of a reader.

    A `Phrase` is looked up by its template. A text that knows none, or whose template is unknown
    because it is a text of the system, is matched with the templates of the catalogue.
    """
    if lang == ENGLISH or not text:
        return text
    if isinstance(text, Phrase):
        said = translate(text.template, lang, text.values)
        if text.values or said != text:
            return said
    from gieok.text.retranslation import retranslate  # only where something is wrong

    return retranslate(text, lang)


class _MessageFormatter(Formatter):
    """Puts values into a message: messages in the same language, names with their particle."""

    def __init__(self, lang: str) -> None:
        self._lang = lang

    def convert_field(self, value: "Any", conversion: "Any") -> "Any":  # noqa: ANN401
        if isinstance(value, Words | WordList):
            value = value.say(self._lang)
        elif isinstance(value, Phrase):
            value = in_language(value, self._lang)
        return super().convert_field(value, conversion)

    def format_field(self, value: "Any", format_spec: str) -> str:  # noqa: ANN401 - as above
        closed, slash, open_ = format_spec.partition("/")
        if slash:
            return with_particle(str(value), closed, open_)
        return str(super().format_field(value, format_spec))

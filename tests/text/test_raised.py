"""Every error is raised as a template with named values, and its templates have their Korean."""

import ast
import inspect
import json
import re
from functools import cache

import pytest
from tests.support.said import ERRORS, NAMED_PLACE, RaisedWalk, called, is_templated

import gieok.errors
from gieok.errors import (
    BadConfig,
    BadRequest,
    Conflict,
    GieokError,
    NotFound,
    Phrase,
    decode_phrase,
    encode_phrase,
)
from gieok.text.catalogues import list_translations
from gieok.text.josa import with_particle
from gieok.text.messages import Words, in_language
from gieok.text.retranslation import retranslate

#: What agents, developers and other machines read: in English alone.
_ENGLISH_ALONE = (
    "surfaces/http/access.py",
    "surfaces/http/routes/",
    "surfaces/http/tokens.py",
    "surfaces/jsonrpc.py",
    "surfaces/mcp",
    "surfaces/qmd.py",
    "testing/",
)
#: Texts on the way into a template that are none: what a program printed begins so.
_NO_TEMPLATES = {"failed: "}
#: A page says the same English, and says it differently in Korean.
_SAID_TWICE = {"there is no memory {handle!r}"}
#: Words in a message, and no messages: a noun (`the journal`), an option as a person types it.
_NOUNS = {"f'the {what}'", """f"--{find_parameter_name(parameter).replace('_', '-')}\""""}
_PARTICLE = re.compile(r"(?<!\})\}[`'\")\]]*(?:을|를|은|는|와|과|라는|이라는|이\(가\))(?= )")


@cache
def _walk() -> RaisedWalk:
    walk = RaisedWalk()
    walk.run()
    return walk


def _shown() -> dict[str, str]:
    """Return template → where it is raised, of the errors that a person may read."""
    return {
        text: place for text, place in _walk().found.items() if not place.startswith(_ENGLISH_ALONE)
    }


def _parameters_of(name: str) -> set[str]:
    """Return the parameters of an error's class besides the values of its template."""
    kind = getattr(gieok.errors, name, GieokError)
    return set(inspect.signature(kind).parameters) - {"template", "values"} | {"refusal"}


def _literals(node: ast.expr | None) -> list[str] | None:
    """Return the texts that an expression may be; None where it is not written out."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            of_body, of_rest = _literals(body), _literals(orelse)
            return None if of_body is None or of_rest is None else of_body + of_rest
        case None | ast.Constant(value=None):
            return []
    return None


def test_no_error_is_raised_as_a_finished_text() -> None:
    joined = {text: place for text, place in _walk().joined.items() if text not in _NOUNS}
    assert not joined, 'write `NotFound("no user {user!r}", user=user)`'
    assert len(_walk().found) > 900


def test_every_template_of_an_error_has_its_korean() -> None:
    known = list_translations("ko")
    missing = {
        text: place
        for text, place in _shown().items()
        if text not in known
        and text not in _NO_TEMPLATES
        and re.search("[A-Za-z]{2}", NAMED_PLACE.sub("", re.sub("`[^`]*`", "", text)))
        and not text.startswith("gieok ")
    }
    assert not missing, "give each its Korean in locale/ko/LC_MESSAGES/gieok.po, then `make docs`"


def test_a_template_names_the_values_that_it_is_given() -> None:
    wrong = []
    for module in _walk().modules:
        for node in module.nodes:
            if not isinstance(node, ast.Call) or called(node) not in ERRORS | {"Phrase"}:
                continue
            if not node.args or not is_templated(module.name, node):
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            texts = _literals(node.args[0])
            hints = _literals(given.get("hint")) if called(node) != "Phrase" else []
            if texts is None or hints is None or None in given:
                continue
            places = {place[1] for text in [*texts, *hints] for place in NAMED_PLACE.finditer(text)}
            of_class = _parameters_of(called(node)) if called(node) != "Phrase" else set()
            values = set(map(str, given)) - of_class
            if places - set(map(str, given)) - of_class or values - places:
                wrong.append((f"{module.name}:{node.lineno}", sorted(places ^ values)))
    assert wrong == []


def _sample(template: str) -> Phrase:
    """Return a template filled with samples of its values."""
    values: dict[str, object] = {
        place[1]: "가나" if place[2] else 17 if place[3] else f"값{number}"
        for number, place in enumerate(NAMED_PLACE.finditer(template))
    }
    return Phrase(template, **values)


def test_the_korean_of_an_error_names_its_values() -> None:
    known = list_translations("ko")
    wrong = [
        text
        for text in _shown()
        if {place[1] for place in NAMED_PLACE.finditer(text)}
        != {place[1] for place in NAMED_PLACE.finditer(known.get(text, text)) if place[1]}
    ]
    assert wrong == []


def test_particles_after_a_value_are_the_formatters() -> None:
    known = list_translations("ko")
    assert [text for text in _shown() if _PARTICLE.search(known.get(text, ""))] == []


def test_an_error_that_was_kept_as_text_reads_the_same() -> None:
    """Errors of incidents and of lines of progress lose their templates on the way."""
    wrong = []
    for template in _shown():
        phrase = _sample(template)
        is_vague = len(re.findall("[A-Za-z]", NAMED_PLACE.sub("", template))) < 8
        if phrase.values and not is_vague and template not in _SAID_TWICE:
            by_template, found = in_language(phrase, "ko"), retranslate(str(phrase), "ko")
            wrong += [(template, by_template, found)] * (by_template != found)
    assert wrong == []


def test_an_error_is_english_and_knows_its_template() -> None:
    error = NotFound("no user {user!r} in {place}", user="min", place="here", hint="ask {user}")
    assert (str(error), error.hint) == ("no user 'min' in here", "ask min")
    told = str(error)
    assert isinstance(told, Phrase)
    assert (told.template, told.values) == (
        "no user {user!r} in {place}",
        {"user": "min", "place": "here"},
    )
    assert NotFound("gone").hint == NotFound.hint
    assert error.in_full == "no user 'min' in here (ask min)"


def test_an_error_is_shown_in_korean_by_its_template() -> None:
    error = Conflict("{path!r} changed meanwhile", path="a.md", hint="run the command again")
    assert in_language(str(error), "ko") == "'a.md'가 그사이 바뀌었습니다"
    assert in_language(str(error), "en") == "'a.md' changed meanwhile"
    assert in_language(error.hint, "ko") != error.hint


@pytest.mark.parametrize(
    "value", ["{path} {0} {{x}}", "100%s %(a)d", "`{error:이/가}`", "{:이/가}"]
)
def test_a_value_with_signs_of_a_template_is_shown_verbatim(value: str) -> None:
    error = Conflict("{path!r} changed meanwhile", path=value, hint="give {path}")
    assert str(error) == f"{value!r} changed meanwhile"
    assert error.hint == f"give {value}"
    assert in_language(str(error), "ko").startswith(repr(value))


def test_a_text_that_names_no_value_keeps_its_braces() -> None:
    error = BadConfig("bad {x", hint="write `search: {limit: 3}`", setting="search", origin="f")
    assert (str(error), error.hint) == ("bad {x", "write `search: {limit: 3}`")


def test_a_value_of_quotes_that_reads_like_a_message_is_no_message() -> None:
    error = NotFound("no user {user}", user="the journal")
    assert "the journal" in in_language(str(error), "ko")


def test_a_message_in_an_error_is_translated_too() -> None:
    files = Words.of("{count} memory file", plural="{count} memory files", count=3)
    error = GieokError("unexpected {kind}: {error}", kind="E", error=BadRequest("{x}", x=files))
    assert str(error) == "unexpected E: 3 memory files"
    assert in_language(str(error), "ko").endswith("기억 파일 3개")


def test_a_text_of_the_system_in_an_error_is_translated_too() -> None:
    lost = OSError(2, "No such file or directory")
    error = gieok.errors.unexpected(OSError(2, "No such file or directory", "a.md"))
    assert str(error) == "'a.md': No such file or directory"
    assert in_language(str(error), "ko") == "'a.md': 그런 파일이나 폴더가 없습니다"
    assert gieok.errors.find_os_reason(lost) == "No such file or directory"


def test_an_error_raised_anew_keeps_its_template() -> None:
    first = NotFound("no user {user!r}", user="min", hint="ask {user}")
    again = BadRequest(str(first), hint=first.hint)
    told = str(again)
    assert isinstance(told, Phrase)
    assert told.template == "no user {user!r}"
    assert again.hint == "ask min"


def test_a_particle_may_stand_alone() -> None:
    assert with_particle("`gieok`", "을", "를") == "`gieok`을"
    told = Phrase("run `{command}`", command="gieok up")
    assert in_language(told, "ko").startswith("`gieok up`")


def test_an_error_crosses_a_wire_with_what_is_in_it() -> None:
    inner = Phrase("cannot read {file!r}", file="a{b}.md")
    error = BadRequest(
        "{what}: {inner}, {rows}, {number}",
        what=Phrase("the journal"),
        inner=inner,
        rows=[1, Phrase("the file {name!r}", name="x")],
        number=float("nan"),
    )
    arrived = decode_phrase(json.loads(json.dumps(encode_phrase(str(error)), allow_nan=False)))
    assert arrived == str(error) == "the journal: cannot read 'a{b}.md', [1, \"the file 'x'\"], nan"
    assert arrived.values["inner"].template == "cannot read {file!r}"
    assert in_language(arrived, "ko") == in_language(error.args[0], "ko")

"""Messages are English in the code; what other languages say stands in their catalogues."""

import ast
import gettext
import json
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.support.said import Walk, read_modules
from tests.support.said_tables import OTHERS

import gieok
from gieok.errors import BadRequest, NotFound, Phrase, decode_phrase, encode_phrase
from gieok.text.catalogues import (
    DOMAIN,
    LOCALES,
    _find_catalogues,
    list_languages,
    list_translations,
    load_catalogue,
)
from gieok.text.messages import (
    WordList,
    Words,
    in_language,
    translate,
)

_SOURCE = Path(gieok.__file__).parent
_TEMPLATES = _SOURCE / "surfaces" / "web" / "templates"
#: Calls whose first argument is a message.
_CALLS = {"Words", "of", "say", "words", "translate", "fill_english"}
_HANGUL = re.compile("[가-힣]")
_PAGE_CALL = re.compile(
    r'(?<![\w.])say\(\s*"((?:[^"\\]|\\.)*)"(?:[^()]*?plural="((?:[^"\\]|\\.)*)")?'
)


def _literal(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@cache
def _messages() -> dict[tuple[str, str], str]:
    """Return (use, message) of all calls with a literal message → where it stands."""
    found: dict[tuple[str, str], str] = {}
    for module in read_modules():
        path = module.name
        if path.startswith(("character/", "testing/", "text/", "storage/", "daemon/")):
            continue
        for node in module.nodes:
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            use = _literal(keywords.get("about"))
            for text in (_literal(node.args[0]), _literal(keywords.get("plural"))):
                if name in _CALLS and re.search("[A-Za-z]{2}", text):
                    found.setdefault((use, text), f"{path}:{node.lineno}")
    for file in sorted(_TEMPLATES.glob("*.html")):
        for texts in _PAGE_CALL.findall(file.read_text(encoding="utf-8")):
            for text in filter(None, texts):
                found.setdefault(("", text.replace('\\"', '"')), file.name)
    return found


def _translated(use: str, text: str) -> str:
    return load_catalogue("ko").find_translation(text, use)


#: Names of programs and abbreviations are the same in both.
_SAME = re.compile(
    r"[\w.-]*|\{what\}\.|[`{}\w./:|,()·<>%+ –-]*\{[^ ]*\}\)?|.*`[^`]*`|usage: .*"
    r"|(?:hot|warm|cold) \{\}"
)


def test_every_message_has_its_korean() -> None:
    missing = {
        message: place
        for message, place in _messages().items()
        if not _HANGUL.search(_translated(*message)) and not _SAME.fullmatch(message[1])
    }
    assert not missing, "give each its Korean in locale/ko/LC_MESSAGES/gieok.po, then `make docs`"


def test_no_message_outlives_its_text() -> None:
    in_source = "\n".join(
        file.read_text(encoding="utf-8") for file in sorted(_TEMPLATES.glob("*.html"))
    )
    literals = set(_literals())
    known = literals | set(OTHERS) | Walk().run().keys()
    gone = [
        text
        for text in list_translations("ko")
        if text not in known and text.replace('"', '\\"') not in in_source
    ]
    assert gone == []


def _literals() -> Iterator[str]:
    for module in read_modules():
        for node in module.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
                yield node.value.replace("_", " ")


def test_a_translation_names_only_the_values_of_its_message() -> None:
    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    wrong = []
    for english, said in list_translations("ko").items():
        if re.search(r"\{[a-z_]\w*[}!:](?! )", english):
            values = names(english) | _passed(english)
            wrong += [(english, said)] * (not names(said) <= values)
    assert wrong == []


@cache
def _values_by_message() -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for module in read_modules():
        for node in module.nodes:
            if isinstance(node, ast.Call) and node.args:
                keywords = {keyword.arg or "" for keyword in node.keywords}
                plural = [_literal(k.value) for k in node.keywords if k.arg == "plural"]
                for text in filter(None, (_literal(node.args[0]), *plural)):
                    values.setdefault(text, set()).update(keywords)
    return values


def _passed(english: str) -> set[str]:
    # `What happened in {month}` is chosen from two by a condition.
    return _values_by_message().get(english, {"month", "year", "number"})


def test_the_user_interface_holds_no_korean_in_its_code() -> None:
    domain = ("surfaces/http/routes", "surfaces/http/shapes.py", "surfaces/layout.py")
    examples = re.compile(r"gieok \w|^write |점검|정산|미나|예|네|[초분시간일주동안간]{1,3}")
    found = []
    for module in read_modules():
        path = module.name
        if not path.startswith(("commands/", "surfaces/", "home/")) or path.startswith(domain):
            continue
        for node in module.nodes:
            text = _literal(node) if isinstance(node, ast.Constant) else ""
            is_docstring = "\n" in text and text.strip()[:1].isupper()
            if _HANGUL.search(text) and not examples.search(text) and not is_docstring:
                found.append((path, text))
    assert [row for row in found if not row[0].startswith("commands/home/doctor")] == [
        # names of people's own folders
        *(("commands/setup/machine.py", name) for name in ("노트", "메모", "문서")),
        ("home/embedders.py", "기억"),
        # what a person types without a command: `gieok 도움말`, a question
        ("surfaces/arguments.py", "도움말"),
        ("surfaces/bare_question.py", "[가-힣ㄱ-ㅎㅏ-ㅣ]"),
    ]


def test_values_are_put_in_with_their_particle() -> None:
    assert translate("the daemon watches {root}", "ko", {"root": "shop"}).startswith("데몬이 shop")
    counted = Words.of("{count} record", plural="{count} records", count=2)
    assert (counted.en, counted.say("ko")) == ("2 records", "기억 2개")
    assert Words.of("{count} record", plural="{count} records", count=1).en == "1 record"


def test_a_message_may_be_put_into_another() -> None:
    files = Words.of("{count} memory file", plural="{count} memory files", count=3)
    both = Words.of("{files} and settings", files=files)
    assert (both.en, both.say("ko")) == ("3 memory files and settings", "기억 파일 3개, 설정")
    row = WordList((files, Words("settings")))
    assert Words.of("{row}", row=row).say("ko") == "기억 파일 3개, 설정"


@pytest.mark.parametrize("lang", ["en", "de", ""])
def test_a_language_without_a_catalogue_is_english(lang: str) -> None:
    assert Words("settings").say(lang) == "settings"


def test_each_message_is_found_where_it_stands_in_the_file() -> None:
    whole = gettext.translation(DOMAIN, LOCALES, ["ko"])
    rows: dict[str, str] = getattr(whole, "_catalog", {})
    catalogue = load_catalogue("ko")
    for key, said in rows.items():
        use, mark, text = key.rpartition("\x04")
        assert catalogue.find_translation(text, use if mark else "") == said
    for unknown in ("a message that nobody shows", "\x00", "\U0010ffff", "힣", "\udcff"):
        assert catalogue.find_translation(unknown) == unknown
    assert catalogue.find_translation("settings", "a use that nobody names") == "settings"


def test_a_third_language_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    german = Catalog(locale="de")
    german.add("{count} records", "{count} Aufzeichnungen")
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "gieok.mo").open("wb") as file:
        write_mo(file, german)
    monkeypatch.setattr("gieok.text.catalogues.LOCALES", tmp_path)
    load_catalogue.cache_clear()
    _find_catalogues.cache_clear()
    try:
        counted = Words.of("{count} record", plural="{count} records", count=2)
        assert counted.say("de") == "2 Aufzeichnungen"
        assert list_languages() == ["en", "de"]
    finally:
        load_catalogue.cache_clear()
        _find_catalogues.cache_clear()


def test_what_was_said_in_english_is_translated_when_it_is_shown() -> None:
    said = Words.said("run `gieok doctor`")
    assert said.en == "run `gieok doctor`"
    assert said.say("ko") != said.en


def test_an_error_is_the_same_after_a_way_as_json() -> None:
    files = Words.of("{count} memory file", plural="{count} memory files", count=3)
    inner = NotFound("no user {user!r}", user="{user} 100%")
    error = BadRequest("{error}; {files}: {count:,}", error=inner, files=files, count=1204)
    row = json.loads(json.dumps(encode_phrase(str(error))))
    assert row == {
        "template": "{error}; {files}: {count:,}",
        "values": {
            "error": {"template": "no user {user!r}", "values": {"user": "{user} 100%"}},
            "files": {"template": "{count} memory files", "values": {"count": 3}},
            "count": 1204,
        },
    }
    told = decode_phrase(row)
    assert told == "no user '{user} 100%'; 3 memory files: 1,204"
    assert in_language(told, "ko") == in_language(str(error), "ko")
    assert "기억 파일 3개" in in_language(told, "ko")


def test_a_text_without_a_template_is_its_own() -> None:
    assert encode_phrase("a {b}") == {"template": "a {b}", "values": {}}
    assert decode_phrase({"template": "a {b}", "values": {}}) == "a {b}"


def test_a_value_of_another_type_is_sent_as_it_reads() -> None:
    from datetime import date

    from numpy import int64

    sent = encode_phrase(Phrase("{day}, {size:,}", day=date(2026, 11, 20), size=int64(1204)))
    assert sent["values"] == {"day": "2026-11-20", "size": 1204}
    assert decode_phrase(sent) == "2026-11-20, 1,204"

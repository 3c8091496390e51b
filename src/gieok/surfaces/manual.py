"""`gieok help --man`: every command as a manual page, in roff."""

import dataclasses
from collections.abc import Iterator
from dataclasses import Field
from typing import Any

from gieok import __version__
from gieok.ops import NAMES, operation
from gieok.ops.operation import Surface, Words
from gieok.ops.request import default_of, name_of, shown_name
from gieok.surfaces.commands import ABOUT, GLOBAL, SERVERS, parts

_STATUSES = (
    ("0", Words("done", "끝남")),
    (
        "1",
        Words(
            "nothing was found, or `doctor` found something broken",
            "찾은 것이 없음, 또는 `doctor`가 고장을 찾음",
        ),
    ),
    (
        "2",
        Words(
            "an error, which says what, where, and the next step",
            "오류: 무엇이, 어디서, 다음에 무엇을",
        ),
    ),
    ("130", Words("interrupted", "중단됨")),
)
_HEADS = {
    "name": Words("NAME", "이름"),
    "synopsis": Words("SYNOPSIS", "사용법"),
    "options": Words("OPTIONS OF EVERY COMMAND", "모든 명령의 옵션"),
    "status": Words("EXIT STATUS", "종료 상태"),
    "files": Words("FILES", "파일"),
}


def page(lang: str) -> str:
    """Return the page."""
    lines = [f'.TH GIEOK 1 "" "Gieok {__version__}"', *_head("name", lang)]
    lines += [_safe(f"gieok - {ABOUT.say(lang)}"), *_head("synopsis", lang)]
    lines += [".B gieok", r"\fICOMMAND\fR [\fIARGUMENTS\fR] [\fIOPTIONS\fR]"]
    for title, words in parts():
        lines.append(f".SH {_safe(title.say(lang).upper())}")
        for word in words:
            lines += [line for name in _named(word) for line in _command(name, lang)]
    lines += [
        *_head("options", lang),
        *_term("--json", Words("print JSON", "JSON으로 출력").say(lang)),
    ]
    for flag, _, value, doc in GLOBAL:
        lines += _term(f"{flag} {value}", doc.say(lang))
    lines += _head("status", lang)
    lines += [line for status, doc in _STATUSES for line in _term(status, doc.say(lang))]
    lines += _head("files", lang)
    lines += _term(
        "~/.gieok", Words("the home folder (GIEOK_HOME)", "홈 폴더 (GIEOK_HOME)").say(lang)
    )
    lines += _term(
        "~/.gieok/config.yaml", Words("settings (gieok config)", "설정 (gieok config)").say(lang)
    )
    return "\n".join(lines) + "\n"


def _named(word: str) -> list[str]:
    return [name for name in (*NAMES, *SERVERS) if name.partition(" ")[0] == word]


def _head(key: str, lang: str) -> list[str]:
    return [f".SH {_safe(_HEADS[key].say(lang))}"]


def _command(name: str, lang: str) -> Iterator[str]:
    if name in SERVERS:
        server = SERVERS[name]
        yield from _title(
            name, [server.word[0].upper()] if server.word[0] else [], server.doc.say(lang)
        )
        for flag, _, doc in server.flags:
            yield from _term(f"{flag} {flag[2:].upper()}", doc.say(lang))
        return
    found = operation(name)
    if Surface.CLI not in found.surfaces:
        return
    fields = dataclasses.fields(found.request)
    yield from _title(
        name,
        [_word(field) for field in fields if field.metadata["positional"]],
        found.doc.say(lang),
    )
    for field in fields:
        yield from _term(_shown(field), field.metadata["doc"].say(lang))
    for example in found.examples:
        yield from (".RS", ".EX", _safe(example), ".EE", ".RE")


def _title(name: str, words: list[str], doc: str) -> Iterator[str]:
    yield f".SS {_safe(' '.join(['gieok', name, *words]))}"
    yield _safe(f"{doc}.")


def _word(field: "Field[Any]") -> str:
    word = field.name.upper() + ("..." if isinstance(default_of(field), list) else "")
    return word if field.metadata["needed"] else f"[{word}]"


def _shown(field: "Field[Any]") -> str:
    default = default_of(field)
    if field.metadata["positional"]:
        return field.name.upper()
    flag = shown_name(field, Surface.CLI)
    return (
        flag
        if isinstance(default, bool)
        else f"{flag} {'|'.join(field.metadata['choices']) or name_of(field).upper()}"
    )


def _term(term: str, doc: str) -> Iterator[str]:
    yield from (".TP", rf"\fB{_safe(term)}\fR", _safe(doc))


def _safe(text: str) -> str:
    """Return text as roff shows it in any encoding: no escape, no request at the beginning of a
    line.
    """
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    shown = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in shown)
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown

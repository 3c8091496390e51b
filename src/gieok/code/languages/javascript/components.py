"""Single-file components of Vue: the scripts of a file are read, its template and styles are not.

All that is no script is blanked, so that lines are those of the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gieok.code.languages.tree import TreeLanguage
from gieok.code.model.facts import Facts

if TYPE_CHECKING:
    from gieok.machine.parsers.treesitter import TreeSitterParser

#: A tag that begins a script, with its attributes; tags are bounded, for files may be hostile.
_BEGIN = re.compile(
    rb"""<script\b((?:[^<>"']++|"[^"]{0,300}"|'[^']{0,300}'){0,60}+)>""", re.IGNORECASE
)
_END = re.compile(rb"</script\s*>", re.IGNORECASE)
_LANG = re.compile(rb"""\blang\s*=\s*["']?(\w+)""")
#: A script of data, as `application/json`, is no code.
_DATA = re.compile(rb"""\btype\s*=\s*["']?(?!module|text/(?:java|type)script)""")
_TEMPLATE = re.compile(rb"<template\b", re.IGNORECASE)
_NOT_NEWLINE = re.compile(rb"[^\n]")
#: Languages of scripts that may hold elements of JSX.
_WITH_ELEMENTS = (b"tsx", b"jsx")


@dataclass(frozen=True, kw_only=True)
class ComponentLanguage(TreeLanguage):
    """Language whose files hold scripts between tags.

    `grammar` reads the scripts, `element_grammar` those that may hold elements of JSX.
    """

    element_grammar: str
    #: What a template uses has no edge.
    beside_code: str = "the template is not followed"

    def read(self, text: str, parser: "TreeSitterParser") -> Facts:
        """Return the facts of the scripts of a file."""
        source = text.encode("utf-8", "surrogatepass")
        scripts = [script for script in _iter_scripts(source) if not _DATA.search(script[0])]
        langs = {found[1] for attributes, _, _ in scripts if (found := _LANG.search(attributes))}
        grammar = self.element_grammar if langs & {*_WITH_ELEMENTS} else self.grammar
        code = bytearray(_NOT_NEWLINE.sub(b" ", source))
        for _, first, end in scripts:
            code[first:end] = source[first:end]
        parse = partial(parser.parse, grammar)
        facts = self.reader(self.name, bytes(code), [parse(bytes(code))], parse).read()
        is_shown = _TEMPLATE.search(source) is not None and not facts.error
        return facts._replace(error=self.beside_code) if is_shown else facts


def _iter_scripts(source: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the attributes of each script, and where its text begins and ends."""
    position = 0
    while (begin := _BEGIN.search(source, position)) is not None:
        end = _END.search(source, begin.end())
        if end is None:
            return
        yield begin[1], begin.end(), end.start()
        position = end.end()

"""The head of a note: its metadata, and where the text begins.

The formats are YAML front matter (Obsidian, Jekyll, Dendron, Joplin's export), TOML (Hugo), `key::
value` (Logseq, Dataview), `#+TITLE:` and drawers (Org), the lines below the title of Notion's
exports, and the lines that Joplin puts behind its raw notes. Field names are the usual ones in
English and Korean; other fields are kept as metadata without a meaning.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import unquote

from gieok.text.late_pattern import defer_pattern
from gieok.text.markdown import FrontMatter, find_markdown_title, front_matter
from gieok.text.written_days import parse_head_moment

_TITLES = ("title", "제목")
_ALIASES = ("aliases", "alias", "roamaliases", "alsoknownas", "다른이름", "별칭", "별명")
_SUMMARIES = (
    "summary",
    "description",
    "desc",
    "abstract",
    "excerpt",
    "subtitle",
    "tldr",
    "요약",
    "설명",
    "소개",
    "개요",
)
_TAGS = (
    "tags",
    "tag",
    "filetags",
    "keywords",
    "categories",
    "topics",
    "labels",
    "taxonomies.tags",
    "태그",
    "분류",
    "키워드",
)
#: Fields for the day of a note, and fields for the time at which its program created it: the day in
#: a file's name takes precedence over the latter.
_DAYS = (
    "date",
    "day",
    "journalday",
    "journaldate",
    "publishdate",
    "pubdate",
    "날짜",
    "일자",
    "작성일",
    "작성일시",
)
_CREATED = (
    "usercreatedtime", "created", "createdat", "createdtime", "datecreated", "creationdate",
    "createdon", "ctime", "생성일", "생성일시", "만든날짜", "만든날",
)  # fmt: skip
_KNOWN = frozenset((*_TITLES, *_ALIASES, *_SUMMARIES, *_TAGS, *_DAYS, *_CREATED))

_TOML = defer_pattern(r"\+\+\+[ \t]*\n(.*?\n)\+\+\+[ \t]*(?:\n|$)", re.DOTALL)
_TOML_KEY = defer_pattern(r"\s*([\w-]+)\s*=")
_ORG = defer_pattern(r"#\+([A-Za-z_]+):[ \t]*(.*)|:([A-Z][A-Z0-9_-]*):[ \t]*(.*)")
_LOGSEQ = defer_pattern(r"(?:- )?([^\s:`\[\](){}][^:`\[\](){}\n]{0,60}?)::(?:[ \t]+(.*))?$")
_NOTION = defer_pattern(r"([^\W\d_][\w &/()'.-]{0,40}): (\S.*)")
_JOPLIN = defer_pattern(r"\n\nid: [0-9a-f]{32}\n(?:[a-z_]+:.*\n)*?type_: \d+\s*$")
_ESCAPED = defer_pattern(r"%(?:2F|3A|3F|20|23)", re.IGNORECASE)
_HASH = defer_pattern(r"[ _-]?(?<![0-9a-f])[0-9a-f]{32}$")
_LINK = defer_pattern(r"\[\[(?:[^\]|\[]{0,200}\|)?([^\]\[]{1,200})\]\]")
_WORDS = defer_pattern(r"""\s*("[^"]*"|\[\[[^\]]*\]\]|#?[^,;]+)\s*(?:[,;]|$)""")
_HASHES = defer_pattern(r"(?<!\S)#\[\[([^\]]+)\]\]|(?<!\S)#([^\s#,]+)#?")
#: A tag in the text: `#work/offers`, `#회의`, Bear's `#two words#`; a number, a colour, an anchor or
#: a heading is none.
_INLINE = defer_pattern(
    r"#(?<!\S#)(?:([^\W\d_](?:[\w/ -]{0,60}?\w)?)#(?!\w)|(?!\d+\b)([\w/-]*[^\W\d_][\w/-]*))"
)
_COLOUR = defer_pattern(r"[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8}")
_CODE = defer_pattern(r"`[^`\n]*`")
_FENCE = defer_pattern(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
#: Heads in the cache: a note's head is read for its document, and again for its passages.
_KEPT_HEADS = 2
#: Characters of a field that are searched for names and tags.
_VALUE_CHARS = 2_000
_BELOW_CHARS, _TAIL_CHARS = 4_000, 4_000
_MOST_TAGS, _MOST_ALIASES = 24, 12


class HeadLines(NamedTuple):
    """A piece of a note: `text[start:end]`, with the numbers of its first and last line."""

    start: int
    end: int
    start_line: int
    end_line: int


class NoteHead(NamedTuple):
    """Metadata of a note.

    `text[begin:end]` is the note's prose, whose first line is `begin_line`.
    """

    fields: Mapping[str, str]
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    #: The lines of the head that summarise the note.
    summaries: tuple[HeadLines, ...]
    #: The day that the note names as its own, and the day on which its program created it.
    day: datetime | None
    created: datetime | None
    begin: int
    begin_line: int
    end: int


@lru_cache(_KEPT_HEADS)
def read_head(text: str) -> NoteHead:
    """Read the head of a note in any of the formats, and the tags in its text."""
    head = _parse_head_fields(text)
    tail = _JOPLIN.search(text, max(len(text) - _TAIL_CHARS, 0))
    end = tail.start() if tail else len(text)
    fields = dict(head.fields)
    for name, value in (
        *_find_pairs_below_title(text, head.end),
        *(_iter_notion_pairs(text[tail.start() :]) if tail else ()),
    ):
        fields.setdefault(name, value)
    plain = {_plain_name(name): value[:_VALUE_CHARS] for name, value in reversed(fields.items())}
    tags = [tag for name in _TAGS if plain.get(name) for tag in _iter_head_tags(plain[name])]
    tags += _inline_tags(text[head.end : end])
    heading = find_markdown_title(text, head.end) or (_find_first_head_line(text) if tail else "")
    return NoteHead(
        fields=fields,
        title=next((_strip_note_links(plain[name]) for name in _TITLES if plain.get(name)), "")
        or heading,
        aliases=tuple(
            dict.fromkeys(
                alias for name in _ALIASES for alias in _iter_head_items(plain.get(name, ""))
            )
        )[:_MOST_ALIASES],
        tags=tuple(dict.fromkeys(tags))[:_MOST_TAGS],
        summaries=tuple(_iter_summary_lines(text, head)),
        day=_find_head_moment(plain, _DAYS),
        created=_find_head_moment(plain, _CREATED),
        begin=head.end,
        begin_line=head.end_line + 1,
        end=end,
    )


def stem_without_identity(stem: str) -> str:
    """Return a file's stem without the number that Notion appends to it.

    Logseq's `%2F` is turned into words.
    """
    plain = _HASH.sub("", stem) or stem
    return unquote(plain).replace("/", " ") if _ESCAPED.search(plain) else plain


def _parse_head_fields(text: str) -> FrontMatter:
    if text.startswith("---"):
        return front_matter(text)
    if text.startswith("+++"):
        return _parse_toml_head(text)
    if text.startswith(("#+", ":PROPERTIES:")):
        return _by_line(text, _org_pair)
    return _by_line(text, _logseq_pair)


def _parse_toml_head(text: str) -> FrontMatter:
    block = _TOML.match(text)
    if not block:
        return FrontMatter({})
    import tomllib  # of notes of one program alone

    try:
        read = tomllib.loads(block[1])
    except tomllib.TOMLDecodeError:
        return FrontMatter({})
    fields = dict(_flatten_toml_table(read, ""))
    lines: dict[str, tuple[int, int]] = {}
    name = ""
    for number, line in enumerate(block[1].splitlines(), start=2):
        if key := _TOML_KEY.match(line):
            name = key[1]
            lines.setdefault(name, (number, number))
        elif name and line.strip() and not line.startswith("["):
            lines[name] = (lines[name][0], number)
    known = {name: at for name, at in lines.items() if name in fields}
    return FrontMatter(fields, block.end(), text.count("\n", 0, block.end()), known)


def _flatten_toml_table(table: Mapping[str, object], above: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten_toml_table(value, f"{above}{name}.")
        elif isinstance(value, list):
            yield f"{above}{name}", ", ".join(map(str, value))
        else:
            yield f"{above}{name}", str(value)


def _org_pair(line: str) -> tuple[str, str] | None:
    match = _ORG.fullmatch(line)
    if not match:
        return None
    name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
    return (name, "") if name in ("PROPERTIES", "END") else (name.lower(), value.strip())


def _logseq_pair(line: str) -> tuple[str, str] | None:
    match = _LOGSEQ.fullmatch(line.strip())
    return (match[1].strip(), (match[2] or "").strip()) if match else None


def _by_line(text: str, pair: Callable[[str], tuple[str, str] | None]) -> FrontMatter:
    """Read the pairs at the beginning of a text, up to the first line that is no pair.

    Where no name of a field is known, the pairs are no head: a glossary looks the same, and stays
    text.
    """
    fields: dict[str, str] = {}
    lines: dict[str, tuple[int, int]] = {}
    end, count = 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        field = pair(line)
        if field is None:
            break
        if field[1]:
            fields.setdefault(*field)
            lines.setdefault(field[0], (number, number))
        end, count = min(end + len(line) + 1, len(text)), number
    return FrontMatter(fields, end, count, lines) if _has_known(fields) else FrontMatter({})


def _has_known(names: Iterable[str]) -> bool:
    return any(_plain_name(name) in _KNOWN for name in names)


def _find_pairs_below_title(text: str, start: int) -> list[tuple[str, str]]:
    """Return the pairs right below the title of a note.

    They stay in the text too, because only a convention makes them a head.
    """
    lines = text[start : start + _BELOW_CHARS].split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith("# ")):
        lines.pop(0)
    pairs: list[tuple[str, str]] = []
    for line in takewhile(str.strip, lines):
        pair = _logseq_pair(line) or _notion_pair(line)
        if pair is None:
            return []
        pairs.append(pair)
    return pairs if _has_known(name for name, _ in pairs) else []


def _notion_pair(line: str) -> tuple[str, str] | None:
    match = _NOTION.fullmatch(line.strip())
    return (match[1], match[2]) if match else None


def _iter_notion_pairs(block: str) -> Iterator[tuple[str, str]]:
    for line in block.split("\n"):
        name, colon, value = line.partition(": ")
        if colon and value:
            yield name, value.strip()


def _find_first_head_line(text: str) -> str:
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def _plain_name(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _find_head_moment(plain: Mapping[str, str], names: tuple[str, ...]) -> datetime | None:
    return next(
        (at for name in names if (value := plain.get(name)) and (at := parse_head_moment(value))),
        None,
    )


def _strip_note_links(value: str) -> str:
    return _LINK.sub(r"\1", value).strip()


def _iter_head_items(value: str) -> Iterator[str]:
    """Yield the items of a comma-separated list in one line; Org quotes each item."""
    if re.fullmatch(r'\s*"[^"]*"(?:\s+(?:"[^"]*"|\S+))*\s*', value):
        value = re.sub(r'"\s+(?=\S)', '", ', value)
    for match in _WORDS.finditer(value):
        if word := _strip_note_links(match[1].strip().strip("\"'")):
            yield word


def _iter_head_tags(value: str) -> Iterator[str]:
    """Yield the tags of a field: separated by commas, `#` or colons; links to pages too."""
    if re.fullmatch(r"\s*:(?:[^\s:]+:)+\s*", value):
        value = value.strip(": ").replace(":", ", ")
    if value.lstrip().startswith("#") and "," not in value:
        for match in _HASHES.finditer(value):
            yield match[1] or match[2]
        return
    for word in _iter_head_items(value):
        yield word.removeprefix("#").strip("[]")


def _inline_tags(text: str) -> Iterator[str]:
    """Yield the tags in a text, without those in code."""
    matches = list(_INLINE.finditer(text))
    code = _spans_of_code(text) if matches else []
    for match in matches:
        tag = (match[1] or match[2]).strip("/-")
        if not _COLOUR.fullmatch(tag) and not any(
            start <= match.start() < end for start, end in code
        ):
            yield tag


def _spans_of_code(text: str) -> list[tuple[int, int]]:
    spans = [match.span() for match in _CODE.finditer(text)]
    fences = [match.start() for match in _FENCE.finditer(text)]
    return spans + list(zip(fences[::2], [*fences[1::2], len(text)], strict=False))


def _iter_summary_lines(text: str, found: FrontMatter) -> Iterator[HeadLines]:
    names = [
        name for name in found.lines if _plain_name(name) in _SUMMARIES and found.fields.get(name)
    ]
    if not names:
        return
    begins = [0]
    for line in text[: found.end].split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    for name in names:
        first, last = found.lines[name]
        yield HeadLines(begins[first - 1], min(begins[last] - 1, len(text)), first, last)

"""Rows of `training/data`, read into one form each.

A file is named `FORM_AUTHOR.jsonl`, so its stem names the hand that wrote it. README.md describes
the fields. Older files lack some of them; here every row has all, empty where nothing is known.
"""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

#: Authors whose rows give the figures and are fitted to by nothing.
KEPT_OUT = frozenset(
    {
        "judge_mx4",
        "judge_b",
        "pairs_en",
        "pairs_ko",
        "pairs_k",
        "worth_w4",
        "spans_s4",
        "spans_s8",
        "told_t4",
        "rules_k1",
        "rules_k2",
        "rules_k3",
        "uses_k1",
        "uses_k2",
        "uses_k3",
        "mends_k1",
        "mends_k2",
    }
)

KINDS = "none decision preference rule state plan identity relation event number howto".split()
ABOUT = "nobody user project other".split()
UNTIL = ("", "moment", "today", "week", "dated")
SECRETS = (
    "none password passphrase pin api_key token private_key code recovery answer link account"
    " id_number"
).split()
PREDICATES = (
    "none name nickname birthday age job workplace lives_in from major school mbti hobby likes"
    " dislikes food_like food_dislike allergy health family partner friend pet schedule"
    " anniversary exam habit sleep plan wish rule possession language religion feeling_about"
    " event other"
).split()
WHOSE = "user other character nobody".split()
MODES = "held past wished denied joke asked plan hypothetical".split()
#: What a stretch of a message says of the agent's actions: it must not do them, must ask first, must
#: work so, or may do them beside a rule.
RULE_KINDS = "never ask do allowed".split()
RELATIONS = "same replaces partial ends other talk unrelated".split()
#: Whom a remembered line is about, in the words of the worth rows.
_ABOUT_OF_MEMORIES = {"user": "user", "project": "project", "person": "other", "world": "nobody"}


class Ask(NamedTuple):
    """Prompt of a later day, for which a memory is wanted."""

    kind: str
    lang: str
    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Something a user said, with prompts that need it and lines that look like it."""

    author: str
    lang: str
    before: str
    text: str
    asks: tuple[Ask, ...]
    absent: tuple[str, ...]
    near: tuple[str, ...]
    same: str
    update: str
    how: str
    not_update: tuple[str, ...]
    chatter: tuple[str, ...]
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement, later statements by how they relate to it, and the question it answers."""

    author: str
    lang: str
    earlier: str
    #: (relation, later statement)
    later: tuple[tuple[str, str], ...]
    ask: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what it is worth; None for what the row does not say."""

    author: str
    lang: str
    before: str
    text: str
    worth: bool
    kind: str | None
    about: str | None
    needs_before: bool | None
    until: str | None


class Mark(NamedTuple):
    """Stretch of a text, [start, end), with its kind."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class SecretText:
    """A text with the secrets in it."""

    author: str
    lang: str
    form: str
    text: str
    secrets: tuple[Mark, ...]


class Tell(NamedTuple):
    """What a stretch of a chat line tells: predicate, whose it is, and in which mode."""

    start: int
    end: int
    predicate: str
    whose: str
    mode: str


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of a chat with what it tells."""

    author: str
    lang: str
    before: str
    text: str
    tells: tuple[Tell, ...]


@dataclass(frozen=True, slots=True)
class RuleText:
    """A message to an agent, with the stretches that state a standing rule or allow something."""

    author: str
    lang: str
    before: str
    text: str
    #: Each of a kind of `RULE_KINDS`.
    marks: tuple[Mark, ...]


class ToolUse(NamedTuple):
    """Use of a tool as the reader sees it, and whether it breaks a rule."""

    text: str
    breaks: bool


@dataclass(frozen=True, slots=True)
class UsedRule:
    """A message with a standing rule about actions, and uses of tools that break it or do not."""

    author: str
    lang: str
    text: str
    #: The text from where it first states the rule, or allows something, to where it last does.
    stated: str
    uses: tuple[ToolUse, ...]


@dataclass(frozen=True, slots=True)
class TalkLine:
    """A user's message in a talk, and whether it puts right what was said before it."""

    author: str
    lang: str
    #: The lines before it, oldest first: whether the user said it, and what was said.
    talk: tuple[tuple[bool, str], ...]
    text: str
    mends: bool
    #: Words of the talk that it puts right, and its own in their place; empty where there are none.
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a folder."""

    memories: tuple[Memory, ...]
    pairs: tuple[Pair, ...]
    sentences: tuple[Sentence, ...]
    secrets: tuple[SecretText, ...]
    chats: tuple[ChatLine, ...]
    rules: tuple[RuleText, ...]
    uses: tuple[UsedRule, ...]
    talks: tuple[TalkLine, ...]


def read_rows(folder: Path) -> Rows:
    """Return the rows of every file in `folder`, in the order of the files' names."""
    return Rows(
        memories=tuple(_read_memory(author, row) for author, row in _read(folder, "judge_")),
        pairs=tuple(_read_pair(author, row) for author, row in _read(folder, "pairs_")),
        sentences=(
            *(_read_sentence(author, row) for author, row in _read(folder, "worth_")),
            *_read_turns(folder / "turns.tsv"),
        ),
        secrets=tuple(_read_secrets(author, row) for author, row in _read(folder, "spans_")),
        chats=tuple(_read_chat(author, row) for author, row in _read(folder, "told_")),
        rules=tuple(_read_rules(author, row) for author, row in _read(folder, "rules_")),
        uses=tuple(
            _read_uses(author, row) for author, row in _read(folder, "uses_") if row["rules"]
        ),
        talks=tuple(_read_talk(author, row) for author, row in _read(folder, "mends_")),
    )


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, Korean composed (NFC)."""
    for line in unicodedata.normalize("NFC", file.read_text("utf-8")).split("\n"):
        if line.strip():
            yield json.loads(line)


def find_stretch(text: str, part: str, taken: list[tuple[int, int]]) -> tuple[int, int]:
    """Return where `part` first stands in `text` outside of `taken`; where it stands at all if
    nowhere else. Raises ValueError if `text` does not hold it.
    """
    first = start = text.index(part)
    while start >= 0:
        if all(start + len(part) <= a or start >= b for a, b in taken):
            return start, start + len(part)
        start = text.find(part, start + 1)
    return first, first + len(part)


def sentences_of_memories(memories: tuple[Memory, ...]) -> tuple[Sentence, ...]:
    """Return remembered lines as sentences worth keeping, and their chatter as worth nothing."""
    kept = [
        Sentence(
            author=row.author,
            lang=row.lang,
            before=row.before,
            text=row.text,
            worth=True,
            kind=row.kind or None,
            about=_ABOUT_OF_MEMORIES.get(row.about),
            needs_before=bool(row.before) if row.kind else None,
            until=None,
        )
        for row in memories
    ]
    dropped = [
        Sentence(row.author, row.lang, "", text, False, "none", None, None, None)
        for row in memories
        for text in row.chatter
    ]
    return (*kept, *dropped)


def _read(folder: Path, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob(f"{prefix}*.jsonl")):
        for row in read_lines(file):
            yield file.stem, row


def _read_turns(file: Path) -> Iterator[Sentence]:
    """Yield the turns of an older file: what each states (user, project or none), and its text."""
    for line in unicodedata.normalize("NFC", file.read_text("utf-8")).splitlines():
        kind, text = line.split("\t", 1)
        yield Sentence(
            author="turns",
            lang="ko" if any("가" <= letter <= "힣" for letter in text) else "en",
            before="",
            text=text,
            worth=kind != "none",
            kind="none" if kind == "none" else None,
            about=None if kind == "none" else kind,
            needs_before=None,
            until=None,
        )


def _read_memory(author: str, row: dict[str, Any]) -> Memory:
    absent = [item["text"] for item in row.get("absent", ())]
    if "unrelated_prompt" in row:
        absent.append(row["unrelated_prompt"])
    denied = row.get("not_update", ())
    update = row.get("update") or {}
    return Memory(
        author=author,
        lang=row["lang"],
        before=row.get("before", ""),
        text=row["memory"],
        asks=tuple(Ask(ask["kind"], ask["lang"], ask["text"]) for ask in row["asks"]),
        absent=tuple(absent),
        near=tuple(row["near"]),
        same=row.get("same", ""),
        update=update.get("text", ""),
        how=update.get("how", ""),
        not_update=(denied,) if isinstance(denied, str) else tuple(denied),
        chatter=tuple(row.get("chatter", ())),
        kind=row.get("kind", ""),
        about=row.get("about", ""),
    )


def _read_pair(author: str, row: dict[str, Any]) -> Pair:
    later = [("other", text) for text in row["parallel"]]
    later += [("replaces", text) for text in row["change"]]
    single = {"partial": "partial", "same": "same", "talk": "talk", "end": "ends"}
    single["unrelated"] = "unrelated"
    later += [(relation, row[field]) for field, relation in single.items() if row.get(field)]
    return Pair(author, row["lang"], row["earlier"], tuple(later), row["ask"])


def _read_sentence(author: str, row: dict[str, Any]) -> Sentence:
    return Sentence(
        author=author,
        lang=row["lang"],
        before=row["before"],
        text=row["text"],
        worth=row["worth"],
        kind=row["kind"],
        about=row["about"],
        needs_before=row["needs_before"],
        until=row["until"],
    )


def _read_secrets(author: str, row: dict[str, Any]) -> SecretText:
    taken: list[tuple[int, int]] = []
    marks = []
    for secret in row["secrets"]:
        taken.append(find_stretch(row["text"], secret["text"], taken))
        marks.append(Mark(*taken[-1], secret["kind"]))
    return SecretText(author, row["lang"], row["form"], row["text"], tuple(marks))


def _read_chat(author: str, row: dict[str, Any]) -> ChatLine:
    taken: list[tuple[int, int]] = []
    tells = []
    for tell in row["tells"]:
        taken.append(find_stretch(row["text"], tell["value"], taken))
        tells.append(Tell(*taken[-1], tell["predicate"], tell["whose"], tell["mode"]))
    return ChatLine(author, row["lang"], row["before"], row["text"], tuple(tells))


def _read_rules(author: str, row: dict[str, Any]) -> RuleText:
    stretches = [(rule["words"], rule["mode"]) for rule in row["rules"]]
    stretches += [(words, "allowed") for words in row["allowed"]]
    taken: list[tuple[int, int]] = []
    marks = []
    for words, kind in stretches:
        taken.append(find_stretch(row["text"], words, taken))
        marks.append(Mark(*taken[-1], kind))
    return RuleText(author, row["lang"], row["before"], row["text"], tuple(marks))


def describe_use(tool: str, given: str) -> str:
    """Return a use of a tool as the reader sees it: a command alone, else the tool's name first."""
    return given if tool == "Bash" else f"{tool}: {given}"


def _read_uses(author: str, row: dict[str, Any]) -> UsedRule:
    text = row["text"]
    places = [(text.index(part), len(part)) for part in (*row["rules"], *row["allowed"])]
    stated = text[min(at for at, _ in places) : max(at + size for at, size in places)]
    uses = tuple(ToolUse(describe_use(u["tool"], u["input"]), u["breaks"]) for u in row["uses"])
    return UsedRule(author, row["lang"], text, stated, uses)


def _read_talk(author: str, row: dict[str, Any]) -> TalkLine:
    talk = tuple((line["who"] == "user", line["text"]) for line in row["talk"])
    first = next(iter(row["mends"]), {"wrong": "", "right": ""})
    return TalkLine(
        author=author,
        lang=row["lang"],
        talk=talk,
        text=row["text"],
        mends=bool(row["mends"]),
        wrong=first["wrong"],
        right=first["right"],
    )

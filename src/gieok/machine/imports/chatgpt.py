"""ChatGPT's data export, plain or zipped.

Its files are `conversations.json` or `conversations-000.json` …. A conversation is a tree of
messages; `current_node` is the end of the branch that was shown last. Custom instructions and
ChatGPT's notes about the user are stored as messages; both become facts.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from gieok.machine.imports.fields import (
    listing,
    parse_field_time,
    read_mapping,
    read_one_line,
    split_prose_statements,
    text,
)
from gieok.machine.imports.json_items import JsonItem, items
from gieok.model.conversation import Message, Reject, Role
from gieok.ports.imports import ImportedFact, ImportedTalk, ImportFiles, ImportPiece

AGENT = "chatgpt"
_NAME = re.compile(r"conversations(?:-\d+)?\.json")
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
#: `1. [2024-05-01]. User likes tea.`
_NOTED = re.compile(r"^\s*\d+\.\s*\[(\d{4}-\d\d-\d\d)\]\.?\s*(.+)$")
_NOTE_TO = "bio"
#: Limit of depth, deeper than any conversation: a damaged tree may be a ring.
_MOST_NODES = 100_000


class ChatGptReader:
    """`ImportReader` of ChatGPT's export."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether the first conversation has a tree of messages."""
        return any("mapping" in first_item(files, name) for name in conversation_files(files))

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield each conversation, and the facts about the user in it."""
        for name in conversation_files(files):
            place = files.place(name)
            for item in items(files, name):
                if isinstance(item, Reject):
                    yield item
                elif not read_mapping(read_mapping(item.value).get("mapping")):
                    yield Reject(
                        path=place,
                        line=item.number,
                        offset=item.offset,
                        length=0,
                        reason="no conversation of ChatGPT",
                    )
                else:
                    yield from _parse_chatgpt_conversation(item, place, files.modified(name))


def conversation_files(files: ImportFiles) -> list[str]:
    """Return the names of the conversation files."""
    return [name for name in files.names() if _NAME.fullmatch(PurePosixPath(name).name)] or [
        name
        for name in files.names()
        if len(files.names()) == 1 and name.endswith((".json", ".jsonl"))
    ]


def first_item(files: ImportFiles, name: str) -> Mapping[str, object]:
    """Return the first object of a file; an empty object if there is none."""
    first = next((item for item in items(files, name) if isinstance(item, JsonItem)), None)
    return read_mapping(first.value) if first else {}


def _parse_chatgpt_conversation(
    item: JsonItem, place: str, modified: datetime
) -> Iterator[ImportPiece]:
    conversation = read_mapping(item.value)
    identity = (
        text(conversation.get("conversation_id"))
        or text(conversation.get("id"))
        or f"{item.number}"
    )
    at = (
        parse_field_time(conversation.get("create_time"))
        or parse_field_time(conversation.get("update_time"))
        or modified
    )
    messages: list[Message] = []
    for node, message in _list_chatgpt_branch(conversation):
        at = max(at, parse_field_time(message.get("create_time")) or at)
        yield from _parse_chatgpt_facts(message, at, place, item.number)
        role = _ROLES.get(text(read_mapping(message.get("author")).get("role")))
        words = _read_chatgpt_words(message)
        if role is None or not words or _is_hidden(message):
            continue
        messages.append(
            Message(
                id=f"{AGENT}:{identity}/{node}",
                role=role,
                text=words,
                at=at,
                session=f"{AGENT}-{identity}",
                agent=AGENT,
                tokens=0,
                source=place,
                line=item.number,
            )
        )
    if messages:
        yield ImportedTalk(tuple(messages))


def _list_chatgpt_branch(told: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    """Return the messages of the branch that was shown last, oldest first."""
    nodes = read_mapping(told.get("mapping"))
    at = text(told.get("current_node"))
    if at not in nodes:
        leaves = [
            name for name, node in nodes.items() if not listing(read_mapping(node).get("children"))
        ]
        at = max(leaves or nodes, key=lambda name: _time_of(nodes[name]))
    messages: list[tuple[str, Mapping[str, object]]] = []
    visited: set[str] = set()
    while at in nodes and at not in visited and len(messages) < _MOST_NODES:
        visited.add(at)
        node = read_mapping(nodes[at])
        if message := read_mapping(node.get("message")):
            messages.append((text(message.get("id")) or at, message))
        at = text(node.get("parent"))
    return messages[::-1]


def _time_of(node: object) -> float:
    at = parse_field_time(read_mapping(read_mapping(node).get("message")).get("create_time"))
    return at.timestamp() if at else 0.0


def _read_chatgpt_words(message: Mapping[str, object]) -> str:
    """Return the words of a message, spoken ones too; '' for a message to a tool."""
    content = read_mapping(message.get("content"))
    kind = text(content.get("content_type"))
    if kind not in ("text", "multimodal_text") or text(message.get("recipient")) not in ("", "all"):
        return ""
    parts = listing(content.get("parts"))
    texts = [text(part) or text(read_mapping(part).get("text")) for part in parts]
    return "\n".join(part for part in texts if part.strip())


def _is_hidden(message: Mapping[str, object]) -> bool:
    return read_mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True


def _parse_chatgpt_facts(
    message: Mapping[str, object], at: datetime, place: str, number: int
) -> Iterator[ImportedFact]:
    """Yield custom instructions, and ChatGPT's notes about the user."""
    content = read_mapping(message.get("content"))
    kind = text(content.get("content_type"))
    if kind == "user_editable_context":
        for field, category in (("user_profile", ""), ("user_instructions", "preference")):
            for _, statement in split_prose_statements(
                _unfence_instructions(text(content.get(field)))
            ):
                yield _build_chatgpt_fact(statement, at, place, number, category)
    elif kind == "model_editable_context":
        for row in text(content.get("model_set_context")).split("\n"):
            if noted := _NOTED.match(row):
                yield _build_chatgpt_fact(
                    read_one_line(noted[2]), parse_field_time(noted[1]) or at, place, number
                )
    elif text(message.get("recipient")) == _NOTE_TO:
        for part in listing(content.get("parts")):
            for _, statement in split_prose_statements(text(part)):
                yield _build_chatgpt_fact(statement, at, place, number)


def _unfence_instructions(said: str) -> str:
    """Return custom instructions without the words that ChatGPT puts around them."""
    return said.partition("```")[2].rpartition("```")[0] or said


def _build_chatgpt_fact(
    said: str, at: datetime, place: str, number: int, category: str = ""
) -> ImportedFact:
    identity = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:24]
    return ImportedFact(f"{AGENT}:{identity}", said, at, category, place=place, line=number)

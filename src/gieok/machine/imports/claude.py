"""Claude's data export, plain or zipped.

Its files are `conversations.json`, `memories.json` and `projects.json`.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from gieok.machine.imports.chatgpt import conversation_files, first_item
from gieok.machine.imports.fields import (
    listing,
    parse_field_time,
    read_mapping,
    split_prose_statements,
    text,
)
from gieok.machine.imports.json_items import JsonItem, items
from gieok.model.conversation import Message, Reject, Role
from gieok.ports.imports import ImportedFact, ImportedTalk, ImportFiles, ImportPiece

AGENT = "claude-ai"
_Pieces = Callable[[JsonItem, str, datetime], Iterator[ImportPiece]]
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_MEMORIES, _PROJECTS = "memories.json", "projects.json"
#: Characters of an attached file that are kept beside the message.
_ATTACHED_CHARS = 2_000


class ClaudeReader:
    """`ImportReader` of Claude's export."""

    def recognises(self, files: ImportFiles) -> bool:
        """Say whether there are conversations of Claude, or its memories or projects."""
        if any("chat_messages" in first_item(files, name) for name in conversation_files(files)):
            return True
        named = [
            name for name in files.names() if _find_export_file_name(name) in (_MEMORIES, _PROJECTS)
        ]
        return any(
            {"conversations_memory", "prompt_template"} & first_item(files, name).keys()
            for name in named
        )

    def read(self, files: ImportFiles) -> Iterator[ImportPiece]:
        """Yield Claude's memories, then the projects, then each conversation."""
        own = [
            name for name in files.names() if _find_export_file_name(name) in (_MEMORIES, _PROJECTS)
        ]
        for name in own:
            yield from self._read(
                files,
                name,
                _parse_claude_memories
                if _find_export_file_name(name) == _MEMORIES
                else _parse_claude_project,
            )
        for name in conversation_files(files):
            if name not in own:
                yield from self._read(files, name, _parse_claude_conversation)

    @staticmethod
    def _read(files: ImportFiles, name: str, pieces: _Pieces) -> Iterator[ImportPiece]:
        place, modified = files.place(name), files.modified(name)
        for item in items(files, name):
            if isinstance(item, Reject):
                yield item
            else:
                yield from pieces(item, place, modified)


def _find_export_file_name(name: str) -> str:
    return PurePosixPath(name).name


def _parse_claude_conversation(
    item: JsonItem, place: str, modified: datetime
) -> Iterator[ImportPiece]:
    conversation = read_mapping(item.value)
    if not isinstance(conversation.get("chat_messages"), list):
        yield Reject(
            path=place,
            line=item.number,
            offset=item.offset,
            length=0,
            reason="no conversation of Claude",
        )
        return
    identity = text(conversation.get("uuid")) or f"{item.number}"
    at = parse_field_time(conversation.get("created_at")) or modified
    messages: list[Message] = []
    for place_in, message in enumerate(_list_claude_branch(conversation)):
        at = max(at, parse_field_time(message.get("created_at")) or at)
        role, words = _ROLES.get(text(message.get("sender"))), _read_claude_words(message)
        own = text(message.get("uuid")) or str(place_in)
        if role is not None and words:
            messages.append(
                Message(
                    id=f"{AGENT}:{identity}/{own}",
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


def _list_claude_branch(told: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the messages in order.

    If messages name their parents, only the branch that was shown last is returned.
    """
    messages = [read_mapping(message) for message in listing(told.get("chat_messages"))]
    by_id = {text(message.get("uuid")): message for message in messages}
    at = text(told.get("current_leaf_message_uuid"))
    if at not in by_id:
        return messages
    branch: list[Mapping[str, object]] = []
    while at in by_id:
        message = by_id.pop(at)
        branch.append(message)
        at = text(message.get("parent_message_uuid"))
    return branch[::-1]


def _read_claude_words(message: Mapping[str, object]) -> str:
    """Return the words of a message, and the beginnings of its attachments.

    Thoughts and tool calls are left out.
    """
    blocks = [read_mapping(block) for block in listing(message.get("content"))]
    words = "\n".join(
        text(block.get("text")) for block in blocks if block.get("type") == "text"
    ).strip()
    parts = [words or text(message.get("text")).strip()]
    parts += [
        f"[{text(attachment.get('file_name')) or 'attachment'}] {attached[:_ATTACHED_CHARS]}"
        for attachment in map(read_mapping, listing(message.get("attachments")))
        if (attached := text(attachment.get("extracted_content")).strip())
    ]
    return "\n\n".join(filter(None, parts))


def _parse_claude_memories(item: JsonItem, place: str, modified: datetime) -> Iterator[ImportPiece]:
    export = read_mapping(item.value)
    texts = [text(export.get("conversations_memory"))]
    texts += [text(value) for value in read_mapping(export.get("project_memories")).values()]
    for prose in texts:
        for _, statement in split_prose_statements(prose):
            yield _build_claude_fact(statement, modified, place, item.number)


def _parse_claude_project(item: JsonItem, place: str, modified: datetime) -> Iterator[ImportPiece]:
    project = read_mapping(item.value)
    name = text(project.get("name"))
    at = (
        parse_field_time(project.get("updated_at"))
        or parse_field_time(project.get("created_at"))
        or modified
    )
    for field, category in (("description", ""), ("prompt_template", "preference")):
        for _, statement in split_prose_statements(text(project.get(field))):
            yield _build_claude_fact(
                f"{name}: {statement}" if name else statement, at, place, item.number, category
            )
    for document in map(read_mapping, listing(project.get("docs"))):
        title = text(document.get("filename")) or name
        for _, statement in split_prose_statements(text(document.get("content"))):
            yield _build_claude_fact(
                f"{title}: {statement}",
                parse_field_time(document.get("created_at")) or at,
                place,
                item.number,
                "state",
                "low",
            )


def _build_claude_fact(
    said: str, at: datetime, place: str, number: int, category: str = "", priority: str = ""
) -> ImportedFact:
    identity = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:24]
    return ImportedFact(
        id=f"{AGENT}:{identity}",
        text=said,
        at=at,
        category=category,
        priority=priority,
        place=place,
        line=number,
    )

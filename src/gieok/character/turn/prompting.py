"""What a model is told for a reply: the card's texts with their macros filled in, what is
remembered, canon, and the talk.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.character.cards.card import card_of
from gieok.model.conversation import Message
from gieok.ports.models import ChatMessage

_MEMORY = re.compile(r"\{\{\s*memory\s*\}\}", re.IGNORECASE)
_NAME = re.compile(r"\{\{\s*(char|user)\s*\}\}", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{//.*?\}\}", re.DOTALL)
_ORIGINAL = (
    "Write {{char}}'s next reply in a chat between {{char}} and {{user}}. Stay {{char}}, and "
    "speak the language that {{user}} "
    "speaks."
)
#: How description, personality, scenario and examples are told.
_PARTS = ("{}", "{{{{char}}}}'s personality: {}", "Scenario: {}", "How {{{{char}}}} speaks:\n{}")


class SpeakerNames(NamedTuple):
    """How the two are called."""

    char: str
    user: str


class Sheet(NamedTuple):
    """A card as a model is told it: what stands before the talk, and what stands after it. Macros
    but `{{memory}}` are filled.
    """

    name: str
    system: str
    after: str = ""
    greeting: str = ""

    @property
    def text(self) -> str:
        """Return all of it that every reply takes room for."""
        return "\n\n".join(filter(None, (_MEMORY.sub("", self.system), self.after)))


def read_card_name(card: str) -> str:
    """Return the name by which the character of a card speaks."""
    read = card_of(card)
    return read.nickname or read.name


def build_card_sheet(card: str, names: SpeakerNames) -> Sheet:
    """Return the sheet of a card in JSON."""
    read = card_of(card)
    parts = zip(
        (read.description, read.personality, read.scenario, read.mes_example), _PARTS, strict=True
    )
    own = [shape.format(text) for text, shape in parts if text.strip()]
    system = _substitute_original_prompt(read.system_prompt, _ORIGINAL)
    after = _substitute_original_prompt(read.post_history_instructions, "")
    texts = ("\n\n".join((system, *own)), after, read.greetings[0] if read.greetings else "")
    return Sheet(names.char, *(fill_card_macros(text, names).strip() for text in texts))


def fill_card_macros(text: str, names: SpeakerNames) -> str:
    """Return a text with its macros filled in, all but `{{memory}}`."""
    text = _COMMENT.sub("", text)
    text = _NAME.sub(lambda found: names.char if found[1].lower() == "char" else names.user, text)
    return text.replace("<BOT>", names.char).replace("<USER>", names.user)


def with_memory(system: str, memory: str) -> str:
    """Return a system text with what is remembered where its macro stands, else at its end."""
    if _MEMORY.search(system):
        return _MEMORY.sub(lambda _: memory, system, count=1)
    return "\n\n".join(filter(None, (system, memory)))


def has_memory_macro(text: str) -> bool:
    """Say whether a text says where memory goes."""
    return _MEMORY.search(text) is not None


def assembled(
    sheet: Sheet, memory: str, talk: Sequence[Message], said: str
) -> tuple[ChatMessage, ...]:
    """Return the messages of a prompt; what was said last stands at the end of the talk, whatever
    its budget.
    """
    turns = [ChatMessage(one.role.value, one.text) for one in talk]
    if said and (not turns or turns[-1] != ChatMessage("user", said)):
        turns.append(ChatMessage("user", said))
    head = ChatMessage("system", _MEMORY.sub("", with_memory(sheet.system, memory)).strip())
    after = [ChatMessage("system", sheet.after)] if sheet.after else []
    return (head, *turns, *after)


def _substitute_original_prompt(own: str, original: str) -> str:
    """Return a prompt of a card in the place of ours, which it may quote."""
    return (
        re.sub(r"\{\{\s*original\s*\}\}", original, own, flags=re.IGNORECASE)
        if own.strip()
        else original
    )

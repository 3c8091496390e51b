"""Prompt of a reply: the card's texts, the memory, the canon, and the conversation.

The macros in the card's texts are filled in.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.character.cards.card import card_of
from gieok.model.conversation import Message
from gieok.ports.models import ChatMessage
from gieok.text.josa import with_particle
from gieok.text.language import detect_text_language

_MEMORY = re.compile(r"\{\{\s*memory\s*\}\}", re.IGNORECASE)
_NAME = re.compile(r"\{\{\s*(char|user)\s*\}\}", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{//.*?\}\}", re.DOTALL)
#: Prompt of a card that has none of its own, by the language of the talk.
_ORIGINALS = {
    "en": (
        "Write {{char}}'s next reply in a chat between {{char}} and {{user}}. Stay {{char}}, and "
        "speak the language that {{user}} speaks."
    ),
    "ko": (
        '당신은 "{{char}}"입니다. "{{user}}" 님과 이야기하고 있습니다. 언제나 "{{char}}"답게, 상대가 쓰는 '
        "언어로 다음 말을 쓰세요."
    ),
}
#: Wording of description, personality, scenario and examples.
_PARTS = {
    "en": (
        "{}",
        "{{{{char}}}}'s personality: {}",
        "Scenario: {}",
        "How {{{{char}}}} speaks:\n{}",
    ),
    "ko": (
        "{}",
        '"{{{{char}}}}"의 성격: {}',
        "상황: {}",
        '"{{{{char}}}}"의 말투:\n{}',
    ),
}


class SpeakerNames(NamedTuple):
    """Names of the two speakers."""

    char: str
    user: str


class Sheet(NamedTuple):
    """Card as a model sees it: the text before the conversation, and the text after it.

    All macros except `{{memory}}` are filled in. `lang` is the language of Gieok's own words in it.
    """

    name: str
    system: str
    after: str = ""
    greeting: str = ""
    lang: str = "en"

    @property
    def text(self) -> str:
        """Return the whole text of the sheet, for which every reply needs room."""
        return "\n\n".join(filter(None, (_MEMORY.sub("", self.system), self.after)))


def read_card_name(card: str) -> str:
    """Return the name by which the character of a card speaks."""
    read = card_of(card)
    return read.nickname or read.name


def build_card_sheet(card: str, names: SpeakerNames, talk: str = "") -> Sheet:
    """Return the sheet of a card given as JSON.

    Gieok's own words in it are in the language of `talk`; '' for that of the card.
    """
    read = card_of(card)
    lang = detect_text_language(talk or f"{read.greeting} {read.description}")
    texts = (read.description, read.personality, read.scenario, read.mes_example)
    parts = zip(texts, _PARTS[lang], strict=True)
    own = [shape.format(text) for text, shape in parts if text.strip()]
    system = _substitute_original_prompt(read.system_prompt, _ORIGINALS[lang])
    after = _substitute_original_prompt(read.post_history_instructions, "")
    system, after, greeting = (
        fill_card_macros(text, names).strip()
        for text in ("\n\n".join((system, *own)), after, read.greeting)
    )
    return Sheet(name=names.char, system=system, after=after, greeting=greeting, lang=lang)


def fill_card_macros(text: str, names: SpeakerNames) -> str:
    """Return a text with all macros except `{{memory}}` filled in."""
    text = _COMMENT.sub("", text)
    text = _NAME.sub(lambda found: names.char if found[1].lower() == "char" else names.user, text)
    return text.replace("<BOT>", names.char).replace("<USER>", names.user)


def introduce_narrative(narrative: str, sheet: Sheet) -> str:
    """Return a narrative under a line that says whose memory it is; '' for none."""
    if not narrative:
        return ""
    korean = f"{with_particle(sheet.name, '이', '가')} 기억하는 것들:"
    return f"{korean if sheet.lang == 'ko' else f'What {sheet.name} remembers:'}\n{narrative}"


def with_memory(system: str, memory: str) -> str:
    """Return a system text with the memory where its macro stands, else at its end."""
    if _MEMORY.search(system):
        return _MEMORY.sub(lambda _: memory, system, count=1)
    return "\n\n".join(filter(None, (system, memory)))


def has_memory_macro(text: str) -> bool:
    """Return whether a text has the macro that places the memory."""
    return _MEMORY.search(text) is not None


def assembled(
    sheet: Sheet, memory: str, talk: Sequence[Message], said: str
) -> tuple[ChatMessage, ...]:
    """Return the messages of a prompt.

    The last message of the user stands at the end of the conversation, whatever the budget.
    """
    turns = [ChatMessage(message.role.value, message.text) for message in talk]
    if said and (not turns or turns[-1] != ChatMessage("user", said)):
        turns.append(ChatMessage("user", said))
    head = ChatMessage("system", _MEMORY.sub("", with_memory(sheet.system, memory)).strip())
    after = [ChatMessage("system", sheet.after)] if sheet.after else []
    return (head, *turns, *after)


def _substitute_original_prompt(own: str, original: str) -> str:
    """Return a card's own prompt, which replaces Gieok's prompt and may quote it."""
    return (
        re.sub(r"\{\{\s*original\s*\}\}", original, own, flags=re.IGNORECASE)
        if own.strip()
        else original
    )

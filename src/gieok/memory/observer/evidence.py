"""Evidence of an observation: tool output alone supports no instruction and no high priority.

Tool output is data and may tell the model what to write. So the prompt asks the model to keep this
rule, and this module enforces the rule.
"""

from collections.abc import Sequence

from gieok.memory.observation import Category, Observation, Priority
from gieok.memory.observer import categories
from gieok.model.conversation import Journalled, Role
from gieok.text.keywords import keyword_text

#: A message is near an observation if it shares at least this fraction of the words that the
#: nearest message shares.
_NEAR = 0.7
#: A spoken message supports an observation if it shares this fraction of the words that the nearest
#: tool output shares: tool outputs are long.
_BORNE_OUT = 1 / 3


def select_nearest_messages(text: str, messages: Sequence[Journalled]) -> list[Journalled]:
    """Return the messages that share most words with a text, at most three."""
    shared = _count_message_overlap(text, messages)
    best = max(shared, default=0)
    return [
        journalled
        for journalled, count in zip(messages, shared, strict=True)
        if count and count >= _NEAR * best
    ][:3]


def weighed(o: Observation, messages: Sequence[Journalled]) -> Observation | None:
    """Return an observation, weakened if only tool output supports it.

    None for an instruction that only tool output supports. An observation from tool output alone
    replaces nothing.
    """
    cited = [journalled for journalled in messages if journalled.message.id in o.message_ids]
    if not is_from_tools(o.text, cited or messages):
        return o
    if (o.category is not Category.STATE and not o.is_done) or categories.is_instruction(o.text):
        return None
    priority = Priority.MEDIUM if o.priority is Priority.HIGH else o.priority
    return o._replace(category=Category.STATE, priority=priority, replaces=())


def is_from_tools(text: str, messages: Sequence[Journalled]) -> bool:
    """Say whether only tool output supports a text, by the words that it shares with each
    message.
    """
    shared = _count_message_overlap(text, messages)
    tools = [
        n
        for journalled, n in zip(messages, shared, strict=True)
        if journalled.message.role is Role.TOOL
    ]
    spoken = [
        n
        for journalled, n in zip(messages, shared, strict=True)
        if journalled.message.role is not Role.TOOL
    ]
    if not tools or not spoken:
        return bool(tools)
    return max(spoken) < _BORNE_OUT * max(tools)


def _count_message_overlap(text: str, messages: Sequence[Journalled]) -> list[int]:
    words = set(keyword_text(text).split())
    return [
        len(words & set(keyword_text(journalled.message.text).split())) for journalled in messages
    ]

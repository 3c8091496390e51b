"""Messages of a conversation with a character, as the journal keeps them."""

from datetime import datetime

from gieok.model.conversation import Message, Role
from gieok.text.tokens import estimate_tokens

#: `agent` of every message between a user and a character.
AGENT = "character"
#: Tokens that a message takes in a prompt beside its text: its role, and what separates it.
_AROUND_TOKENS = 4


def estimate_message_tokens(text: str) -> int:
    """Return the estimated tokens of a message in a prompt."""
    return estimate_tokens(text) + _AROUND_TOKENS


def build_talk_message(
    *, identity: str, role: Role, text: str, at: datetime, session: str, source: str = ""
) -> Message:
    """Return a message of a conversation, with its tokens."""
    return Message(
        id=identity,
        role=role,
        text=text,
        at=at,
        session=session,
        agent=AGENT,
        tokens=estimate_message_tokens(text),
        source=source,
    )

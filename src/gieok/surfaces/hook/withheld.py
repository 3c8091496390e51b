"""The decision whether memory is withheld from a call of the hook.

Where memory is withheld, nothing is recalled for the call, and nothing of the call is kept.
"""

import os
import time

from gieok import private
from gieok.agents import table
from gieok.private import Privacy

#: Reasons why nothing is recalled.
PAUSED, PRIVATE, EXCLUDED = "paused", "private", "excluded"
_FIRST_BYTES = 1 << 18


def find_withheld_reason(
    privacy: Privacy, agent: str, session: str, folder: str, payload: "table.Payload", now_s: float
) -> str:
    """Return the reason why memory is withheld; '' where memory is open.

    A session that its environment or its first words make private stays private durably.
    """
    if privacy.excludes_folder(folder) or privacy.excludes_agent(agent):
        return EXCLUDED
    if private.is_asked_for(os.environ):
        privacy.begin_session(agent, session, now_s)
        return PRIVATE
    if privacy.has_spans:
        privacy.end_session(agent, session, now_s)
    prompt = payload.get("prompt")
    if (
        isinstance(prompt, str)
        and private.opens_private(prompt)
        and _is_first(prompt, table.read_payload_text(payload, "transcript_path"))
    ):
        privacy.begin_session(agent, session, 0.0)
    if privacy.is_private(agent, session, now_s):
        return PRIVATE
    pause = privacy.pause(now_s)
    if pause is None:
        return ""
    return (
        PAUSED
        if pause.until is None
        else PAUSED + time.strftime(" %Y-%m-%d %H:%M", time.localtime(pause.until))
    )


def _is_first(prompt: str, transcript: str) -> bool:
    """Return whether a prompt is the first of its session, or the first one made it private."""
    from gieok.agents import formats  # few prompts are such words
    from gieok.model.conversation import Message, Role

    try:
        with open(transcript, "rb") as file:
            lines = file.read(_FIRST_BYTES).split(b"\n")
    except OSError:
        return True
    agent_format = formats.recognise(transcript, lines)
    parsed = (formats.parse_transcript_line(line) for line in lines)
    events = (
        event
        for line in parsed
        if agent_format and line
        for event in agent_format.events(line, "0")
    )
    prompts = (
        event.text for event in events if isinstance(event, Message) and event.role is Role.USER
    )
    return private.opens_private(next(prompts, prompt))

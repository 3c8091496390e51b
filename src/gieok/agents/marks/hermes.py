"""Marks of Hermes, whose sessions say where they came from.

Behind most names of sources stands a program: a web hook, a timer, a house, a mailbox, a client of
its API. What comes from a source that is not named here is a program's too.
"""

from gieok.agents.marks.mark import SOMETHING, Mark, Speaker, SpeakerKind, build_program_text

_HOST = "hermes"
#: Sources in which a person types: its own windows, and the chats that it joins.
_CHATS = (
    "cli",
    "tui",
    "bluebubbles",
    "dingtalk",
    "discord",
    "feishu",
    "google_chat",
    "irc",
    "line",
    "matrix",
    "mattermost",
    "qqbot",
    "signal",
    "simplex",
    "slack",
    "teams",
    "telegram",
    "wecom",
    "weixin",
    "whatsapp",
    "whatsapp_cloud",
    "yuanbao",
)


def _build_hermes_line(source: str) -> dict[str, object]:
    return {"hermes": 1, "session": {"id": "s", "source": source}}


MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="session.source",
        speaker=Speaker.PERSON,
        example=_build_hermes_line("telegram"),
        counter=_build_hermes_line("webhook"),
        values=_CHATS,
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="session.source",
        speaker=Speaker.AGENT,
        example=_build_hermes_line("subagent"),
        counter=_build_hermes_line("cli"),
        values=("subagent",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="session.source",
        speaker=Speaker.PROGRAM,
        example=_build_hermes_line("webhook"),
        counter=_build_hermes_line("cli"),
        values=(SOMETHING,),
    ),
    build_program_text(
        _HOST,
        "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary",
        "The context was compacted, please go on.",
        r"\[CONTEXT (?:COMPACTION|SUMMARY)\b",
    ),
)

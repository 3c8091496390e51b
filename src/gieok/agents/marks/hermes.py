"""Marks of Hermes, whose sessions say where they came from.

Behind most names of sources stands a program: a web hook, a timer, a house, a mailbox, a client of
its API. What comes from a source that is not named here is a program's too.

Under the user's name Hermes also stores what it tells the model: a skill's file with the person's
request behind it or within it, what a process printed, its list of tasks, and notes of its own.
"""

from functools import partial

from gieok.agents.marks.mark import (
    SOMETHING,
    Mark,
    Speaker,
    SpeakerKind,
    build_program_behind,
    build_program_front,
    build_program_text,
)

_HOST = "hermes"
_build_hermes_front = partial(build_program_front, _HOST)
_build_hermes_behind = partial(build_program_behind, _HOST)
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
#: Beginning of a text that holds a skill's file. The word is `SYSTEM` in older releases.
_SKILL = r"\[(?:IMPORTANT|SYSTEM): The user has invoked the \"[^\"\n]{1,200}\" skill"
_SKILL_EXAMPLE = '[IMPORTANT: The user has invoked the "deploy" skill'
_REQUEST = "The user has provided the following instruction alongside the skill invocation: "
_TASKS = "[Your active task list was preserved across context compression]"


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
    build_program_text(
        _HOST,
        f"{_SKILL_EXAMPLE}, indicating they want you to follow its instructions.]\n\nnot theirs",
        "[IMPORTANT: never push to main]",
        rf"{_SKILL}|\[(?:IMPORTANT|SYSTEM): The (?:\"|following skill)",
    ),
    build_program_text(
        _HOST,
        "[IMPORTANT: Background process p completed (exit code 0).\nOutput:\nx]",
        "IMPORTANT: background processes are never killed.",
        r"\[(?:IMPORTANT|SYSTEM): (?:Background process|\d+ background processes)\b"
        r"|\[ASYNC DELEGATION\b",
    ),
    build_program_text(
        _HOST,
        f"{_TASKS}\n- [ ] 1. move the crates (pending)",
        "Your active task list was preserved, so go on.",
        r"\[Your active task list was preserved\b",
    ),
    build_program_text(
        _HOST,
        "You've reached the maximum number of tool-calling iterations allowed. Please summarize.",
        "You've reached the maximum number of tools, I think.",
        r"You've reached the maximum number of tool-calling iterations allowed\. Please\b",
    ),
    build_program_text(
        _HOST,
        "[System note: The gateway was restarted.]",
        "The system note is wrong.",
        r"\[(?:System|SYSTEM)(?: note)?: ",
    ),
    # Greedy: a skill's file may quote the sentence that stands before the person's request.
    _build_hermes_front(
        rf"{_SKILL}(?! bundle)(?s:.*)\n{_REQUEST}",
        f"{_SKILL_EXAMPLE}, indicating it.]\n\nnot theirs\n\n{_REQUEST}",
        "What does “alongside the skill invocation” mean?",
    ),
    # A bundle's files stand behind the request.
    _build_hermes_front(
        rf"{_SKILL} bundle\b(?s:(?!\n\[Loaded as part of ).)*?\nUser instruction: ",
        f"{_SKILL_EXAMPLE} bundle, loading 2 skills.]\n\nBundle: deploy\n\nUser instruction: ",
        "User instruction: open the depot.",
    ),
    _build_hermes_front(
        r"\[(?:Note: model was just switched|System note:) [^\[\]]{1,2000}\]\s*\n\s*",
        "[Note: model was just switched from a to b via c. Adjust accordingly.]\n\n",
        "[Note: the model was switched] is what I read.",
    ),
    _build_hermes_behind(
        r"\n\n\[(?:Runtime note: |Loaded as part of the \"[^\"\n]{1,200}\" skill bundle)[^\0]*",
        "\n\n[Runtime note: not theirs]",
        "The [Runtime note: x] is new.",
    ),
    _build_hermes_behind(
        r"\n+\[Your active task list was preserved across context compression\][^\0]*",
        f"\n\n{_TASKS}\n- [>] 1. not theirs (in_progress)",
        "The active task list was preserved.",
    ),
)

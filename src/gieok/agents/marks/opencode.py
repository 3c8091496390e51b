"""Marks of opencode: it says of each part of a message whether it made the part itself."""

from gieok.agents.marks.mark import SAID, Kind, Mark, Speaker

_HOST = "opencode"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT


def _part(**fields: object) -> dict[str, object]:
    return {
        "event": "message.part.updated.1",
        "data": {"part": {"type": "text", **fields}},
        "message": {},
    }


MARKS = (
    Mark(
        _HOST,
        Kind.HEAD,
        "data.info.parentID",
        _AGENT,
        {"event": "session.created.1", "data": {"info": {"parentID": "p"}}},
        {"event": "session.created.1", "data": {}},
        ("*",),
    ),
    # `opencode run` begins a session in which nobody can be asked.
    Mark(
        _HOST,
        Kind.HEAD,
        "data.info.permission.question",
        _PROGRAM,
        {"event": "session.created.1", "data": {"info": {"permission": {"question": "deny"}}}},
        {"event": "session.created.1", "data": {"info": {"permission": {"question": "allow"}}}},
        ("deny",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "message.summary",
        _PROGRAM,
        {**_part(), "message": {"summary": True}},
        _part(),
        ("true",),
    ),
    Mark(
        _HOST,
        Kind.FIELD,
        "data.part.synthetic",
        _PROGRAM,
        _part(synthetic=True),
        _part(synthetic=False),
        ("true",),
    ),
    Mark(_HOST, Kind.FIELD, "data.part.ignored", _PROGRAM, _part(ignored=True), _part(), ("true",)),
    Mark(
        _HOST,
        Kind.BLOCK,
        "system-reminder",
        _PROGRAM,
        f"{SAID}\n<system-reminder>not theirs</system-reminder>",
        "What does <system-reminder> mean?",
    ),
    Mark(
        _HOST,
        Kind.WHOLE,
        r"Called the \w+ tool with the following input:",
        _PROGRAM,
        'Called the Read tool with the following input: {"filePath": "a"}',
        "Called the tool with my input.",
    ),
    Mark(
        _HOST,
        Kind.WHOLE,
        "Continue if you have next steps",
        _PROGRAM,
        "Continue if you have next steps, or stop and ask for clarification",
        "Continue with the next steps.",
    ),
    Mark(
        _HOST,
        Kind.REASON,
        r"(?:\w+: )?The user rejected permission to use this specific tool call with the "
        r"following feedback: *"
        r"(?P<said>.+)$",
        _PERSON,
        (
            f"The user rejected permission to use this specific tool call with the following "
            f"feedback: {SAID}"
        ),
        "The user rejected permission to use this specific tool call.",
    ),
    Mark(
        _HOST,
        Kind.ANSWER,
        "question",
        _PERSON,
        f'User has answered your questions: "When does it open?"="{SAID}". You can now continue.',
        "The file has been updated.",
    ),
)

"""Marks of opencode, which says of each part of a message whether opencode itself made it."""

from gieok.agents.marks.mark import SAID, Mark, Speaker, SpeakerKind

_HOST = "opencode"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT


def _build_opencode_part(**fields: object) -> dict[str, object]:
    return {
        "event": "message.part.updated.1",
        "data": {"part": {"type": "text", **fields}},
        "message": {},
    }


MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="data.info.parentID",
        speaker=_AGENT,
        example={"event": "session.created.1", "data": {"info": {"parentID": "p"}}},
        counter={"event": "session.created.1", "data": {}},
        values=("*",),
    ),
    # `opencode run` begins a session in which no person can be asked.
    Mark(
        host=_HOST,
        kind=SpeakerKind.HEAD,
        sign="data.info.permission.question",
        speaker=_PROGRAM,
        example={
            "event": "session.created.1",
            "data": {"info": {"permission": {"question": "deny"}}},
        },
        counter={
            "event": "session.created.1",
            "data": {"info": {"permission": {"question": "allow"}}},
        },
        values=("deny",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="message.summary",
        speaker=_PROGRAM,
        example={**_build_opencode_part(), "message": {"summary": True}},
        counter=_build_opencode_part(),
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="data.part.synthetic",
        speaker=_PROGRAM,
        example=_build_opencode_part(synthetic=True),
        counter=_build_opencode_part(synthetic=False),
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="data.part.ignored",
        speaker=_PROGRAM,
        example=_build_opencode_part(ignored=True),
        counter=_build_opencode_part(),
        values=("true",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.BLOCK,
        sign="system-reminder",
        speaker=_PROGRAM,
        example=f"{SAID}\n<system-reminder>not theirs</system-reminder>",
        counter="What does <system-reminder> mean?",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.WHOLE,
        sign=r"Called the \w+ tool with the following input:",
        speaker=_PROGRAM,
        example='Called the Read tool with the following input: {"filePath": "a"}',
        counter="Called the tool with my input.",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.WHOLE,
        sign="Continue if you have next steps",
        speaker=_PROGRAM,
        example="Continue if you have next steps, or stop and ask for clarification",
        counter="Continue with the next steps.",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.REASON,
        sign=r"(?:\w+: )?The user rejected permission to use this specific tool call with the "
        r"following feedback: *"
        r"(?P<said>.+)$",
        speaker=_PERSON,
        example=(
            "The user rejected permission to use this specific tool call with the following "
            f"feedback: {SAID}"
        ),
        counter="The user rejected permission to use this specific tool call.",
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.ANSWER,
        sign="question",
        speaker=_PERSON,
        example=(
            f'User has answered your questions: "When does it open?"="{SAID}". You can now '
            "continue."
        ),
        counter="The file has been updated.",
    ),
)

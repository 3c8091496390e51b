"""Marks of Gemini CLI, and of Qwen Code, which is derived from it."""

from gieok.agents.marks.mark import SAID, Mark, Speaker, SpeakerKind

_GEMINI, _QWEN = "gemini-cli", "qwen-code"
_PERSON, _PROGRAM, _AGENT = Speaker.PERSON, Speaker.PROGRAM, Speaker.AGENT
#: Commands whose arguments are a setting, not words of the person.
_WORDLESS = """
    model auth theme vim editor language settings approval-mode permissions trust tools mcp
    extensions skills agents directory dir stats about help quit exit clear reset restore
    resume copy docs ide setup-github terminal-setup statusline export
""".split()
_FIELDS = (
    Mark(
        host=_GEMINI,
        kind=SpeakerKind.HEAD,
        sign="kind",
        speaker=_AGENT,
        example={"sessionId": "s", "kind": "subagent"},
        counter={"sessionId": "s", "kind": "main"},
        values=("subagent",),
    ),
    Mark(
        host=_GEMINI,
        kind=SpeakerKind.FIELD,
        sign="type",
        speaker=_PROGRAM,
        example={"type": "info"},
        counter={"type": "user"},
        values=("info", "error", "warning"),
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.FIELD,
        sign="isSidechain",
        speaker=_AGENT,
        example={"type": "user", "isSidechain": True},
        counter={"type": "user"},
        values=("true",),
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.FIELD,
        sign="subtype",
        speaker=_PERSON,
        example={"type": "system", "provenance": "system", "subtype": "slash_command"},
        counter={"type": "system", "provenance": "system", "subtype": "chat_compression"},
        values=("slash_command",),
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.FIELD,
        sign="provenance",
        speaker=_PERSON,
        example={"type": "user", "provenance": "real_user"},
        counter={"type": "user", "provenance": "notification"},
        values=("real_user",),
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.FIELD,
        sign="provenance",
        speaker=_PROGRAM,
        example={"type": "user", "provenance": "cron"},
        counter={"type": "user", "provenance": "real_user"},
        values=("*",),
    ),
)


def _build_gemini_wholes(host: str) -> tuple[Mark, ...]:
    rows = (
        (
            "System: Please continue.",
            "System: fine. Please continue.",
            r"System: Please continue\.",
        ),
        (
            "This is the Gemini CLI. We are setting up the context for our chat.",
            "This is the Gemini CLI I mean.",
            "This is the (?:Gemini CLI|Qwen Code)[^\n]{0,20} We are setting up the context",
        ),
        (
            "Got it. Thanks for the context!",
            "Got it.",
            "Got it. Thanks for the (?:additional )?context!",
        ),
        (
            "Here is the user's editor context as a JSON object.\n```json\n{}\n```",
            "Here is the user's table.",
            (
                "Here is (?:the user's editor context|a summary of changes in the user's editor "
                "context)"
            ),
        ),
        ("<state_snapshot>\nWe decided …", "A <state_snapshot> helps", "<state_snapshot>"),
        ("<session_context>\nToday is …", "A <session_context> helps", "<session_context>"),
        (
            "<loaded_context>\nUse tabs.",
            "A <loaded_context> helps",
            "<(?:loaded|extension|project)_context>",
        ),
        (
            "Please continue.",
            "Please continue. The depot opens at nine.",
            r"Please continue\.?\s*$",
        ),
    )
    return tuple(
        Mark(
            host=host,
            kind=SpeakerKind.WHOLE,
            sign=sign,
            speaker=_PROGRAM,
            example=example,
            counter=counter,
        )
        for example, counter, sign in rows
    )


def _build_gemini_blocks(host: str, names: str) -> tuple[Mark, ...]:
    return tuple(
        Mark(
            host=host,
            kind=SpeakerKind.BLOCK,
            sign=name,
            speaker=_PROGRAM,
            example=f"{SAID}\n<{name}>\nnot theirs\n</{name}>",
            counter=f"What does <{name}> mean?",
        )
        for name in names.split()
    )


def _build_gemini_files(host: str) -> tuple[Mark, ...]:
    """Return the marks for file contents that follow a prompt which names the files.

    A file may itself hold the line that ends the contents: the last such line is the end.
    """
    end = r"(?:(?s:.*)--- End of content ---|(?s:.*)\Z)"
    rows = (
        (
            r"--- Content from referenced files ---" + end,
            "--- Content from referenced files ---\nnot theirs\n--- End of content ---",
            "Put the content from referenced files here",
        ),
        (
            r"(?<![^\n])Content from @[^\n]{1,1000}:[ \t]*(?:\n|\Z)" + end,
            "\nContent from @notes.md:\nnot theirs",
            "Content from @notes.md: it is old",
        ),
        # The header of each file in the output of `read_many_files`.
        (
            r"(?<![^\n])--- [^\n]{0,1000}[/\\][^\n]{1,1000}\.\w{1,12} ---\s*\n" + end,
            "\n--- /home/x/shop/notes.md ---\n\nnot theirs\n",
            "--- either/or --- is hard",
        ),
    )
    return tuple(
        Mark(
            host=host,
            kind=SpeakerKind.BEHIND,
            sign=sign,
            speaker=_PROGRAM,
            example=f"{SAID}\n{example}",
            counter=counter,
        )
        for sign, example, counter in rows
    )


MARKS = (
    *_FIELDS,
    *_build_gemini_wholes(_GEMINI),
    *_build_gemini_wholes(_QWEN),
    *_build_gemini_blocks(
        _GEMINI,
        (
            "hook_context session_context state_snapshot loaded_context extension_context "
            "project_context"
        ),
    ),
    *_build_gemini_blocks(
        _QWEN, "qwen:user-prompt-submit-context system-reminder hook_context state_snapshot"
    ),
    *_build_gemini_files(_GEMINI),
    *_build_gemini_files(_QWEN),
    # `/remember the depot opens at nine`: stored beside the conversation, under the program's name.
    Mark(
        host=_QWEN,
        kind=SpeakerKind.BLOCK,
        sign="command-args",
        speaker=_PERSON,
        example=f"<command-args>{SAID}</command-args>",
        counter="What does <command-args> mean?",
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.SETTING,
        sign="command-args",
        speaker=_PROGRAM,
        example="<command-name>/model</command-name><command-args>qwen3</command-args>",
        counter=f"<command-name>/remember</command-name><command-args>{SAID}</command-args>",
        values=tuple(_WORDLESS),
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.BLOCK,
        sign="command-name",
        speaker=_PROGRAM,
        example=f"<command-name>/x</command-name>{SAID}",
        counter="A <command-name>?",
    ),
    Mark(
        host=_GEMINI,
        kind=SpeakerKind.ANSWER,
        sign="ask_user",
        speaker=_PERSON,
        example='{"answers": {"0": "' + SAID + '"}}',
        counter='{"output": "ok"}',
    ),
    Mark(
        host=_QWEN,
        kind=SpeakerKind.ANSWER,
        sign="ask_user_question",
        speaker=_PERSON,
        example=f"User has provided the following answers:\n\n**Hours**: {SAID}",
        counter="The file has been updated.",
    ),
)

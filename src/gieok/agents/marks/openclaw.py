"""Marks of OpenClaw: its own events, and the wrappers that channels put around a message."""

from functools import partial

from gieok.agents.marks.mark import (
    Mark,
    Speaker,
    SpeakerKind,
    build_program_behind,
    build_program_front,
    build_program_text,
)

_HOST = "openclaw"
_PERSON, _PROGRAM = Speaker.PERSON, Speaker.PROGRAM
_build_openclaw_whole = partial(build_program_text, _HOST)
_build_openclaw_front = partial(build_program_front, _HOST)
_build_openclaw_behind = partial(build_program_behind, _HOST)
_JSON = "```json\n{}\n```\n"
_MEDIA = (
    r"\[media attached(?: \d{1,3}/\d{1,3})?: [^\]\n]{1,1000}\]\s*"
    r"(?:To send an image back, prefer the message tool[^\n]*\n?\s*)?"
)
MARKS = (
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="message.provenance.kind",
        speaker=_PERSON,
        example={"type": "message", "message": {"provenance": {"kind": "external_user"}}},
        counter={"type": "message", "message": {"provenance": {"kind": "internal_system"}}},
        values=("external_user",),
    ),
    Mark(
        host=_HOST,
        kind=SpeakerKind.FIELD,
        sign="message.provenance.kind",
        speaker=_PROGRAM,
        example={"type": "message", "message": {"provenance": {"kind": "inter_session"}}},
        counter={"type": "message", "message": {"role": "user"}},
        values=("*",),
    ),
    _build_openclaw_whole(
        "System: [2026-02-28 01:01:06 UTC] Exec completed",
        "System: all is well",
        r"System(?: \(untrusted\))?: \[",
    ),
    _build_openclaw_whole("[OpenClaw session event]", "OpenClaw is slow", r"\[OpenClaw "),
    _build_openclaw_whole("[cron:7f job] Tidy up", "cron: tidy up", r"\[cron:"),
    _build_openclaw_whole(
        "[Scheduled Run] weekly report", "A scheduled run is due", r"\[Scheduled Run\]"
    ),
    _build_openclaw_whole(
        "Read HEARTBEAT.md if it exists.", "Please read HEARTBEAT.md", r"Read HEARTBEAT\.md"
    ),
    _build_openclaw_whole(
        "A new session was started via /new or /reset. Greet the user.",
        "A new session was started by me.",
        "A new session was started via /new or /reset",
    ),
    _build_openclaw_whole(
        "Pre-compaction memory flush. Store durable memories now.",
        "Pre-compaction notes",
        "Pre-compaction memory flush",
    ),
    _build_openclaw_whole(
        "An async command you ran earlier has completed. The result is shown above.",
        "An async command is running",
        "An async command you ran earlier has completed",
    ),
    _build_openclaw_whole(
        "A scheduled reminder has been triggered. The reminder content is:\n\nwater the plants",
        "A scheduled reminder would help.",
        "A scheduled (?:reminder|cron event) (?:has been|was) triggered",
    ),
    _build_openclaw_whole(
        "[Subagent Context] You are a subagent.",
        "The subagent has no context",
        r"\[Subagent (?:Context|Task)\]",
    ),
    _build_openclaw_whole(
        "[Internal task completion event]\nsource: subagent",
        "Internal tasks first",
        r"\[Internal task completion event\]",
    ),
    _build_openclaw_whole(
        "[Inter-session message] sourceSession=a",
        "A message between sessions",
        r"\[Inter-session message\]",
    ),
    _build_openclaw_whole(
        "[Post-compaction context refresh]\nRead AGENTS.md",
        "Post-compaction is slow",
        r"\[Post-compaction context refresh\]",
    ),
    _build_openclaw_whole(
        "Continue where you left off. The previous model attempt failed or timed out.",
        "Continue where you left off.",
        "Continue where you left off. The previous model attempt failed",
    ),
    _build_openclaw_whole(
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\ntask ended",
        "<<< see here",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
    ),
    # Text of scheduled runs and webhooks, from 2026.8 on.
    _build_openclaw_whole(
        "Job ID: 9\n\n<<<EXTERNAL_UNTRUSTED_CONTENT id=1>>>\nSummarise this",
        "Job ID: 9 is mine",
        "(?s:.*?)<<<EXTERNAL_UNTRUSTED_CONTENT",
    ),
    # Events since the last message, before the words that the person wrote.
    _build_openclaw_front(
        r"System(?: \(untrusted\))?: \[[^\n]*\n+(?:System(?: \(untrusted\))?:[^\n]*\n+)*",
        "System: [2026-02-28 01:00 UTC] Slack DM from U1\nSystem: more\n\n",
        "System: it is slow",
    ),
    # Blocks of channels: a title that marks the block as untrusted, then JSON.
    _build_openclaw_front(
        r"[^\n]{3,80}\(untrusted[^\n)]{0,80}\):\n```(?:json)?\n(?s:.{0,20000}?)\n```\s*",
        (
            f"Conversation info (untrusted metadata):\n{_JSON}\nSender (untrusted "
            f"metadata):\n{_JSON}\n"
        ),
        "The sender (untrusted): Kim",
    ),
    _build_openclaw_front(
        r"\[Queued (?:announce )?messages while agent was busy\]\s*(?:---\s*)?",
        "[Queued messages while agent was busy]\n\n---\n",
        "Queued messages are lost",
    ),
    _build_openclaw_front(
        r"\[Queue overflow\][^\n]*\n+(?:- [^\n]*\n+)*",
        "[Queue overflow] Dropped 2 messages\n- hi\n",
        "The queue overflows",
    ),
    _build_openclaw_front(
        r"(?:---\s*)?Queued #\d{1,4}[^\n]{0,80}\n+",
        "---\nQueued #1 (from Kim)\n",
        "Queued is number 1",
    ),
    _build_openclaw_front(
        (
            r"\[Chat messages since your last reply[^\]\n]*\](?s:.{0,20000}?)\[Current "
            r"message[^\]\n]*\]\s*"
        ),
        (
            "[Chat messages since your last reply - for context]\nKim: hi\n\n[Current message - "
            "respond to this]\n"
        ),
        "The current message",
    ),
    _build_openclaw_front(
        r"\[(?:Replying to|Replied message|Thread starter|Thread history|Forwarded from|Forwarded "
        r"message)\b[^\]\n]{0,200}\]"
        r"(?s:.{0,20000}?)\[/(?:Replying|Replied message|Thread starter|Thread "
        r"history|Forwarded)[^\]\n]{0,80}\]\s*",
        "[Replying to Kim id:7]\nold words\n[/Replying]\n",
        "[Replying] is broken",
    ),
    _build_openclaw_front(
        _MEDIA,
        "[media attached: media/inbound/a.jpg (image/jpeg) | media/inbound/a.jpg]\n"
        "To send an image back, prefer the message tool (media/path/filePath).\n",
        "[media attached] is shown",
    ),
    _build_openclaw_front(r"<media:[a-z]{3,12}>\s*", "<media:audio>\n", "What is <media> for?"),
    _build_openclaw_front(
        r"\[Audio\]\s*(?:User text:\s*)?(?:Transcript:\s*)?", "[Audio]\nTranscript:\n", "Audio: off"
    ),
    # The channel, and the name of the sender.
    _build_openclaw_front(
        r"\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|Matrix|Teams|LINE|Zalo|Feishu"
        r"|Lark|WebChat|KakaoTalk|"
        r"Google Chat|Mattermost|Nostr|SMS|BlueBubbles|Twitch|IRC) [^\]\n]{1,160}\]\s*",
        "[Slack #bakery Kim] ",
        "[Slack] is down",
    ),
    _build_openclaw_front(
        r"Note: The previous agent run was aborted by the user[^\n]*\n+",
        (
            "Note: The previous agent run was aborted by the user. Resume carefully or ask for "
            "clarification.\n\n"
        ),
        "Note: it was aborted",
    ),
    _build_openclaw_behind(
        r"\n+Untrusted context \(metadata(?s:.*)",
        "\nUntrusted context (metadata)\n{}",
        "Untrusted context is fine",
    ),
    _build_openclaw_behind(
        r"\n+\[message_id: [^\]\n]{1,120}\]\s*", "\n[message_id: 4711]", "the message_id: 4711"
    ),
    _build_openclaw_behind(r"\n+\[from: [^\]\n]{1,120}\]\s*", "\n[from: Kim (+82)]", "from: Kim"),
    _build_openclaw_behind(
        r"\n+Current time: [A-Z][a-z]+day, [^\n]{0,120}\s*$",
        "\nCurrent time: Sunday, March 15th, 2026 — 11:27 (Asia/Seoul)",
        "Current time: too late",
    ),
    _build_openclaw_behind(
        r"\n+\[media attached(?: \d{1,3}/\d{1,3})?: [^\]\n]{1,1000}\](?=\s*$|\nTo send)",
        "\n[media attached: a.ogg (audio/ogg)]",
        "media",
    ),
    _build_openclaw_behind(
        r"\n+To send an image back, prefer the message tool[^\n]*",
        "\nTo send an image back, prefer the message tool.",
        "To send it",
    ),
)

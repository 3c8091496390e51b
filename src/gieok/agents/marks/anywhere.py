"""Marks that belong to no single host.

Editors, gateways, other memories and title makers write through whichever host is used.
"""

from gieok.agents.marks.mark import ANY, SAID, Mark, Speaker, SpeakerKind

_PERSON, _PROGRAM = Speaker.PERSON, Speaker.PROGRAM


def _build_folder_mark(sign: str, example: str, counter: str) -> Mark:
    return Mark(
        host=ANY,
        kind=SpeakerKind.FOLDER,
        sign=sign,
        speaker=_PROGRAM,
        example=example,
        counter=counter,
    )


def _build_opening_mark(sign: str, example: str, counter: str) -> Mark:
    return Mark(
        host=ANY,
        kind=SpeakerKind.OPENING,
        sign=sign,
        speaker=_PROGRAM,
        example=example,
        counter=counter,
    )


_MEMORIES = (
    _build_folder_mark(
        r"[/\\]observer-sessions(?:[/\\]|$)",
        "/home/x/.claude-mem/observer-sessions",
        "/home/x/observer",
    ),
    # A hidden folder named after memory holds a memory, not a project.
    _build_folder_mark(
        r"[/\\]\.(?:[\w]+-)*(?:\w*memory|\w*memories|\w*recall|mem\d?|remember|observer|letta|"
        r"memsearch)(?:-[\w]+)*(?:[/\\]|$)",
        "/home/x/.supermemory/runs",
        "/home/x/memory-game",
    ),
    _build_opening_mark(
        r"Hello memory agent\b",
        "Hello memory agent, you are continuing to observe the primary Claude session.",
        "Hello memory, my old friend",
    ),
    _build_opening_mark(
        r"(?s:.{0,2000})<observed_from_primary_session>",
        "Go on.\n<observed_from_primary_session>x</observed_from_primary_session>",
        "What is observed_from_primary_session?",
    ),
    _build_opening_mark(
        r"You are (?:a|an|the) [\w ,-]{0,60}\b(?:memory|observer|memories)\b[\w -]{0,30}"
        r"(?:agent|assistant|system|extractor|extraction|manager|writer|curator|consolidat\w+"
        r"|observer|"
        r"summari[sz]er)?\b[^\n]{0,200}"
        r"\b(?:session|conversation|transcript|extract|observe|record|store|consolidate)",
        (
            "You are a Claude-Mem, a specialized memory observer: record what happens in a "
            "different Claude session."
        ),
        "You are a fan of memory games, right?",
    ),
    _build_opening_mark(
        r"(?:You are a specialized observer tool|--- MODE SWITCH: PROGRESS SUMMARY|PROGRESS "
        r"SUMMARY "
        r"CHECKPOINT|MEMORY PROCESSING)",
        "--- MODE SWITCH: PROGRESS SUMMARY ---\nWrite down what was done.",
        "Please write a progress summary of the depot.",
    ),
    _build_opening_mark(
        r"(?:Please )?(?:[Ww]rite|[Pp]roduce|[Cc]reate|[Ee]xtract|[Ss]ummari[sz]e|[Dd]istil+|"
        r"[Aa]nalyz?s?e)\b[^\n]{0,120}"
        r"\b(?:session|conversation|transcript|chat|dialogue)\b[^\n]{0,160}"
        r"\b(?:[Oo]utput|[Rr]eturn|[Rr]espond|[Rr]eply)\b(?: with)? (?:ONLY|only|just|nothing "
        r"but|JSON|valid JSON)\b",
        "Please write a concise, factual summary of this conversation. Output ONLY the summary.",
        "Summarize this conversation for Kim, please.",
    ),
)
_TITLES = (
    _build_opening_mark(
        r"(?:You are (?:a |an )?(?:helpful assistant that )?)?(?:[Pp]lease )?(?:[Gg]enerates?"
        r"|[Ww]rites?|"
        r"[Cc]reates?|[Pp]roduces?|"
        r"[Ss]uggests?|[Cc]ome up with|[Pp]rovides?) (?:a |an |the |one )?(?:very "
        r"|short|concise|brief|"
        r"descriptive|[\w-]+,? ){0,6}"
        r"(?:title|name|headline|slug|branch name)s? (?:for|of|that|describing|based "
        r"on|from|in)\b[^\n]{0,120}"
        r"\b(?:conversation|chat|session|thread|prompt|message|task|transcript|coding)\b",
        "Generate a short title for this conversation in 5 words or fewer.",
        "Write a title for the depot's page.",
    ),
    _build_opening_mark(
        r"You are (?:a |an |the )?[\w -]{0,30}(?:title|naming|headline|topic) (?:generator"
        r"|maker|writer|"
        r"classifier|assistant|agent)",
        "You are a title generator. You output ONLY a thread title.",
        "You are good at titles, so help me.",
    ),
    _build_opening_mark(
        r"You are a helpful assistant\. You will be presented with a user prompt",
        "You are a helpful assistant. You will be presented "
        "with a user prompt, and your job is to provide a short title for a task",
        "You are a helpful assistant. I need help.",
    ),
    _build_opening_mark(
        r"(?:Analyz?s?e if this message indicates a new conversation topic|Please write a "
        r"\d+-\d+ word title|"
        r"Summari[sz]e this coding (?:conversation|session) in under \d+ characters)",
        "Summarize this coding conversation in under 50 characters.",
        "Analyze if this page needs a new topic.",
    ),
    _build_opening_mark(
        r"\[SUGGESTION MODE:",
        "[SUGGESTION MODE: Suggest what the user might naturally type next.]",
        "[Suggestion] buy a mode",
    ),
    _build_opening_mark(r"Warmup\s*$", "Warmup", "Warmup the oven before nine."),
)
#: Words in the names of tags that programs add; elements of web pages have such words too. `user`
#: and `prompt` are left out: a person's words may stand in those tags.
_ENVELOPE_WORDS = (
    "agent|automation|compaction|context|diagnostics|environment|goal|guidance|heartbeat|hook"
    "|ide|injected|instructions?|"
    "internal|mcp|memory|memories|metadata|notifications?|permissions?|plugins?|recall(?:ed)?"
    "|reminders?|scheduled|session|"
    "skills?|snapshot|steering|stderr|stdout|subagent|system|task|teammate"
)
_PAGE_WORDS = (
    "app|background|ci|event|info|mode|monitor|notes?|notice|results?|state|status|summary|tools?"
    "|turn|workspace"
)


def _build_envelope_mark(words: str, border: str, example: str, counter: str) -> Mark:
    sign = (
        rf"<((?=[\w:.-]*(?<![A-Za-z])(?:{words})(?![A-Za-z]))[A-Za-z][A-Za-z\d]*"
        rf"(?:{border}[A-Za-z\d]+)+)"
        r"(?:\s[^<>]{0,1000})?>(?s:.*)</\1>\s*$"
    )
    return Mark(
        host=ANY,
        kind=SpeakerKind.ENVELOPE,
        sign=sign,
        speaker=_PROGRAM,
        example=example,
        counter=counter,
    )


#: People do not put a tag with a name of several words, of which one is a program's term, around
#: everything that they say; hosts do, and rename the tag with each release.
_ENVELOPES = (
    _build_envelope_mark(
        _ENVELOPE_WORDS,
        "[_:.-]",
        '<agent_internal_context source="goal">\nGo on with the goal.\n</agent_internal_context>',
        "<product-card>\nWhy does this not centre?\n</product-card>",
    ),
    _build_envelope_mark(
        f"{_ENVELOPE_WORDS}|{_PAGE_WORDS}",
        "_",
        "<background_status>\nThe build is red.\n</background_status>",
        "<status-bar>\nWhy does this not centre?\n</status-bar>",
    ),
)
_WRAPPED = (
    *(
        Mark(
            host=ANY,
            kind=SpeakerKind.BLOCK,
            sign=name,
            speaker=_PERSON,
            example=f"<{name}>\n{SAID}\n</{name}>",
            counter=f"What does <{name}> mean?",
        )
        for name in (
            "user_query",
            "user_input",
            "USER_REQUEST",
            "user_message",
            "user-query",
            "userRequest",
        )
    ),
    *(
        Mark(
            host=ANY,
            kind=SpeakerKind.BLOCK,
            sign=name,
            speaker=_PROGRAM,
            example=f"<{name}>\nnot theirs\n</{name}>\n{SAID}",
            counter=f"What does <{name}> mean?",
        )
        for name in """
            environment_details ADDITIONAL_METADATA USER_SETTINGS_CHANGE attached_files
            open_and_recently_viewed_files additional_data current_file
            manually_attached_selection system_reminder editorContext reminderInstructions
            supermemory-context claude-mem-context mem0-context relevant-memories
            relevant_memories recalled_memories hindsight_memories honcho-memory
            memory-guidance automem_session_context current_datetime hook_result
            additional_context
        """.split()
    ),
)
#: Texts of programs in the place of a person's words, in whichever tag.
_SAID_FOR = (
    Mark(
        host=ANY,
        kind=SpeakerKind.WHOLE,
        sign=r"The above subagent results? (?:is|are) already visible to the user\.",
        speaker=_PROGRAM,
        example=(
            "The above subagent result is already visible to the user. DO NOT reiterate it unless "
            "asked."
        ),
        counter="The above subagent result is wrong.",
    ),
    Mark(
        host=ANY,
        kind=SpeakerKind.WHOLE,
        sign=r"\[(?:SYSTEM|AUTOMATED|AUTO|INTERNAL) (?:REMINDER|DIRECTIVE|NOTE|NOTICE|MESSAGE|EVENT"
        r"|INSTRUCTION|CONTEXT|UPDATE)S?\b"
        r"[^\]\n]{0,120}\]",
        speaker=_PROGRAM,
        example="[SYSTEM REMINDER - TODO CONTINUATION]\n\nGo on with the next task.",
        counter="[system reminder] is what I see in red.",
    ),
    # A plugin signs its texts with a comment that is not displayed.
    Mark(
        host=ANY,
        kind=SpeakerKind.WHOLE,
        sign=r"(?s:.*)<!-- *[A-Z][A-Z\d]*_INTERNAL_[A-Z_]{1,60} *-->\s*\Z",
        speaker=_PROGRAM,
        example="Go on with the next task.\n<!-- OMO_INTERNAL_INITIATOR -->",
        counter="What is <!-- OMO_INTERNAL_INITIATOR --> for?",
    ),
)
_FRONTS = (
    # `[Telegram Kim id:123 Wed 2026-02-11 10:23 KST] `: the sender and the time.
    Mark(
        host=ANY,
        kind=SpeakerKind.FRONT,
        sign=r"[\[【][^\]】\n]{0,120}\d{4}-\d\d-\d\d[T ,]{1,2}\d\d:\d\d[^\]】\n]{0,40}[\]】]:?\s*",
        speaker=_PROGRAM,
        example=f"[Telegram Kim id:123 Wed 2026-02-11 10:23 KST] {SAID}",
        counter="[2026-02-11] was the day",
    ),
    Mark(
        host=ANY,
        kind=SpeakerKind.FRONT,
        sign=r"\[(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? "
        r"[^\]\n]{0,40}\d{1,2}:\d\d[^\]\n]{0,30}\]:?\s*",
        speaker=_PROGRAM,
        example=f"[Wed, Feb 11, 2026, 10:23 KST] {SAID}",
        counter="[Wed] is the day",
    ),
    Mark(
        host=ANY,
        kind=SpeakerKind.FRONT,
        sign=r"<(?:timestamp|current_time|message_time|sent_at)>[^<\n]{1,80}</(?:timestamp"
        r"|current_time|"
        r"message_time|sent_at)>\s*",
        speaker=_PROGRAM,
        example=f"<timestamp>2026-02-11T10:23:00Z</timestamp>\n{SAID}",
        counter="What does <timestamp> mean?",
    ),
)


def _build_brief_mark(group: str, sign: str, example: str, counter: str) -> Mark:
    return Mark(
        host=ANY,
        kind=SpeakerKind.BRIEF,
        sign=sign,
        speaker=_PROGRAM,
        example=example,
        counter=counter,
        values=(group,),
    )


#: Signs of a program's first prompt that no other mark recognises: signs of two of these groups are
#: needed. A person's own words have a sign of one group at most.
_BRIEFS = (
    _build_brief_mark(
        "role",
        (
            r"\s*(?:#+ [^\n]{0,80}\n\s*)?(?:You are (?:a|an|the) |Your (?:task|job|role) is to "
            r"|당신은 [^\n]{1,60}입니다)"
        ),
        "You are a precise classifier of support tickets.",
        "Are you a classifier?",
    ),
    _build_brief_mark(
        "role",
        r"\s*(?:Analyz?s?e|Classify|Extract|Summari[sz]e|Translate|Score|Grade|Review|Label"
        r"|Rate) the "
        r"(?:following|text|content|diff) ?"
        r"[\w -]{0,60}:",
        "Classify the following ticket:",
        "Classify the tickets for me, please.",
    ),
    _build_brief_mark(
        "contract",
        r"(?i)(?s:.*?)\b(?:output|respond|reply|answer|return)\b[^.\n]{0,40}\b(?:only|exactly"
        r"|strictly|"
        r"nothing (?:else|but))\b",
        "Score it.\nRespond with only a number.",
        "Answer me when you can.",
    ),
    _build_brief_mark(
        "contract",
        r"(?i)(?s:.*?)\b(?:no (?:preamble|prose|explanation|markdown|commentary|other text)|do not "
        r"(?:include|add|output|write) any|"
        r"(?:valid|strict|raw) json)\b",
        "Score it. No preamble.",
        "I have no idea.",
    ),
    _build_brief_mark(
        "contract",
        r"(?s:.*?)(?:만 출력|만 답(?:하|해)|외(?:에는)? (?:아무것도|다른)|JSON(?:으로|만))",
        "점수만 출력하세요.",
        "점수를 알려 줘.",
    ),
    _build_brief_mark(
        "quote",
        r"(?i)(?s:.*?)<(?:conversation|transcript|messages|session|chat_history|history|dialogue|"
        r"observed_[\w-]+|document|ticket|input|"
        r"diff|content|text|article|email)(?:\s[^<>\n]{0,200})?>",
        "Here it is: <conversation>\nhi\n</conversation>",
        "Here is the conversation: hi",
    ),
    _build_brief_mark(
        "quote",
        r"(?s:.*?)^(?:User|Human|사용자): [^\n]*\n(?s:.*?)^(?:Assistant|AI|Claude|Agent|어시스턴트): ",
        "Here it is:\nUser: hi\nAssistant: hello\n",
        "User: hi",
    ),
)

MARKS = (*_MEMORIES, *_TITLES, *_ENVELOPES, *_SAID_FOR, *_WRAPPED, *_FRONTS, *_BRIEFS)

"""Signs beside a model's reading that a use of a tool is what a rule means, or is not.

A model that reads a rule and a command together takes the twin of what is forbidden for the thing
itself: a trial run, the same deed on staging, a look where a change was forbidden, what the rule
allows in its next words. So what it says is weighed with signs that stand in the words, and with
whether the rule names the use by a command, a path or a deed. The weights were fitted
(`benchmarks/rule_signs.py`).
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from gieok.text.gates import vocabulary
from gieok.text.gates.action import Action
from gieok.text.gates.tool_names import names_tool
from gieok.text.gates.verdict import ToolAttempt, ToolStep
from gieok.text.late_pattern import defer_pattern
from gieok.text.stem import stem_english_word

#: A chance closer to 0 or 1 than this says no more.
_SUREST = 0.001


class SignPattern(NamedTuple):
    """Pattern with a text in which it stands, and one in which it does not."""

    pattern: re.Pattern[str]
    example: str
    counter_example: str


#: What only tries, shows or prepares what a use would do.
TRIAL = SignPattern(
    defer_pattern(
        r"(?i)--(?:dry-?run|check|preview|help|list|diff|noop|what-?if|plan|validate|no-send|print"
        r"|simulate|test|version|explain|read-?only|no-push|local)\b"
        r"|\bdry_?run|\bpreview\b|\bdraft|\bplan\b|\bbegin;.*rollback|\bexplain\b"
    ),
    "python scripts/mailer.py --preview",
    "python scripts/mailer.py --send",
)
#: Places beside the one that rules are about: where things are tried, and copies.
ELSEWHERE = SignPattern(
    defer_pattern(
        r"(?i)(?<![a-z])(?:staging|stage|stg|dev|local|localhost|127\.0\.0\.1|tests?|tmp|temp"
        r"|sandbox|scratch|dummy|fake|demo|mock|sample|drafts?|backup|copy|preview|minikube|kind"
        r"|fixtures?|playground|사본|복사본|초안|작업본|임시|연습|테스트|개발)(?![a-z])"
    ),
    "psql -h stg-db -c 'drop table x'",
    "psql -h prod-db -c 'drop table x'",
)
#: Words of a rule that is about looking.
ABOUT_READING = SignPattern(
    defer_pattern(
        r"(?i)\b(?:read|open|look|peek|view|inspect|print|display|brows|scrap|cat)"
        r"(?:e?s|e?d|ing)?\b|읽|열어|열지|열람|보지|들여다|출력|긁|노출|조회|크롤"
    ),
    "secrets 폴더는 절대 열어보지 마",
    "deployments are mine",
)
#: Words of a rule for which looking is fine.
READ_ONLY = SignPattern(
    defer_pattern(f"(?i){vocabulary.READ_ONLY}"),
    "the nas is read only for you",
    "don't read the wiki",
)
#: Names of tools that look.
READING_TOOL = SignPattern(
    defer_pattern(
        r"(?:^|_)(?:get|list|read|search|find|fetch|view|query|describe|count|check|preview"
        r"|validate|snapshot|screenshot|history|freebusy|status|lookup|show|draft|grep|glob)(?:_|$)"
    ),
    "search_messages",
    "send_message",
)
#: Statements that a database only answers, and those by which it changes.
ASKS_DATABASE = SignPattern(
    defer_pattern(r"(?i)\b(?:select|explain|show|describe)\b"),
    "psql -c 'select 1'",
    "psql -c 'drop table x'",
)
CHANGES_DATABASE = SignPattern(
    defer_pattern(
        r"(?i)\b(?:update|insert|delete|alter|drop|create|truncate|grant|merge|vacuum|reindex"
        r"|analyze|call)\b"
    ),
    "psql -c 'drop table x'",
    "psql -c 'select 1'",
)
#: Options by which `curl` changes something on the other side.
SENDS_REQUEST = SignPattern(
    defer_pattern(r"(?:^|\s)(?:-X|--request|--method|-d|--data\S*|-F|-T|--json|--upload-file)\b"),
    "-s -X POST https://api.example/x",
    "-s https://api.example/x",
)
#: Words that are written as names: with a digit, or joined parts, or as a path.
WRITTEN_NAME = SignPattern(
    defer_pattern(r"\d|[a-z][_./-][a-z]|/$|^\."),
    "bastion-2",
    "billing",
)

SIGNS = (
    TRIAL,
    ELSEWHERE,
    ABOUT_READING,
    READ_ONLY,
    READING_TOOL,
    ASKS_DATABASE,
    CHANGES_DATABASE,
    SENDS_REQUEST,
    WRITTEN_NAME,
)

#: Subcommands that look, whatever the program.
_LOOKING = frozenset(
    """
    list ls status get show search query diff log agenda check history describe info view logs
    inspect stat stats validate verify plan export download fetch cat tree outdated graph lint
    events tail calendar report count find read
    """.split()
)
_LOOKING_PREFIXES = ("get-", "list-", "describe-", "show-")
#: Programs that only lead to another one, or to another machine.
_LEADING = frozenset(("ssh", "sudo", "cd", "sleep", "set"))
_FILE_TOOLS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_WORD = defer_pattern(r"[A-Za-z]+|\d+|[가-힣]+")
_NAME = defer_pattern(r"[A-Za-z0-9_.*@~/#-]+")
_CAPITAL = defer_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTICLES = defer_pattern(
    r"(?:은|는|이|가|을|를|에|의|도|만|로|으로|에서|에는|하고|한테|부터|까지|이랑|랑|과|와|께|에게|엔|들|님|쪽"
    r"|이나|나|든|면|지|고)+$"
)
#: A Latin word in a Korean sentence is a name, but for these.
_NO_NAMES = frozenset("sql api mcp ask ok pr ssh url csv the and for gpu".split())
_SHORTEST_NAME = 3
#: Words that say nothing of what a rule is about.
_EMPTY_WORDS = frozenset(
    """
    the a an and or of to in on at by for with from into onto is are was be been it its this that
    these those i me my mine you your we our us they them their he she his her do not don does never
    no nothing anything anyone nobody only just please ask asking before without first until unless
    if when whenever ever always must should can may want need let leave stay keep one any all every
    each some something someone other else own hand touch get got go come out off up over under
    about there here what which who where then than so but too also even still yes okay ok say said
    tell told show check run use work stuff thing time day today now new old make see look like know
    two three job sign wait call through after between again while back way will would has have had
    more most much very left right mcp bash python sh http https com www org example api bin usr
    home file edit write net true false json data id name text type
    나 내 그 저 제 이 것 거 게 걸 말 줘 때 전 먼저 직접 절대 무조건 항상 그냥 확인 그건 이건 우리 하나 하지 마 말고
    주세요 마세요 물어 물어보고 허락 승인 보고 한번 다시 진짜 일 사람 앞 뒤 보여 알려 기다려 나한테
    """.split()
)


class RuleWords(NamedTuple):
    """What a rule forbids, in the user's words, and what is said to be fine beside it.

    `sentence` is the whole sentence, in which what `it` stands for may be named.
    """

    forbidden: str
    allowed: str
    sentence: str = ""


class UseSigns(NamedTuple):
    """Signs of a use under a rule, each 0 or 1; the first is what a use has without any.

    `by_words`: the rule names the use; `by_path`, `by_tool`, `by_command`: it names the file and
    what must not happen to it, the tool, or the command with a word or an option behind it.
    `looks`: the tool looks, or the whole line only shows something; `a_step_looks`,
    `all_steps_look`: their subcommands do; `looked_for`: the use looks, and the rule is about
    looking. `names_other`: the rule has names, and the use has none of them. `allowed_word`,
    `allowed_name`: the use has words and names of what is said to be fine, and not those of what
    is forbidden. `edits`, `edits_named`: it edits a file, of which the rule has a word.
    """

    base: float
    by_words: float
    by_path: float
    by_tool: float
    by_command: float
    looks: float
    looked_for: float
    a_step_looks: float
    all_steps_look: float
    asks_database: float
    tries: float
    elsewhere: float
    names_other: float
    allowed_word: float
    allowed_name: float
    edits: float
    edits_named: float


#: What each sign adds to the log-odds, and how much those of the reader count: as
#: `benchmarks/rule_signs.py` fits them, but for what names a use beyond its words. Of uses whose
#: file a rule of these hands names, 145 of 160 break it; of tools, 9 of 9; of commands as they are
#: typed, 16 of 19: such a use is asked about unless the reader and other signs speak against it.
WEIGHTS = UseSigns(
    base=0.96,
    by_words=0.64,
    by_path=2.5,
    by_tool=2.5,
    by_command=1.2,
    looks=-1.92,
    looked_for=0.42,
    a_step_looks=-0.87,
    all_steps_look=-0.67,
    asks_database=-0.51,
    tries=-1.16,
    elsewhere=-0.86,
    names_other=-0.74,
    allowed_word=-0.87,
    allowed_name=-0.65,
    edits=-1.15,
    edits_named=0.6,
)
READER_WEIGHT = 0.52


def weigh_signs(signs: UseSigns, chance: float) -> float:
    """Return the chance that a use is what a rule means, from its signs and the reader's chance."""
    odds = READER_WEIGHT * measure_log_odds(chance)
    odds += sum(sign * weight for sign, weight in zip(signs, WEIGHTS, strict=True))
    return 1 / (1 + math.exp(-odds))


def measure_log_odds(chance: float) -> float:
    """Return the log-odds of a chance, within what a model can tell."""
    held = min(max(chance, _SUREST), 1 - _SUREST)
    return math.log(held / (1 - held))


def split_rule_words(sense: str, allowed: Sequence[str], sentence: str = "") -> RuleWords:
    """Return what the words of a rule forbid and what they allow.

    `sense` is all that a message states of rules, in which the allowed words may stand.
    """
    forbidden = sense
    for words in allowed:
        forbidden = forbidden.replace(words, " ")
    return RuleWords(forbidden, " ".join(allowed), sentence)


def find_signs(
    rule: RuleWords, use: ToolAttempt, described: str, acting: Sequence[Action] = ()
) -> UseSigns:
    """Return the signs of a use under a rule.

    `described` is the use as a model reads it; `acting` are the actions of the rule by which it
    names the use.
    """
    doing = use.list_doing_steps()
    steps = _list_work(doing)
    looks = [_only_looks(step) for step in steps]
    name = "" if use.command else _find_tool_name(use.tool)
    is_looking = not doing or _stands_in(READING_TOOL, name) or any(map(_only_fetches, steps))
    lowered = described.lower()
    words = _list_words(rule.forbidden)
    found = _list_latin_stems(described)
    names = _list_names(rule.forbidden)
    fine_words = _list_words(rule.allowed) - words
    fine_names = _list_names(rule.allowed) - names
    edits = not use.command and use.tool in _FILE_TOOLS
    is_read = _stands_in(ASKS_DATABASE, described) and not _stands_in(CHANGES_DATABASE, described)
    has_trial = _stands_in(TRIAL, described) and not _stands_in(TRIAL, rule.forbidden)
    about_reading = _stands_in(ABOUT_READING, rule.forbidden)
    asks_to_look = about_reading and not _stands_in(READ_ONLY, rule.forbidden)
    by_path = any(
        (action.paths and action.deed and not action.commands) or (action.hosts and asks_to_look)
        for action in acting
    )
    if by_path:  # what the rule says of the file is what the use does to it, be it to look
        looks, is_looking = [], False
    by_tool = any(action.tools for action in acting) or (
        not use.command and names_tool(rule.forbidden, f"{rule.sentence} {rule.allowed}", use.tool)
    )
    allowed_name = any(each in lowered for each in fine_names)
    names_other = bool(names) and not any(each in lowered for each in names)
    is_elsewhere = bool(_list_elsewhere(described) - _list_elsewhere(rule.forbidden))
    # A name of another thing or place, or of what is fine, and the use may be its twin.
    is_it = not (allowed_name or names_other or is_elsewhere)
    flags = UseSigns(
        base=True,
        by_words=bool(acting) or (by_tool and is_it),
        by_path=by_path,
        by_tool=by_tool and is_it,
        by_command=is_it and any(map(_is_typed, acting)),
        looks=is_looking,
        looked_for=is_looking and about_reading,
        a_step_looks=any(looks),
        all_steps_look=bool(looks) and all(looks),
        asks_database=is_read,
        tries=has_trial,
        elsewhere=is_elsewhere,
        names_other=names_other,
        allowed_word=any(_mentions_word(word, found, described) for word in fine_words),
        allowed_name=allowed_name,
        edits=edits,
        edits_named=edits and any(_mentions_word(word, found, described) for word in words),
    )
    return UseSigns(*map(float, flags))


def _is_typed(action: Action) -> bool:
    """Return whether a rule has the command as it is typed, and not its program alone."""
    return any(
        row.is_literal and (row.words or row.flags or row.lacks or row.sql)
        for row in action.commands
    )


def _stands_in(sign: SignPattern, text: str) -> bool:
    return sign.pattern.search(text) is not None


def _list_work(steps: Sequence[ToolStep]) -> list[ToolStep]:
    """Return the steps of a command line but those that only lead to another one."""
    return [
        step
        for step in steps
        if step.invocation is not None and step.invocation.program not in _LEADING
    ]


def _only_looks(step: ToolStep) -> bool:
    words = step.parsed.words[:3] if step.parsed is not None else []
    return any(word in _LOOKING or word.startswith(_LOOKING_PREFIXES) for word in words)


def _only_fetches(step: ToolStep) -> bool:
    """Return whether a step asks a server for something, and sends nothing."""
    if step.invocation is None or step.invocation.program != "curl":
        return False
    return not _stands_in(SENDS_REQUEST, " ".join(step.invocation.arguments))


def _find_tool_name(tool: str) -> str:
    """Return the own name of a tool, without its server, in small letters joined by underscores."""
    return _CAPITAL.sub("_", tool.rpartition("__")[2]).lower()


def _list_elsewhere(text: str) -> frozenset[str]:
    return frozenset(match[0].lower() for match in ELSEWHERE.pattern.finditer(text))


def _list_latin_stems(text: str) -> frozenset[str]:
    """Return the stems of the Latin words of a text, and its numbers."""
    words = (match[0].lower() for match in _WORD.finditer(_CAPITAL.sub(" ", text)))
    return frozenset(stem_english_word(word) for word in words if word.isascii())


def _list_words(text: str) -> frozenset[str]:
    """Return the words that say what a rule is about: English stems, and Korean nouns."""
    found = set()
    for match in _WORD.finditer(_CAPITAL.sub(" ", text)):
        word = match[0].lower()
        stem = stem_english_word(word) if word.isascii() else _PARTICLES.sub("", word) or word
        if len(stem) > 1 and _EMPTY_WORDS.isdisjoint((word, stem)):
            found.add(stem)
    return frozenset(found)


def _mentions_word(word: str, stems: frozenset[str], text: str) -> bool:
    """Return whether a word of a rule stands in a use: a Korean one also within a word."""
    return word in stems if word.isascii() else word in text


def _list_names(text: str) -> frozenset[str]:
    """Return the words of a rule that are written as names, and Latin words in Korean."""
    is_korean = re.search(r"[가-힣]", text) is not None
    found = set()
    for match in _NAME.finditer(text):
        name = match[0].rstrip(".,:;#*").lower()
        is_number = re.fullmatch(r"\d{1,2}", name) is not None
        is_foreign = is_korean and len(name) >= _SHORTEST_NAME and name not in _NO_NAMES
        if len(name) > 1 and not is_number and (is_foreign or _stands_in(WRITTEN_NAME, name)):
            found.add(name.strip("/"))
    return frozenset(found - {""})

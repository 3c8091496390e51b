"""Reads what a user said into rules about actions; whatever is no rule in so many words is none.

A rule has a form (`forms`: never, don't, ask me first) and names something that can be done
(`objects`). What stands in a condition, an exception or a reason is not what is forbidden: a
branch, an environment, a folder, a day or an end narrows the rule, and a condition that nobody can
check makes it ask instead of stop.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from gieok.text import binding
from gieok.text.gates import forms, touched
from gieok.text.gates.action import ANY, ASK, EXACT, Action, ActionRule, CommandPattern
from gieok.text.gates.deeds import DEEDS, KnownDeed, build_deed_patterns
from gieok.text.gates.exceptions import drop_wider_exceptions
from gieok.text.gates.objects import NamedObjects, find_objects, list_needed_options
from gieok.text.gates.places import (
    blank_scope_words,
    drop_own_machine,
    find_days,
    find_hours,
    find_place,
    find_rule_end,
    holds_everywhere,
)
from gieok.text.gates.prose import list_own_sentences, split_korean_rules
from gieok.text.gates.reading import (
    FormReading,
    drop_doers,
    drop_reasons,
    has_foreign_head,
    is_form,
    match_form,
    read_form,
)
from gieok.text.gates.residue import list_unread_words
from gieok.text.gates.subjects import read_with_subject
from gieok.text.gates.vocabulary import FLAGS

_LONGEST_SENTENCE, _LONGEST_TURN = 320, 1_200
_LABEL = (
    r"(?ai)^\W*(?:(?:hard |house |general |our |new |one )?(?:rule|reminder|note|important|규칙"
    r"|원칙|주의|중요)\s?(?:\d+)?[:：]\s*)"
)
#: An instruction for the work at hand, and none for good.
_ONCE = (
    r"(?ai)\b(?:yet|this time|for now|right now|just now|for the moment|at the moment|this once"
    r"|just once|for once|here|until (?:then|i'?m back|we'?re done|it'?s done)"
    r"|this (?:one|pr|mr|pull request|task|ticket|issue|change|commit|session|round|run|branch"
    r"|feature|fix|refactor(?:ing)?|conversation|chat|step|part|file|function|test|diff|patch))\b"
    r"|\b(?<!from )(?<!by )now\b(?! and)"
    r"|^(?!.*\bn?ever\b).*\bagain\b"
    r"|이번|지금은|지금만|지금(?!부터)|아직|일단|당장|잠깐|잠시|방금|다시(?!는)|여기서?|(?<![가-힣])이\s?(?:거|건|PR|피알|작업|커밋|파일"
    r"|함수|브랜치)"
)
#: A question in form, a request in fact.
_POLITE = (
    r"(?ai)^\W*(?:(?:also|and|hey|please|so|but)[\s,]+)*(?:can|could|would|will) you (?:please )?"
    r"(?:not|never|stop|avoid|ask|check with|refrain|keep)\b"
    r"|(?:봐|받아|말아|말해|알려)\s?(?:줄래|주실래|주시겠|주실\s?수|줄\s?수)\S*(?:\s있\S*)?[?？\s]*$"
)
#: Asks behind a sentence whether it was heard. "Right?" asks whether it is so, and is none.
_HEARD = (
    r"(?ai)(?:\s*[,;–—-]\s*(?:ok(?:ay)?|k|alright|all right|got (?:it|that)"
    r"|understood)|,?\s(?:알겠지|알았지|알겠죠|알았죠|알겠어|알았어|오케이|ㅇㅋ)요?)\s*[?？]+\s*$"
)
#: A sentence that takes back what the turn said before.
_RETRACTS = (
    r"(?ai)^\W*(?:(?:actually|oh|no|wait|ok(?:ay)?|well|but|and|so"
    r"|hm+)[\s,.]*)*(?:forget (?:that|it|about"
    r" (?:that|it)|i said)|never ?mind|scratch that|ignore (?:that|this)|disregard|just kidding"
    r"|kidding|i take (?:that|it) back|i was wrong|that'?s (?:over|no longer|not (?:true"
    r"|needed)))\b"
    r"|^\W*(?:아니다|아니야|아\s?아니|취소|무시해|없던|농담|그건\s?(?:취소|됐|아니|옛|예전|이제)|신경\s?쓰지)"
)
#: A sentence that makes the rule of somebody else the agent's: "team notice: … 너도 지켜줘".
_ADOPTS = (
    r"(?ai)^\W*(?:너도|너한테도|너에게도|에이전트도|그러니까?\s너도)\s.{0,12}?(?:지켜|따라|해당|적용|마찬가지)"
    r"|^\W*(?:(?:and|so)\s)?(?:(?:that|this|it|which) (?:goes|applies|includes|holds|counts)"
    r"(?: for| to)? you\b|(?:that|this) means you\b|you too\b|same (?:goes )?for you\b)"
)
#: Between a permission and the rule behind it.
_PERMISSION_END = r"(?ai)[,;–—]\s+(?:but |and |just )?|\s+but\s+|(?<=[는은된인]데)\s+|(?<=지만)\s+"
#: Endings of a permission that goes on, in Korean, for which the ending of a sentence is read.
_LINKS_KO = ((r"(?:되는데|된데|되지만)$", "돼"), (r"(?:은데|는데|지만)$", ""))
#: A rule without a verb of its own: "just never to main".
_BARE_RULE = r"(?ai)^(never|not) (?=(?:to|in|on|from|into|at)\b)"
#: The verb of a permission: "you can push without asking".
_ALLOWED_DEED = r"(?ai)\b(?:can|may|to|allowed to|ahead and) ([a-z]+)\b"
#: "only in build/": what is forbidden is everywhere else.
_ONLY_THERE = r"(?ai)\bonly (?:in|inside|on|to|from|for|with|under|within|at|by)\b"
_IN_FOLDER = r"(?ai)\b(?:in|inside|under|below|within|anything|from|on)\b|안|밑|아래|하위|내부|에서"
_OUTSIDE_EN = (
    r"(?ai)\b(?:outside(?: of)?|anywhere (?:but|except)(?: in)?)\s(?:the\s)?"
    r"(?!(?:business|office|working|work)\shours|(?:this|our|my|current|project|repo"
    r"|workspace)\b)(`?[\w@./*-]+`?)"
    r"(?: folder| directory)?"
)
#: Words around a condition that make it an occasion: "when you commit", 커밋할 때.
_OCCASION = r"(?ai)\b(?:when|whenever|while|during)\s*$"
_OCCASION_KO = r"\s?(?:때|동안|중에)"
#: Environments that may be called like a branch.
_ENVIRONMENT_NAMES = ("prod", "production", "staging", "dev")
_OUTSIDE_KO = r"(?a)((?!프로젝트|레포|저장소|리포)[\w@./*-]+)\s?(?:폴더\s?)?(?:밖|외부|바깥)(?:에서|에|의|은|는)?"


def read_action_rules(text: str, said_on: date) -> list[ActionRule]:
    """Return the rules about actions that a user states in a message, said on a day.

    The message is as it was written, with its line breaks.
    """
    if not may_state_action_rule(text) or binding.is_played(text):
        return []
    rules: list[ActionRule] = []
    is_rule_before = False
    own = list_own_sentences(text)
    sentences = [part for sentence in own for part in split_korean_rules(sentence)]
    for number, sentence in enumerate(sentences, start=1):
        before = sentences[number - 2] if number > 1 else ""
        rule = _read_rule_with_subject(sentence, before, text, said_on)
        rule = rule or _read_rule_sentence(sentence, said_on)
        if rule is None and any(re.match(_ADOPTS, one) for one in sentences[number : number + 1]):
            rule = _read_adopted_rule(sentence, said_on)
        if rule is not None:
            rules.append(rule)
        elif re.match(_RETRACTS, sentence):
            rules.clear()
        elif is_rule_before and rules and _loosens_rule_before(sentence):
            narrowed = _narrow_rule(rules.pop(), sentence)
            rules += [narrowed] if narrowed else []
        else:
            is_rule_before = False
        is_rule_before = is_rule_before or rule is not None
    return rules


def _loosens_rule_before(sentence: str) -> bool:
    """Return whether a sentence behind a rule allows something, or says that the rule is past."""
    spoken = tidy_sentence(sentence)
    marks = (forms.ALLOWS, forms.OFFERS, forms.PAST_RULE)
    return any(re.search(mark, spoken) for mark in marks) and not is_form(spoken)


def _narrow_rule(rule: ActionRule, sentence: str) -> ActionRule | None:
    """Return a rule with what the next sentence allows; None where that is not understood."""
    spoken = tidy_sentence(sentence)
    found = find_objects(spoken)
    if re.search(forms.PAST_RULE, spoken):
        return None
    if _is_other_branch(spoken, [name for action in rule.actions for name in action.branches]):
        return rule
    if not _is_read_exception(spoken):
        is_other = not (re.search(forms.ALLOWS, spoken) or re.search(forms.REPEATS, spoken))
        return rule if is_other and not _shares_command(rule, found) else None
    own = [pattern for action in rule.actions for pattern in action.commands]
    fine = drop_wider_exceptions(build_exceptions(found, own), rule.actions)
    rule.unless = (*rule.unless, *fine)
    return rule


def _shares_command(rule: ActionRule, found: NamedObjects) -> bool:
    own = {pattern.program for action in rule.actions for pattern in action.commands}
    others = [*found.literals, *(p for deed in found.deeds for p in build_deed_patterns(deed))]
    return not own.isdisjoint(pattern.program for pattern in others)


def _is_other_branch(text: str, branches: Sequence[str]) -> bool:
    """Return whether a text only allows another branch than those that a rule names."""
    named = re.search(r"(?ai)([\w./*-]+)\s?(?:branch(?:es)?\b|브랜치)", text)
    if not (named and branches) or named[1].lower() in branches:
        return False
    if re.search(rf"{forms.EN_CONDITION}|\b(?:from|on|by|with)\b|면(?:\s|$)|에서", text, FLAGS):
        return False
    rest = f"{text[: named.start()]} {text[named.end() :]}"
    rest = re.sub(forms.OFFERS, " ", re.sub(forms.ALLOWS, " ", rest))
    return not list_unread_words(find_objects(rest).rest)


def _is_read_exception(text: str) -> bool:
    """Return whether what a text allows is understood, and all of it."""
    found = find_objects(text)
    is_named = not found.is_empty or bool(found.branches or found.environments)
    rest = re.sub(forms.OFFERS, " ", re.sub(forms.ALLOWS, " ", found.rest))
    return is_named and not found.is_guess and not list_unread_words(rest)


def may_state_action_rule(text: str) -> bool:
    """Return whether a message, or the line that it was stored as, may state or lift a rule."""
    return len(text) <= _LONGEST_TURN and is_form(tidy_sentence(text))


def keep_holding_rules(turns: Iterable[tuple[str, date]]) -> list[ActionRule]:
    """Return the rules that hold after some turns, oldest first.

    A rule ends when a later turn lifts it, or says something else about the same actions.
    """
    held: list[ActionRule] = []
    for text, said_on in turns:
        fresh = read_action_rules(text, said_on)
        held = [rule for rule in held if not is_ended_by(rule, text, fresh)] + fresh
    return held


def is_ended_by(rule: ActionRule, text: str, fresh: Sequence[ActionRule]) -> bool:
    """Return whether a later message, which states `fresh`, lifts a rule or takes its place.

    It must be about the very same actions, in the same scope: what is allowed on one branch ends
    no rule about all of them.
    """
    if any(_has_same_scope(rule, later) for later in fresh):
        return True
    return any(_lifts_rule(rule, sentence) for sentence in list_own_sentences(text))


_SCOPE = ("actions", "unless", "needed", "days", "hours", "folder", "project", "branches")


def _has_same_scope(rule: ActionRule, later: ActionRule) -> bool:
    if later.until and later.until != rule.until:
        return False  # an end that was said later is no end of what was said without one
    own, other = rule.build_row(), later.build_row()
    return all(own.get(name) == other.get(name) for name in _SCOPE)


def _lifts_rule(rule: ActionRule, sentence: str) -> bool:
    """Return whether a sentence allows the agent, in so many words, just what a rule forbids.

    A sentence with any negation, or about somebody else, allows nothing.
    """
    if (
        not binding.lifts(sentence)
        or rule.days
        or rule.hours
        or rule.folder
        or rule.project
        or rule.branches
    ):
        return False
    if binding.names_once(sentence):
        return False
    sentence = binding.cut_permission(sentence)
    if any(re.search(words, sentence) for words in (_NEGATION, _ABOUT_OTHERS, _STILL_FORBIDDEN)):
        return False
    lifted = find_objects(tidy_sentence(sentence))
    if set(list_unread_words(lifted.rest)) - _LIFTING_WORDS or re.search(_ONLY_THERE, sentence):
        return False
    own = [action.build_row() for action in rule.actions]
    # Of a rule whose words name nothing, no words tell that just this is allowed.
    return bool(own) and [action.build_row() for action in build_actions(lifted)] == own


_NEGATION = (
    r"(?ai)\b(?:not?|never|nor|neither|nobody|none|nothing|without|cannot|cant|dont|hardly|unless"
    r"|except)\b|n['’]t\b|(?<![가-힣])(?:안|못)(?![가-힣])|지\s?(?:는|도)?\s?(?:마|말|않|못)|없|아니|말고"
)
_STILL_FORBIDDEN = r"(?ai)\b(?:forbid\w*|prohibit\w*|bann?ed|off[- ]limits|avoid|stop|quit)\b|금지"
#: Somebody but the agent, or the two of them, may do it.
_ABOUT_OTHERS = (
    r"(?ai)\b(?:i|me|my|mine|myself|he|him|his|she|her|they|them|their|anyone|anybody|everyone"
    r"|everybody|someone|somebody|only)\b"
    r"|(?<![가-힣])(?:나|저|내|제|난|전|누구|걔|얘|쟤|그들?)(?:가|는|도|만|의|나|든지?)?(?![가-힣])|[가-힣](?:만|님[은이])\s"
)
#: Words by which a sentence says that a rule is over.
_LIFTING_WORDS = frozenset(
    "again now longer anymore feel free lifted drop scrap cancel revoke ban freeze restriction "
    "policy over "
    "이제 이제는 다시 더이상 해제 취소 폐지 그만".split()
)


def _read_rule_sentence(sentence: str, said_on: date) -> ActionRule | None:
    spoken, bracketed = _take_brackets(_drop_first_permission(tidy_sentence(sentence)))
    if len(spoken) > _LONGEST_SENTENCE or _is_no_rule(spoken):
        return None
    until = find_rule_end(spoken, said_on)
    own = drop_reasons(spoken)
    if not until and (re.search(_ONCE, own) or binding.names_moment(own)):
        return None
    reading = read_form(spoken)
    if reading is None:
        return None
    reading = reading._replace(allowed=(*reading.allowed, *bracketed))
    outside = re.search(_OUTSIDE_EN, reading.text) or re.search(_OUTSIDE_KO, reading.text)
    if outside:
        rest = f"{reading.text[: outside.start()]} {reading.text[outside.end() :]}"
        reading = reading._replace(
            text=rest, exceptions=(*reading.exceptions, f"edit {outside[1]}")
        )
    if has_foreign_head(spoken, reading.front) or _is_half_read(reading, until):
        return None
    found = find_objects(reading.text)
    if found.is_crossed:
        return None
    if outside and not (found.literals or found.deeds):
        found = found._replace(paths=("**",))
    return _build_rule(sentence, spoken, reading, found, until)


def _read_rule_with_subject(
    sentence: str, before: str, text: str, said_on: date
) -> ActionRule | None:
    """Return the rule of a sentence whose *it* is named by its reason, or by the sentence before.

    `text` is the message: both sentences are quoted, where they stand beside each other.
    """
    both = f"{before} {sentence}"
    for said in (sentence, both) if before and both in text else (sentence,):
        named = read_with_subject(said)
        rule = _read_rule_sentence(named, said_on) if named else None
        if rule is not None:
            rule.text = said
            return rule
    return None


def _read_adopted_rule(sentence: str, said_on: date) -> ActionRule | None:
    """Return the rule that a sentence brings from somebody else, behind a colon."""
    _, _, brought = sentence.partition(": ")
    rule = _read_rule_sentence(brought, said_on) if brought else None
    if rule is not None:
        rule.text = sentence
    return rule


def _drop_first_permission(spoken: str) -> str:
    """Return a sentence without a first clause by which nothing need be asked.

    Example: "it's fine to commit without asking me, but pushing is mine".
    """
    first, *rest = re.split(_PERMISSION_END, spoken, maxsplit=1)
    for link, ending in _LINKS_KO:
        first = re.sub(link, ending, first)
    if not rest or not binding.allows_only(first):
        return spoken
    deed = re.search(_ALLOWED_DEED, first)
    return re.sub(_BARE_RULE, rf"\1 {deed[1]} ", rest[0]) if deed else rest[0]


def _build_rule(
    sentence: str, spoken: str, reading: FormReading, found: NamedObjects, until: str
) -> ActionRule | None:
    """Return the rule of a sentence; None where it, or what it allows, names nothing."""
    head = find_objects(reading.head) if reading.head else None
    bound = spoken  # where and when the rule itself holds
    for text in filter(str.strip, (*reading.exceptions, *reading.allowed)):
        bound = bound.replace(text.strip(), " ")
    bound = drop_doers(bound)
    folder, project = find_place(bound, found)
    found = _narrow_objects(found, head, folder)
    found = found._replace(needed=tuple(list_needed_options(spoken)))
    occasions = [text for text in reading.conditions if _is_occasion(text, spoken)]
    conditions = [text for text in reading.conditions if text not in occasions]
    if _names_only_options(found):
        for text in occasions:  # "when you commit" says of which command the options are
            done = find_objects(text)
            found = found._replace(
                literals=(*found.literals, *done.literals), deeds=(*found.deeds, *done.deeds)
            )
    actions = build_actions(found)
    if (
        not actions
        and found.has_verb
        and any(find_objects(text).paths for text in (*reading.exceptions, *reading.allowed))
    ):
        actions = [Action(deed=found.deed, paths=("**",))]  # "change nothing but docs/"
    named = [*found.branches, *(name for action in actions for name in action.branches)]
    allowed = (text for text in reading.allowed if not _is_other_branch(text, named))
    exceptions = [*reading.exceptions, *allowed]
    if not actions or not all(map(_is_read_exception, exceptions)):
        return None
    hours = find_hours(bound)
    is_bound = bool(reading.conditions or hours) or found.is_guess
    own = [*found.literals, *(p for deed in found.deeds for p in build_deed_patterns(deed))]
    return ActionRule(
        sentence,
        ASK if is_bound else reading.mode,
        actions,
        unless=drop_wider_exceptions(
            (each for text in exceptions for each in build_exceptions(find_objects(text), own)),
            actions,
        ),
        needed=[pattern for text in conditions for pattern in _build_needed(text)],
        days=find_days(bound),
        hours=hours,
        until=until,
        folder=folder,
        project=project,
        branches=_list_rule_branches(found, actions),
        is_everywhere=holds_everywhere(spoken),
    )


def _is_occasion(condition: str, spoken: str) -> bool:
    """Return whether a condition says during what the rule holds, and not what must come before."""
    before, _, behind = spoken.partition(condition)
    return re.search(_OCCASION, before) is not None or re.match(_OCCASION_KO, behind) is not None


def _names_only_options(found: NamedObjects) -> bool:
    """Return whether a text names options, and no command that has them."""
    rows = found.literals
    return bool(rows) and not (
        found.deeds or any(row.program or row.sql or row.script for row in rows)
    )


def _list_rule_branches(found: NamedObjects, actions: Sequence[Action]) -> tuple[str, ...]:
    """Return the branches on which alone a rule holds: "on prod, never restart nginx" has none."""
    if any(action.branches for action in actions):
        return ()
    is_on_environment = any(action.environments for action in actions)
    no_names = _ENVIRONMENT_NAMES if is_on_environment else ()
    return tuple(name for name in found.branches if name not in no_names)


def _is_half_read(reading: FormReading, until: str) -> bool:
    """Return whether a sentence has words that may narrow it, and that stand for nothing known."""
    if re.search(_ONLY_THERE, f"{reading.head} {reading.front} {reading.text}"):
        return True
    said, front = (
        find_objects(blank_scope_words(text, until=until)).rest
        for text in (reading.text, reading.front)
    )
    asks = reading.is_asking
    return bool(list_unread_words(said, asks=asks) or list_unread_words(front, is_front=True))


def _take_brackets(spoken: str) -> tuple[str, list[str]]:
    """Return a sentence without the brackets in which it allows something, and what they say."""
    allowing = [
        match
        for match in re.finditer(r"\(([^()]{1,120})\)", spoken)
        if re.search(forms.ALLOWS, match[1]) and not is_form(match[1])
    ]
    for match in reversed(allowing):
        spoken = f"{spoken[: match.start()].rstrip()}{spoken[match.end() :]}"
    return spoken, [match[1] for match in allowing]


def tidy_sentence(sentence: str) -> str:
    """Return a sentence with plain quotation marks, without labels, fillers and what ends it."""
    spoken = sentence.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    spoken = re.sub(r"(?ai)\b(?:pls|plz|plx)\b", "please", re.sub(_LABEL, "", spoken))
    spoken = re.sub(r"(?ai)\bno more\b", "no", spoken)
    spoken = drop_own_machine(re.sub(_HEARD, "", spoken))
    return spoken.rstrip("!.~ㅋㅎㅠ…。 ")


def _is_no_rule(spoken: str) -> bool:
    if binding.is_reported(spoken) or re.search(forms.PAST_RULE, spoken):
        return True
    if binding.allows_only(spoken):
        return True
    if re.search(_POLITE, spoken):
        return False
    if re.search(r"[?？]\s*$", spoken):
        return True
    return match_form(forms.NO_RULE, spoken) is not None


def _narrow_objects(found: NamedObjects, head: NamedObjects | None, folder: str) -> NamedObjects:
    """Return the objects, narrowed by what stands before them and by the folder of the rule."""
    paths = tuple(path for path in found.paths if path.rstrip("/") != folder.rstrip("/"))
    found = found._replace(paths=paths if folder else found.paths)
    if head is None:
        return found
    return found._replace(
        branches=found.branches or head.branches,
        environments=found.environments or head.environments,
        hosts=found.hosts or (() if found.is_empty else head.hosts),
        paths=found.paths
        or (
            tuple(p for p in head.paths if p.rstrip("/") != folder.rstrip("/"))
            if not folder
            else ()
        ),
    )


def build_actions(found: NamedObjects) -> list[Action]:
    """Return what must not happen; nothing for a text that names nothing."""
    flags = [row for row in found.literals if not (row.program or row.sql or row.script)]
    commands = [row for row in found.literals if row not in flags]
    options = tuple(flag for row in flags for flag in row.flags)
    actions, deeds = _build_command_actions(found, commands, options)
    has_own_paths = bool(found.paths) and found.has_verb and found.deed != touched.RUN
    is_committed = bool(found.paths) and any(deed.name == "commit" for deed in deeds)
    for deed in deeds:
        actions += _build_deed_actions(found, deed, options, has_own_paths=has_own_paths)
    if flags and not (commands or deeds):
        actions.append(Action(flags))
    is_about_paths = bool(found.paths) and not commands and not is_committed
    if is_about_paths and (has_own_paths or not found.deeds):
        actions.append(Action(deed=found.deed, paths=found.paths, environments=found.environments))
    return actions or _build_place_actions(found)


def _build_command_actions(
    found: NamedObjects, commands: Sequence[CommandPattern], options: Sequence[str]
) -> tuple[list[Action], Sequence[KnownDeed]]:
    """Return the actions of commands, and the deeds that no command stands for."""
    actions: list[Action] = []
    deeds: Sequence[KnownDeed] = found.deeds
    for command in commands:
        own: list[CommandPattern] = []
        if not (command.words or command.flags or command.script or command.sql):
            # "install packages with pip" is about what pip installs alone.
            own = [row for deed in deeds for row in build_deed_patterns(deed)]
            own = [row for row in own if row.program == command.program]
        if own:
            actions.append(Action(own, hosts=found.hosts, mentions=found.mentions))
            deeds = ()
            continue
        row = {**command.build_row(), "is_whole": command.is_whole or found.is_whole}
        actions.append(
            Action(
                [_lack_options(_with_options(CommandPattern.from_row(row), options), found.needed)],
                deed=ANY if found.paths else "",
                paths=_list_typed_paths(command, found),
                branches=found.branches if command.program == "git" else (),
                environments=found.environments,
                hosts=found.hosts,
            )
        )
    return actions, deeds


def _list_typed_paths(command: CommandPattern, found: NamedObjects) -> list[str]:
    """Return the paths of a command: a folder behind `rm` is itself, unless "in" it is said."""
    if command.program not in touched.DELETERS or re.search(_IN_FOLDER, found.rest):
        return list(found.paths)
    return [EXACT + path.rstrip("/") for path in found.paths]


def _build_deed_actions(
    found: NamedObjects, deed: KnownDeed, options: Sequence[str], *, has_own_paths: bool
) -> list[Action]:
    if deed.name == "delete files" and found.paths:
        return []
    if deed.name == "commit" and found.paths:
        return [Action(deed=touched.COMMIT, paths=found.paths)]
    actions: list[Action] = []
    patterns = [
        _lack_options(_with_options(each, options), found.needed)
        for each in build_deed_patterns(deed)
    ]
    if found.is_whole:
        patterns = [
            CommandPattern.from_row({**row.build_row(), "is_whole": True}) for row in patterns
        ]
    is_with_paths = bool(found.paths) and not has_own_paths
    if patterns:
        actions.append(
            Action(
                patterns,
                deed=ANY if is_with_paths else "",
                paths=found.paths if is_with_paths else (),
                branches=found.branches if deed.is_on_branch else (),
                environments=() if deed.is_on_branch else found.environments,
                hosts=found.hosts,
                mentions=found.mentions,
            )
        )
    if deed.tools and not (found.branches or found.environments or found.paths or options):
        actions.append(Action(tools=deed.tools))
    return actions


def _build_place_actions(found: NamedObjects) -> list[Action]:
    """Return the actions of a text that names only where, and not what."""
    if found.tools:
        return [Action(tools=found.tools)]
    if found.hosts:
        return [Action(hosts=found.hosts)]
    if found.environments:
        return [Action(environments=found.environments)]
    if found.branches:
        deeds = [deed for deed in DEEDS if deed.name in ("push", "commit", "merge", "rebase")]
        patterns = [pattern for deed in deeds for pattern in build_deed_patterns(deed)]
        return [Action(patterns, branches=found.branches)]
    return []


def _lack_options(pattern: CommandPattern, needed: Sequence[str]) -> CommandPattern:
    """Return a pattern of the commands that have none of the options with which they are fine."""
    if not needed or pattern.sql or pattern.script:
        return pattern
    row = pattern.build_row()
    return CommandPattern.from_row({**row, "lacks": [*pattern.lacks, *needed]})


def _with_options(pattern: CommandPattern, options: Sequence[str]) -> CommandPattern:
    if not options or pattern.sql or pattern.script:
        return pattern
    row = pattern.build_row()
    return CommandPattern.from_row({**row, "flags": [*pattern.flags, *options]})


def build_exceptions(exception: NamedObjects, own: Sequence[CommandPattern]) -> list[Action]:
    """Return what a rule allows; a place alone allows the rule's own commands there."""
    actions = build_actions(exception)
    if exception.is_empty and exception.branches:
        return [Action(own, branches=exception.branches)]
    if exception.is_empty and exception.environments:
        return [Action(own, environments=exception.environments)]
    return [
        Action(
            action.commands,
            deed=ANY if action.paths else "",
            paths=action.paths,
            branches=action.branches,
            environments=action.environments,
            hosts=action.hosts,
            tools=action.tools,
        )
        for action in actions
    ]


def _build_needed(condition: str) -> list[CommandPattern]:
    """Return the commands that fulfil a condition ("without running the tests")."""
    found = find_objects(condition)
    deeds = list(found.deeds)
    if re.search(r"(?ai)\btests?\b|\btesting\b|테스트", condition):
        deeds += [deed for deed in DEEDS if deed.name == "run tests"]
    if re.search(r"(?ai)\bformat|포[맷매]", condition):
        deeds += [deed for deed in DEEDS if deed.name == "format"]
    scripts = [CommandPattern(path) for path in found.paths if not path.endswith("/")]
    return [*found.literals, *scripts, *(p for deed in deeds for p in build_deed_patterns(deed))]

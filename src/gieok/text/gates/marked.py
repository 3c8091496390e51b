"""Rules about actions in words whose sense a model knows, and whose grammar nobody read.

Such a rule asks and never stops; one that is doubtful only reminds. What the words name is found as
in other rules; what they name besides commands and deeds counts as a path only where it is written
as one.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from gieok.text.gates.action import ASK, OUTSIDE, REMIND, Action, ActionRule
from gieok.text.gates.deeds import build_deed_patterns
from gieok.text.gates.exceptions import allows_forbidden
from gieok.text.gates.objects import NamedObjects, find_objects
from gieok.text.gates.places import find_days, find_hours, find_place, find_rule_end
from gieok.text.gates.statement import build_actions, build_exceptions, tidy_sentence
from gieok.text.late_pattern import defer_pattern

_PATH_NOUN = r"(?:folder|director(?:y|ies)|dir|file|폴더|디렉터리|디렉토리|파일)"
#: Words for something that is named elsewhere in the sentence.
_POINTS_BACK = defer_pattern(
    rf"(?i)\b(?:that|this|those|the)\s{_PATH_NOUN}|\b(?:that|this|it|them|there)(?:$|[,.])"
    r"|\b(?:it|them|that one) (?:anywhere|to|into|from|out|up|alone|without|unless|at all|ever)\b"
    r"|\bthat one\b"
    rf"|(?:그|이|저)\s?{_PATH_NOUN}|거기|그건|이건|그거|이거"
)


class MarkedRule(NamedTuple):
    """Words that a model takes for a rule about actions.

    `sentence` is what the user said around them, which is shown; `allowed` are words that allow
    something beside the rule; `sense` is all that the message states of rules, for a model that
    holds it against a tool's use; `before` is the user's sentence before, in which what `it` stands
    for may be named. `is_doubtful`: the words may state no rule.
    """

    words: str
    sentence: str
    allowed: tuple[str, ...] = ()
    sense: str = ""
    before: str = ""
    is_doubtful: bool = False


def read_marked_rules(
    marked: Iterable[MarkedRule], read: Sequence[ActionRule], said_on: date
) -> list[ActionRule]:
    """Return the rules of marked words.

    `read` are the rules that the grammar found in the same message: their words are left out,
    because what the grammar reads is never wider than what was said.
    """
    known = [tidy_sentence(rule.text) for rule in read]
    found: list[ActionRule] = []
    for one in marked:
        spoken = tidy_sentence(one.words)
        if any(spoken in text or text in spoken for text in known):
            continue
        rule = _build_marked_rule(one, spoken, said_on)
        if rule is not None and not any(_says_same(rule, other) for other in found):
            found.append(rule)
    acting = {rule.text for rule in found if rule.actions}
    # Beside a rule that names something, a second one of the sentence that names nothing adds none.
    return [rule for rule in found if rule.actions or rule.text not in acting]


def _says_same(rule: ActionRule, other: ActionRule) -> bool:
    """Return whether two rules are about the same actions in one sentence."""
    rows, known = ([action.build_row() for action in one.actions] for one in (rule, other))
    return rule.text == other.text and rows == known


def _build_marked_rule(marked: MarkedRule, spoken: str, said_on: date) -> ActionRule | None:
    """Return a rule that asks, or reminds where it is doubtful.

    None where its words name nothing, and no model judges them.
    """
    found = find_objects(spoken)
    actions = () if found.is_crossed else _build_named_actions(found, marked, spoken)
    if not (actions or marked.sense):
        return None
    own = [*found.literals, *(p for deed in found.deeds for p in build_deed_patterns(deed))]
    exceptions = [
        action for text in marked.allowed for action in build_exceptions(find_objects(text), own)
    ]
    folder, project = find_place(spoken, found)
    return ActionRule(
        marked.sentence,
        REMIND if marked.is_doubtful else ASK,
        actions,
        unless=[one for one in exceptions if not allows_forbidden(one, actions)],
        days=find_days(spoken),
        hours=find_hours(spoken),
        until=find_rule_end(spoken, said_on),
        folder=folder,
        project=project,
        branches=() if any(action.branches for action in actions) else found.branches,
        sense=marked.sense,
        allowed=marked.allowed,
    )


def _build_named_actions(found: NamedObjects, marked: MarkedRule, spoken: str) -> Sequence[Action]:
    """Return what the words of a rule name, or what its sentence names where they point back."""
    named = () if found.is_guess else found.paths
    named = tuple(path for path in named if _is_written_path(path, spoken))
    if not (named or found.literals or found.deeds) and _POINTS_BACK.search(spoken):
        named = _find_pointed_paths(marked)
    return build_actions(found._replace(paths=named))


def _find_pointed_paths(marked: MarkedRule) -> tuple[str, ...]:
    """Return the paths that a sentence names and does not allow: "src/ is Tom's, keep out of it"."""
    allowed = {path for text in marked.allowed for path in find_objects(text).paths}
    for sentence in map(tidy_sentence, (marked.sentence, marked.before)):
        named = tuple(
            path
            for path in find_objects(sentence).paths
            if path not in allowed and _is_written_path(path, sentence)
        )
        if named:
            return named
    return ()


def _is_written_path(path: str, spoken: str) -> bool:
    """Return whether a path is written as one, or called a folder or file."""
    name = path.rstrip("/").removesuffix(".*")
    if path == OUTSIDE or "/" in name or "." in name or "*" in name or f"{name}/" in spoken:
        return True
    beside = rf"(?i){re.escape(name)}\s?{_PATH_NOUN}|{_PATH_NOUN}\s{re.escape(name)}"
    return re.search(beside, spoken) is not None

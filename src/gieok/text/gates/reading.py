"""Takes a sentence of a rule apart: its form, what it forbids, exceptions and conditions."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from gieok.text.ends import find_end
from gieok.text.gates import forms
from gieok.text.gates.action import ASK, STOP
from gieok.text.gates.objects import find_objects, list_needed_options
from gieok.text.gates.places import find_days, find_place
from gieok.text.gates.residue import list_unread_words
from gieok.text.gates.vocabulary import FLAGS, LIST_REST, LIST_REST_KO, TAKEN, TAKEN_DEED

_HANGUL = r"[가-힣]"
#: What begins no part: the rest of a list ("billing, payroll or the ledger"), or of a bracket.
_GOES_ON = rf"(?!{LIST_REST}|[^()]*\))"
_PART_EN = (
    rf"\s*[,;:]\s+{_GOES_ON}|\s+[–—-]\s+|\s+(?=but\s)|\s+(?=and (?:ask|never|don'?t|do not|always"
    r"|please)\b)|\s+(?=instead\b(?! of))"
)
_PART_KO = (
    r"(?<![A-Za-z0-9_/.-])\s*[,;:]\s+(?![^()]*\))"
    rf"|\s*[,;:]\s+(?!{LIST_REST_KO}|[^()]*\))"
    r"|\s+[–—-]\s+|(?<=말고)\s|(?<=말고,)\s|(?<=지만)\s|(?<=는데)\s|(?<=니까)\s|(?<=세요)\s"
    r"|(?<=쓰고)\s|(?<=사용하고)\s"
)
_BEFORE_TAIL = r"(?ai)\b(?:before|prior to|ahead of)\s+(.+)$"
_KOREAN_BEFORE = r"^(.*?)\s?(?:하기|기|할)?\s?(?:전에(?:는|도)?|전엔)(?=\s|,|$)"
_WITHOUT = (
    r"(?ai)\b(?:without|unless|until|before|if not|till)\b"
    r"(?! (?:asking|checking with|i\b|my\b|permission"
    r"|approval))(.*)$"
)
_KOREAN_WITHOUT = (
    r"^(.*?(?:없이(?:는)?|지\s?않고(?:는)?"
    r"|안\s\S+고(?:는)?|(?:기|하기)\s?전에(?:는|도)?|전에는|전엔|전까지(?:는)?))\s"
)
_REPLACED = r"(?ai)\b(?:instead of|rather than)\s+|,\s?not\s+"
_KOREAN_REPLACED = r"^(.*?)\s(?:대신(?:에)?)\s"
#: "스테이징에만 배포하고 …는 하지 마": what is done there is not what is forbidden.
_KOREAN_ONLY = r"^(.*[가-힣]만 \S*고)\s(?=.*지\s?(?:마|말))"
#: A part that tells what somebody does, and forbids nothing: a reason.
_TELLS = r"(?ai)\W*(?:you|i|we|it|they|he|she|that|this|there)(?:'\w+)?\s(?!not\b|never\b|don'?t\b)"
#: A part behind a rule that tells who does it instead, and when: "my wife does that on Sundays".
_DONE_BY = (
    r"(?ai)\W*(?:i|we|he|she|they|(?:my|our|his|her|their|the)\s\w+(?:\s\w+)?|\w+)(?:'ll|\swill)?\s"
    r"(?:do(?:es)?|handles?|manages?|looks? after|takes? care of|keeps?|sets?|updates?|runs?"
    r"|writes?|sends?|makes?|fix(?:es)?|checks?)\b"
)
_DONE_BY_KO = (
    r".*[가-힣](?:이|가)\s(?:\S+\s)*"
    r"\S*(?:[해쳐려춰겨어아줘]요?|합니다|한다|[하치리추기](?:거든요?|니까)|맡\S*)$"
)
#: A part behind a rule that says where, when or for what it holds.
_NARROWS = (
    r"(?ai)\W*(?:(?:and|but|or|so|just|also|not|at least)\s)*(?:unless|except|if|when|whenever"
    r"|only|until|till|before|after"
    r"|without|with|while|during|once|in|on|at|inside|outside|under|within|for|from|to|as|by|where"
    r"|that|which|other than|apart from|including)\b"
)
#: Words before a colon that announce rules which are the writer's own.
_OWN_LEAD = (
    r"(?ai)^\W*(?:(?:and|also|so|ok(?:ay)?|hey|please|some|a few|the|my|our|house|hard|general"
    r"|new|one"
    r"|two|three|more|ground|these|here are|remember|note|important|reminder|heads up|warning"
    r"|rules?|things?|fyi|ps|btw|from now on|going forward|always|never|don'?ts?|do not|claude"
    r"|codex|gemini|cursor|agents?|for (?:this|the) (?:project|repo(?:sitory)?)|in (?:this|the)"
    r" (?:project|repo(?:sitory)?)|number|\d+|앞으로(?:는)?|규칙\S*|원칙\S*|주의\S*|중요\S*|참고|부탁\S*|몇\s?가지"
    r"|다음|금지\S*"
    r"|이\s?(?:프로젝트|레포|저장소)\S*|우리|내|제)[\s,]*)+[:：]?\s*$"
)
#: A Korean form that speaks to the agent; the others may be about a program.
_IMPERATIVE = r"지(?:는|도)?\s?(?:마|말)|지마|질\s?마|진\s?마|물어|여쭤|받아|말해|알려"
_KOREAN_SUBJECT = r"(?:서버|디비|데이터베이스|스크립트|코드|모듈|패키지|도구|툴|라이브러리|사용자|파일|프로젝트|환경|데이터|작업)(?:은|는|이|가)\s"
#: A part before a rule that asks for something else, and one that answers or says why.
_ASKS_FOR = (
    r"(?ai)^\W*(?:(?:please|now|then|ok(?:ay)?|so|and|also|next|first|just|hi|hey|yes|can you|could"
    r" you)[\s,]+)*(?:add|fix|write|implement|create|refactor|update|make(?! sure)|build|remove"
    r"|delete"
    r"|rename|run|use|generate|check(?! with)|find|move|extract|replace|split|change|set|put|print"
    r"|show|say|send|translate|summari[sz]e|explain|tell(?! me)|go ahead|try"
    r"|push|commit|open|stick to|prefer|work)\b"
    r"|(?:주고|줘|줘요|주세요)$"
)
_ANSWERS = (
    r"(?ai)^\W*(?:thanks|ok(?:ay)?|yes|yeah|yep|great|good|nice|perfect|we)\b"
    r"|(?:고요?|좋아|고마워|네|응|넵|그래|니까|테니|(?:라서|어서|아서|거든)요?)$"
)
#: When the person approves: that clause names nothing which is forbidden.
_APPROVED = r"(?ai)\s*\bonly (?:when|after|once) (?:i|i'?ve|i'?m|we|we'?ve)\b[^,;]*"
#: An exception by its place: "unless it's the staging context".
_UNLESS_PLACE = (
    r"(?ai)\s*\bunless (?:it'?s|it is|that'?s|they'?re|you'?re)(?: for| on| in)?\s+(.+)$"
)
_KOREAN_CONDITION = rf"^(.*?){forms.KO_CONDITION}[\s,]+(?!안\s?(?:돼|되|된|됩|됨))"


class FormReading(NamedTuple):
    """Form of a sentence, and the text in which it names what is forbidden.

    `head` is what stands before it and may only narrow the rule; `exceptions` are texts of what is
    excepted from it, `allowed` of what else is said to be fine, `conditions` of what must have
    happened before. `front` is what stands before the form in its own clause: whoever must not,
    and where.
    """

    mode: str
    text: str
    head: str
    front: str
    is_asking: bool
    exceptions: tuple[str, ...]
    allowed: tuple[str, ...]
    conditions: tuple[str, ...]


def match_form(rows: Sequence[tuple[str, str, str]], text: str) -> re.Match[str] | None:
    """Return where a row of forms matches; None where none does."""
    found = (re.search(pattern, text, FLAGS) for pattern, _, _ in rows)
    return next((match for match in found if match), None)


def read_form(spoken: str) -> FormReading | None:
    """Return the reading of a sentence; None where it has no form of a rule."""
    is_korean = re.search(_HANGUL, spoken) is not None
    text = re.sub(forms.EN_REASON, "", spoken, flags=FLAGS)
    text, exceptions, allowed = _take_exceptions(text, is_korean=is_korean)
    is_asking = match_form(forms.ASKING, text) is not None
    if is_asking:
        mode = ASK
    elif match_form(forms.STRICT, text):
        mode = STOP
    elif match_form(forms.PLAIN, text):
        mode = ASK
    else:
        return None
    if is_korean:
        body, head, conditions = _read_korean_form(text, is_asking=is_asking)
    else:
        body, head, conditions = _read_english_form(text, is_asking=is_asking)
    return FormReading(
        mode=mode,
        text=body,
        head=head,
        front=_find_front(text) if not is_korean else "",
        is_asking=is_asking,
        exceptions=tuple(exceptions),
        allowed=tuple(allowed),
        conditions=tuple(conditions),
    )


def _take_exceptions(text: str, *, is_korean: bool) -> tuple[str, list[str], list[str]]:
    """Return a text without what it allows, the texts of exceptions, and of what else is fine."""
    exceptions: list[str] = []
    allowed: list[str] = []
    if not is_korean:
        match = re.search(forms.EN_EXCEPT + r"(.*)$", text, FLAGS)
        if match and not re.match(r"(?ai)\s*(?:when|if|that) i\b", match[1]):
            exceptions.append(match[1])
            text = text[: match.start()].rstrip(" ,(")
        there = re.search(_UNLESS_PLACE, text)
        if there and _is_checkable(there[1]) and not list_unread_words(find_objects(there[1]).rest):
            exceptions.append(there[1])
            text = text[: there.start()].rstrip(" ,(")
    kept: list[str] = []
    parts = re.split(_PART_KO if is_korean else _PART_EN, text)
    for place, part in enumerate(parts):
        if re.search(r"(?<!지)(?<!지도)(?<!지는)\s말고$", part) and any(
            map(is_form, parts[place + 1 :])
        ):
            allowed.append(part.removesuffix("말고"))  # "A 말고 B는 하지 마"
            continue
        fine = forms.KO_FINE if is_korean else forms.EN_FINE
        if re.search(fine, part, FLAGS) and not is_form(part):
            allowed.append(part)
        else:
            kept.append(part)
    text = ", ".join(kept) if len(kept) > 1 else "".join(kept)
    if is_korean:
        match = re.search(rf"((?:\S+\s){{0,2}}\S+?){forms.KO_EXCEPT}(?=\s|,|$)", text)
        if match and not match[1].endswith("지"):
            exceptions.append(match[1])
            text = f"{text[: match.start()]} {text[match.end() :]}".strip(" ,")
    return text, exceptions, allowed


_FORMS = (forms.STRICT, forms.PLAIN, forms.ASKING)


def is_form(part: str) -> bool:
    """Return whether a text has a form of a rule."""
    return any(match_form(rows, part) for rows in _FORMS)


def _read_english_form(text: str, *, is_asking: bool) -> tuple[str, str, list[str]]:
    """Return the text of what is forbidden, what stands before it, and conditions."""
    replaced = re.search(_REPLACED, text)
    if replaced and not is_asking and not match_form(forms.STRICT, text):
        return text[replaced.end() :], "", []
    parts = [part for part in re.split(_PART_EN, text) if part]
    first = next((place for place, part in enumerate(parts) if is_form(part)), -1)
    if first < 0:
        return text, "", []
    body = [parts[first]]
    for part in parts[first + 1 :]:
        if re.match(forms.POSITIVE, part, FLAGS) and not is_form(part):
            break
        if _continues_rule(part):
            body.append(part)
    head, said = ", ".join(parts[:first]), ", ".join(body)
    if is_asking:
        tail = re.search(_BEFORE_TAIL, said)
        if tail and not find_objects(tail[1]).is_empty:
            return tail[1], head, []
        plain = re.sub(_APPROVED, "", said)
        if not find_objects(plain).is_empty:
            said = plain
        return *_join_where_empty(said, head, text), []
    return _read_english_prohibition(said, head)


def is_own_label(words: str) -> bool:
    """Return whether words before a colon announce a rule of the writer's own."""
    return re.match(_OWN_LEAD, words) is not None


def drop_reasons(spoken: str) -> str:
    """Return an English sentence without the parts behind a rule that only tell something."""
    parts = re.split(_PART_EN, spoken)
    first = next((place for place, part in enumerate(parts) if is_form(part)), len(parts))
    behind = (part for part in parts[first + 1 :] if is_form(part) or not re.match(_TELLS, part))
    return ", ".join((*parts[: first + 1], *behind))


def drop_doers(spoken: str) -> str:
    """Return a sentence without the parts behind a rule that tell who does instead what it forbids.

    Their days and hours are not those of the rule.
    """
    is_korean = re.search(_HANGUL, spoken) is not None
    parts = re.split(_PART_KO if is_korean else _PART_EN, spoken)
    first = next((place for place, part in enumerate(parts) if is_form(part)), len(parts))
    doer = _DONE_BY_KO if is_korean else _DONE_BY
    behind = (part for part in parts[first + 1 :] if is_form(part) or not re.match(doer, part))
    return ", ".join((*parts[: first + 1], *behind))


def has_foreign_head(spoken: str, front: str) -> bool:
    """Return whether what stands before a rule in its sentence may say whose rule it is.

    A request, an acknowledgement, what is allowed and a reason (`so`) say nothing of that; any
    other words that are not understood may ("my first boss had a rule, …"). `front` is what stands
    before the form in its own clause.
    """
    if re.match(_ASKS_FOR, front):
        return True  # "write never push to main into the README"
    is_korean = re.search(_HANGUL, spoken) is not None
    if is_korean and not re.search(_IMPERATIVE, spoken) and _names_korean_subject(spoken):
        return True
    parts = [part for part in re.split(_PART_KO if is_korean else _PART_EN, spoken) if part]
    first = next((place for place, part in enumerate(parts) if is_form(part)), 0)
    label, colon, behind = spoken.partition(": ")
    if colon and not is_form(label) and is_form(behind) and not is_own_label(label):
        return True
    if re.match(r"(?ai)(?:and )?(?:so|therefore|hence)\b", parts[first]):
        return False
    fine = forms.KO_FINE if is_korean else forms.EN_FINE
    return any(
        list_unread_words(find_objects(part).rest, is_front=True)
        and not re.search(fine, part, FLAGS)
        and not re.search(_ASKS_FOR, part)
        and not re.search(_ANSWERS, part)
        for part in parts[:first]
    )


def _names_korean_subject(spoken: str) -> bool:
    """Return whether a described thing, and not the agent, must not do what is named behind it."""
    rest = find_objects(spoken).rest
    return any(
        TAKEN in rest[match.end() :] or TAKEN_DEED in rest[match.end() :]
        for match in re.finditer(_KOREAN_SUBJECT, rest)
    )


def _find_front(text: str) -> str:
    """Return what stands before the form in its clause."""
    part = next(filter(is_form, re.split(_PART_EN, text)), "")
    if re.search(_REPLACED, part):
        return ""  # "use pnpm instead of npm": the front says what to do
    starts = [match.start() for rows in _FORMS if (match := match_form(rows, part))]
    front = part[: min(starts, default=0)]
    return re.split(r"(?ai)\bso\b", front)[-1]  # what stands before is the reason


def _continues_rule(part: str) -> bool:
    """Return whether a part behind a form belongs to what is forbidden, and is no reason.

    It narrows the rule, forbids again, or is the next of a list.
    """
    if re.match(_NARROWS, part) or is_form(part):
        return True
    if re.match(_TELLS, part):
        return False
    found = find_objects(part)
    return not found.is_empty and not list_unread_words(found.rest)


def _join_where_empty(said: str, head: str, text: str) -> tuple[str, str]:
    """Return what is said and its head; one text where what is said names nothing by itself."""
    if not find_objects(said).is_empty:
        return said, head
    return (f"{head}, {said}", "") if head else (text, "")


def _read_english_prohibition(said: str, head: str) -> tuple[str, str, list[str]]:
    said, conditions = _take_english_conditions(said)
    form = match_form(forms.STRICT, said) or match_form(forms.PLAIN, said)
    before, behind = (said[: form.start()], said[form.start() :]) if form else ("", said)
    forbidden = find_objects(behind)
    if forbidden.is_empty or forbidden.is_guess:
        if before.strip() or not head:
            return said, head, conditions
        return f"{head}, {said}", "", conditions
    joined = ", ".join(filter(None, (head, before.strip())))
    if joined and re.search(forms.EN_CONDITION, joined, FLAGS) and not _is_checkable(joined):
        conditions.append(joined)
    return behind, joined, conditions


def _take_english_conditions(said: str) -> tuple[str, list[str]]:
    conditions: list[str] = []
    match = re.search(_WITHOUT, said)
    if match and match.start() > 0 and not re.fullmatch(r"(?a)\s*`?--?[\w-]+`?", match[1]):
        if not _is_end_words(match[0]):
            conditions.append(match[1])
        said = said[: match.start()]
    match = re.search(rf"(?ai)(?<=.)\s{forms.EN_CONDITION}(.*)$", said)
    if match and not _is_checkable(match[1]):
        conditions.append(match[1])
        said = said[: match.start()]
    return said, conditions


def _is_end_words(text: str) -> bool:
    """Return whether words name a day until which the rule holds."""
    return find_end(f"The freeze lasts {text}", date(2026, 1, 1)) is not None


def _is_checkable(condition: str) -> bool:
    """Return whether a condition is about what a gate sees: a branch, an environment, a day."""
    found = find_objects(condition)
    is_place = bool(found.branches or found.environments or found.paths)
    return is_place or bool(find_days(condition)) or find_place(condition, found) != ("", "")


def _read_korean_form(text: str, *, is_asking: bool) -> tuple[str, str, list[str]]:
    """Return the text of what is forbidden, what stands before it, and conditions."""
    text = re.sub(_KOREAN_ONLY, r"\1, ", text)
    parts = [part for part in re.split(_PART_KO, text) if part]
    first = next((place for place, part in enumerate(parts) if is_form(part)), -1)
    said, head = (text, "") if first < 0 else (parts[first], " ".join(parts[:first]))
    said = _cut_behind_form(said)
    if is_asking:
        match = re.match(_KOREAN_BEFORE, said)
        if match and not find_objects(match[1]).is_empty:
            return f"{match[1]} 하기", head, []
        return *_join_where_empty(said, head, text), []
    replaced = re.match(_KOREAN_REPLACED, said)
    if replaced and not match_form(forms.STRICT, said):
        return replaced[1], head, []
    return _read_korean_prohibition(said, head)


def _cut_behind_form(said: str) -> str:
    """Return a Korean clause up to its verb: what follows is another clause."""
    ends = [match.end() for rows in _FORMS if (match := match_form(rows, said))]
    if not ends:
        return said
    space = said.find(" ", max(ends))
    return said if space < 0 else said[:space]


def _read_korean_prohibition(said: str, head: str) -> tuple[str, str, list[str]]:
    conditions: list[str] = []
    match = re.match(_KOREAN_WITHOUT, said)
    if match and not find_objects(said[match.end() :]).is_empty:
        if not list_needed_options(f"{match[1]} "):
            conditions.append(match[1])
        said = said[match.end() :]
    match = re.match(_KOREAN_CONDITION, said)
    if match and not find_objects(said[match.end() :]).is_empty:
        if not _is_checkable(match[1]):
            conditions.append(match[1])
        head = f"{head} {match[0]}".strip()
        said = said[match.end() :]
    if find_objects(said).is_empty and head:
        return f"{head} {said}", "", conditions
    return said, head, conditions

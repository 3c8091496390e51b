"""Finds what a sentence gives up.

Examples: "Kafka 말고 NATS", "no longer on Heroku", "Ms. Odenwald retired". Verbs of giving up are a
lexicon of stems, inflected here, so that every form of a verb is known once the verb is. Rows of
patterns join the verbs to the place of the given-up value. Each row has an example, whose words
between `<` and `>` are given up, and a counter-example that gives up nothing; a test runs them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern


class Loss(NamedTuple):
    """Places, as spans of characters, where a sentence gives something up.

    `old`: the given-up value. `clause`: the clause that speaks of the value. `new`: its successor,
    if named in the same clause.
    """

    old: tuple[int, int]
    clause: tuple[int, int]
    new: tuple[int, int] = (0, 0)
    #: Whether the successor stands together with the subject: "the focaccia goes in at 210 instead
    #: of 230".
    has_subject: bool = False
    #: Whether the value is merely denied: "diff 말고 파일로", "not Marta". A verb of giving up, in
    #: contrast, says that the value held until now.
    is_denial: bool = False
    #: The words that express the giving up, which are no part of the value.
    verb: tuple[int, int] = (0, 0)


class GivingUp(NamedTuple):
    """Pattern of giving something up, with an example and a counter-example."""

    pattern: str
    example: str
    counter_example: str


_FIRST_SYLLABLE, _VOWELS, _FINALS = ord("가"), 21, 28
_FINAL_NASAL, _FINAL_LIQUID, _FINAL_M, _FINAL_B, _FINAL_PAST = 4, 8, 16, 17, 20
#: Korean vowels by their number in Unicode, and the vowels that replace them before the past
#: ending.
_A, _O = 0, 8
_PAST_VOWEL = {0: 0, 1: 1, 4: 4, 5: 5, 6: 6, 8: 9, 11: 10, 13: 14, 18: 4, 20: 6}
#: A connective form counts only before an end of the clause or a verb of completion: 없애 버렸어, not 없애
#: 달라.
_ENDS = r"(?=서|요|버[렸리려림린]|,| ?(?:놓|놨|뒀|두었))"
#: Verbs whose object is given up.
_KOREAN_ENDING = tuple(
    """
        접 버리 끊 그만두 관두 때려치우 집어치우 걷어내 들어내 없애 치우 풀 엎 갈아엎 뽑 팔 떼 지우
        버려두 내다버리 내버리 떠나보내 취소하 해지하 해약하 탈퇴하 폐기하 폐지하 중단하 중지하 철회하
        삭제하 제거하 퇴사하 퇴직하 은퇴하 포기하 철수하 그만하 정리하 처분하 손절하 졸업하 떠나 헤어지
        청산하 종료하 하차하 사임하 사직하 그만먹
    """.split()
)
#: Verbs of replacing one thing by another.
_KOREAN_CHANGING = tuple(
    """
        바꾸 바뀌 옮기 갈아타 갈아엎 넘어가 넘어오 돌리 돌아서 이사하 이사가 이사오 이전하 전환하
        변경하 교체하 대체하 이관하 늘리 늘 줄이 줄 올리 내리 당기 미루 밀리 오르 낮추 높이 변경되
        전환되 교체되 이전되 갈 개명하 수정하 조정하 업그레이드하 통일하 되돌리 돌아가 돌아오 이동하
        변동하 바꿔치우 이직하 전학하 전학가 환승하
    """.split()
)
_KOREAN_HABIT = tuple(
    "쓰 마시 먹 가 타 다니 살 하 피우 사용하 이용하 보 듣 사 입 키우 시키 만나 찾 치 읽 배우 믿".split()
)


def inflect(stem: str) -> list[str]:
    """Return the beginnings of a Korean verb's forms that state an action as done or certain.

    The action was, is or will surely be done. Forms of doubt and of wishes ("접을까", "접으면") are left
    out, and so is the connective form; see `connect_verb`.
    """
    last = ord(stem[-1]) - _FIRST_SYLLABLE
    head, vowel, final = stem[:-1], last // _FINALS % _VOWELS, last % _FINALS
    forms = [stem + ending for ending in ("고", "기로", "자", "는 ", "네")]
    if final:
        # A stem in ㄹ loses it before ㄴ, ㅂ and ㅅ: 팔다, 판.
        bare = chr(_FIRST_SYLLABLE + last - final)
        nouns = (
            [_with_final(head + bare, _FINAL_NASAL)] if final == _FINAL_LIQUID else [stem + "은"]
        )
        past = "았" if vowel in (_A, _O) else "었"
        return [*forms, stem + past, stem + "음", stem + "습", *nouns]
    # Honorific forms: 그만두셨어, 퇴직하셔서.
    forms += [stem + ending for ending in ("셨", "셔서", "시고", "신 ")]
    if stem[-1] == "하":
        return [*forms, head + "했", head + "함", head + "한", head + "합"]
    forms += [stem + "었"]
    if stem[-1] == "르" and head:
        # 오르다: 올랐, 올라.
        doubled = _with_final(head, _FINAL_LIQUID)
        before = (ord(head[-1]) - _FIRST_SYLLABLE) // _FINALS % _VOWELS
        forms += [doubled + ("랐" if before in (_A, _O) else "렀")]
    elif vowel in _PAST_VOWEL:
        forms += [_with_final(_with_vowel(stem, _PAST_VOWEL[vowel]), _FINAL_PAST)]
    return forms + [_with_final(stem, final) for final in (_FINAL_M, _FINAL_NASAL, _FINAL_B)]


def connect_verb(stem: str) -> str:
    """Return the connective form of a Korean verb: 접어, 버려, 바꿔, 해.

    Other verbs and endings follow this form.
    """
    last = ord(stem[-1]) - _FIRST_SYLLABLE
    vowel, final = last // _FINALS % _VOWELS, last % _FINALS
    if final:
        return stem + ("아" if vowel in (_A, _O) else "어")
    if stem[-1] == "하":
        return stem[:-1] + "해"
    return _with_vowel(stem, _PAST_VOWEL[vowel]) if vowel in _PAST_VOWEL else stem + "어"


def _with_vowel(stem: str, vowel: int) -> str:
    number = ord(stem[-1]) - _FIRST_SYLLABLE
    initial = number // (_FINALS * _VOWELS)
    return stem[:-1] + chr(_FIRST_SYLLABLE + (initial * _VOWELS + vowel) * _FINALS)


def _with_final(stem: str, final: int) -> str:
    return stem[:-1] + chr(ord(stem[-1]) + final)


def _join_forms(stems: Sequence[str], behind: str) -> str:
    """Return a pattern of all forms of the verbs.

    `behind` is a pattern that must follow the connective form.
    """
    forms = {form for stem in stems for form in inflect(stem)} | {
        connect_verb(stem) + behind for stem in stems
    }
    return "|".join(sorted(forms, key=len, reverse=True))


_ENDING = _join_forms(_KOREAN_ENDING, _ENDS)
_CHANGING = _join_forms(_KOREAN_CHANGING, _ENDS) + (
    r"|(?:이전|교체|전환|변경|이관|이사|이동) ?(?:완료|끝|결정|확정|왔|갔|옴|감)"
)
_HABIT = _join_forms(_KOREAN_HABIT, r"(?!야|도|라|줘)")
#: Any verb that is denied and asserted: doubts, conditions and questions have other endings.
_DENIED_VERB = r"[가-힣]{1,5}?(?:고|아|어|해|와|워|여|려|켜|춰|음|함|됨|습니다|니다|아요|어요|해요|네)(?=$|[ ,.!~])"
_ADVERB = (
    r"(?:이제|이젠|아예|그냥|완전|다|싹|요즘|더 ?이상|더는|결국|드디어|이번에|전부|모두|다시) "
)
#: The given-up value stands before one of these; its successor stands after it, up to the next
#: verb.
_KOREAN_ROWS = (
    GivingUp(
        r"(?<=[가-힣A-Za-z0-9)]) ?(?:말고(?!도|는)|대신(?!해|할|에 )|아니고|아니라(?!고)|아닌 )",
        "빌드는 <젠킨스> 말고 아르고로",
        "빌드는 젠킨스 말고도 있어",
    ),
    GivingUp(
        (
            r"(?:을|를|은|는|도|랑|이랑|과|와|에서|이|가|(?<![로에도만]))(?: [가-힣]+던 (?:거|걸))? "
            rf"(?:{_ADVERB})*(?:{_ENDING})"
        ),
        "<헬스장> 이제 그만뒀어",
        "헬스장 다시 등록했어",
    ),
    GivingUp(
        rf"(?:을|를|은|는|에는|에|엔)? (?:{_ADVERB})*빼(?:고 [^.!?]{{1,20}}(?:로|넣|추가)|기로)"
        rf"|(?:을|를|은|는)? (?:{_ADVERB})*뺐",
        "메뉴에서 <삼겹살> 빼고 국밥으로",
        "월요일 빼고 다 괜찮아",
    ),
    GivingUp(
        rf"(?:을|를|은|는|에는|에|엔|로)? (?:{_ADVERB})*(?:안|못) ?(?:{_HABIT}|{_DENIED_VERB})"
        rf"|(?:을|를|은|는)? 그만 (?:{_HABIT})",
        "이제 <커피>는 안 마셔",
        "커피 마시면 잠이 안 와",
    ),
    GivingUp(
        rf"(?:을|를|은|는|에는|에|엔|로)? (?:{_ADVERB})*(?:[가-힣]{{1,4}})지 (?:않(?:아|고|기로|습|는|음)|말(?:자|기로|고))",
        "이제 <커피>는 마시지 않아",
        "커피는 마시고 싶지",
    ),
    GivingUp(
        r"에서 ?(?!새로|서로|바로|따로|다시)"
        rf"(?=(?:[^\s.!?,]*[^\s.!?,고서며데만을를] ){{0,3}}"
        rf"[^\s.!?,]+?(?:으?로|에) ?(?:{_ADVERB})*(?:[가-힣]+ )?(?:{_CHANGING}))",
        "회의를 <부산>에서 대구로 옮겼어",
        "부산에서 회의했어",
    ),
    GivingUp(
        r"(?:을|를|에|에서|로|으로)? [가-힣]{1,4}다가"
        rf"(?=(?: [^\s.!?]+){{0,4}} ?[^\s.!?]+?(?:으?로|에) ?(?:{_ADVERB})*(?:{_CHANGING}))",
        "<토스> 쓰다가 카카오뱅크로 바꿨어",
        "토스 쓰다가 오류 났어",
    ),
    GivingUp(r"\s*(?:->|→|=>|➡)\s*", "포트 <5432> → 6432", "포트 5432, 6432"),
)
_DENIAL_ROW = 0
#: Rows that give something up only in a sentence that says since when.
_NEEDS_NOW = frozenset({3, 4})
_SAYS_NOW = defer_pattern(
    r"이제|이젠|더 ?이상|더는|요즘|요새|앞으로|(?:오늘|주|달|년|월|일|학기)부터|기로|그만"
)
#: Beginnings of clauses in a Korean sentence.
_KOREAN_CLAUSE = defer_pattern(
    r"[,;.!?]\s*|[가-힣](?:어서|아서|해서|돼서|라서|니까|는데|던데|지만|길래|면서|느라|려고|나서|때문에) "
    r"|(?:하|되|쓰|두|주|내|빼|접|끊|있|없|리|키|기|치|추|꾸|타|가|오|나)고 |(?:서|에) (?=[가-힣A-Za-z0-9]+ 말고)"
)
_TIMES = r"(?: (?:as of|since|from|last|this|in|on|next|after|before|starting)\b.*)?"
_NOW = (
    r"(?:,? (?:just|now|finally|officially|completely|all|also|recently|been|being|got|already))*"
)
_BE = r"(?:['’]s|['’]re| is| are| was| were| has| have| had| gets| got)"
#: "We haven't dropped it": a denied verb gives nothing up.
_NOT_DENIED = "".join(
    f"(?<!{word} )" for word in ("n't", "n’t", "not", "never", "not yet", "not going to", "n't yet")
)
_ENGLISH_ENDING = (
    _NOT_DENIED
    + r"(?:stopp(?:ed|ing)|quit|dropp(?:ed|ing)|ditch(?:ed|ing)|dump(?:ed|ing)|scrapp(?:ed|ing)"
    r"|abandon(?:ed|ing)|cancell?(?:ed|ing)|sold"
    r"|left(?! (?:my|me|it|us|him|her|them|a|an|some|with|behind|over|out|off|on|in|at|for)\b)"
    r"|retir(?:ed|ing)|gave up(?: on)?|giv(?:en|ing) up(?: on)?|got rid of|get(?:ting)? rid "
    r"of|did away with|phas(?:ed|ing) out"
    r"|(?:mov(?:ed|ing)|migrat(?:ed|ing)|switch(?:ed|ing)|got(?:ten)?) (?:off|away from|out of)"
    r"|(?<!be )(?<!been )(?:done|through|finished) with|broke up with|unsubscribed "
    r"from|killed off|axed|ripp(?:ed|ing) out"
    r"|threw (?:out|away)|fired|let go(?: of)?|gave away"
    r"|(?:is|are|'s|'re|am|'m) (?:off|past|over)|no more|never ?mind|forget|scrap|ditch|drop|skip)"
)
_ENGLISH_GONE = (
    rf"(?:{_BE}{_NOW} (?:gone(?: for good)?|history|dead|off the table|discontinued|deprecated"
    r"|scrapped|no more"
    r"|decommissioned|shut down|replaced|no longer (?:with us|around|available|in use)|retired"
    r"|retiring)"
    rf"|(?: is| are|['’]s|['’]re| been| got){_NOW} (?:cancell?ed|dropped)"
    rf"|(?:{_BE})?{_NOW} {_NOT_DENIED}(?:retired|resigned|quit|left$|stepped down|passed away"
    r"|left (?:the|us|for)\b|moved (?:on|away)))"
)
#: Rows of one clause: `old` is given up, `new` is its successor.
_ENGLISH_ROWS = (
    GivingUp(
        r".*\b(?:(?:mov|switch|chang|migrat|push|shift|swapp|renam|rais|lower|bump|dropp|reduc"
        r"|port|convert)(?:ed|ing|es|s)|cut"
        r"|(?:went|goes|gone|going)(?= from \$?\d))\b.*?\bfrom (?P<old>.+?) (?:(?:over "
        r")?to|onto|into) (?P<new>.+)",
        "we moved the demo from <Tuesday> to Friday",
        "we drove from Busan with Dana",
    ),
    GivingUp(
        r".*\b(?:(?:swapp|trad|exchang)ed(?: out| in)? (?P<old>.+?) (?:with|for)"
        r"|(?:replac|substitut)ed (?P<old_2>.+?) (?:with|by)"
        r"|renamed (?P<old_3>.+?) (?:to|as|into)) (?P<new>.+)",
        "we traded <the van> for a bike",
        "we traded stories",
    ),
    GivingUp(
        rf"(?P<old>.+?){_BE}{_NOW} (?:swapped|replaced|traded|exchanged|substituted"
        r"|superseded)(?: out)? "
        r"(?:for|by|with) (?P<new>.+)",
        "<the van> has been swapped for a bike",
        "the van has been parked for a week",
    ),
    GivingUp(
        rf"(?P<old>.+?){_BE}{_NOW} renamed (?:to|into|as) (?P<new>.+)",
        "<master> was renamed to main",
        "master was pushed to the server",
    ),
    GivingUp(
        r"(?P<new>(?!(?:.* )?(?:i|we|he|she|they|you|it|to|have|had|has|just|i['’]ve"
        r"|we['’]ve) ).+? )"
        r"\b(?:replac(?:ed|es|ing)|supersed(?:ed|es)|takes? over from|took over from)\b "
        r"(?P<old>.+)",
        "NATS replaces <Kafka>",
        "Kafka replicates everything",
    ),
    GivingUp(
        r"(?P<said>.+?)\b(?:instead of|rather than|in place of) (?P<old>.+)",
        "the demo is on Friday instead of <Tuesday>",
        "the demo is on Tuesday instead",
    ),
    GivingUp(
        r".*\b(?:mov|migrat|switch|port|pull|tak|convert)(?:ed|ing)\b.* (?:off|away from|out "
        r"of) (?P<old>.+?)"
        r"(?: (?:to|onto|into) (?P<new>.+))?",
        "we moved the site off <Netlify> to a VPS",
        "we moved the site to Netlify",
    ),
    GivingUp(
        rf"(?:.*(?<![-\w]))?(?P<verb>{_ENGLISH_ENDING})\b "
        r"(?:using |being |doing |taking |going to |drinking |eating |working (?:at|for) |having )?"
        r"(?P<old>.+?)(?: (?:in favou?r of|and) (?P<new>.+)"
        r"| for (?P<new_2>(?!the |our |my |all |its |his |her |their ).+))?",
        "we finally ditched <Jenkins>",
        "thanks to Jenkins",
    ),
    GivingUp(
        rf"(?P<old>.+?)(?P<verb>{_ENGLISH_GONE})\b.*",
        "<Dana> resigned in March",
        "Dana drove to Berlin",
    ),
    GivingUp(
        (
            r".*?\b(?:no longer|not|never|no|\w+n['’]?t)\b (?P<old>.+?) (?:any ?more|any "
            r"longer|these days)\b.*"
        ),
        "we don't use <Helix> anymore",
        "Helix needs more memory",
    ),
    GivingUp(r".*?\bno longer\b (?P<old>.+)", "no longer on <Heroku>", "no longer"),
    GivingUp(r"(?P<old>.+?)\s*(?:->|→|=>|➡)\s*(?P<new>.+)", "<5432> → 6432", "6432 is 5432"),
)
#: Rows of two clauses: the given-up value is out or denied in the first, its successor is in the
#: second.
_ENGLISH_PAIRS = (
    GivingUp(
        rf"(?P<old>.+?){_BE}{_NOW} (?:out|done|over)(?: (?:in|on|for|of|at|as)\b.*)?$",
        "<tabs> are out, spaces are in",
        "tabs are out",
    ),
    GivingUp(
        (
            r".*(?:\b(?:is|are|was|were|am|it's|that's|do|does|it)|['’](?:s|re|m))(?: "
            r"not|n['’]?t) (?P<old>.+)$"
        ),
        "it isn't <Tuesday>, it's Friday",
        "it isn't Tuesday",
    ),
    GivingUp(r"not (?P<old>.+)", "not <Marta>, Ivo has the phone", "not today"),
)
#: For each of these rows, the beginning of the second clause.
_ENGLISH_SUCCESSORS = (
    (
        r"(?:it['’]s|it is|that['’]s|they['’]re|we['’]re|we|i['’]m|the)\b|.*\b(?:in|now)$|.+(?: "
        r"are| is|['’]s) in\b|.+ now\b"
    ),
    (
        r"(?:but |so )?(?:it['’]s|it is|that['’]s|that is|they['’]re|they are|he['’]s|she['’]s"
        r"|rather)\b"
    ),
    r".+ (?:has|have|is|are|does|do|gets)\b",
)
#: A clause that denies a value behind the clause with its successor: "it's Friday, not Tuesday".
_DENIED_AFTER = defer_pattern(r"(?:and )?(?:not|no longer|instead of|rather than) (?P<old>.+)$")
_ENGLISH_CLAUSE = defer_pattern(
    r"\s*[;,:–—]\s+|\s+-+\s+|\s+(?=(?:and|but|so|because|since|while|although|as soon "
    r"as)\b)|[.!?]+\s*$"
)
_TITLE = defer_pattern(r"\b(?:Mr|Ms|Mrs|Dr|Prof|St)\.", re.IGNORECASE)


@lru_cache(50_000)
def find_losses(sentence: str) -> tuple[Loss, ...]:
    """Return what a sentence gives up, in the order of the rows."""
    if re.search("[가-힣]", sentence):
        return tuple(_find_korean(sentence))
    return tuple(_find_english(sentence.lower()))


def _find_korean(sentence: str) -> Iterator[Loss]:
    for number, pattern in enumerate(_compile_rows(_KOREAN_ROWS)):
        if number in _NEEDS_NOW and not _SAYS_NOW.search(sentence):
            continue
        for row_match in pattern.finditer(sentence):
            if not row_match.start():
                continue
            begins = [
                match.end() for match in _KOREAN_CLAUSE.finditer(sentence, 0, row_match.start())
            ]
            start = begins[-1] if begins else 0
            if start < row_match.start():
                yield Loss(
                    old=(start, row_match.start()),
                    clause=(start, row_match.start()),
                    new=(row_match.end(), len(sentence)),
                    is_denial=number == _DENIAL_ROW,
                )


def _find_english(sentence: str) -> Iterator[Loss]:
    clauses = list(_list_clauses(sentence))
    for number, (start, end) in enumerate(clauses):
        clause = sentence[start:end]
        denied = _DENIED_AFTER.match(clause) if number else None
        if denied and not re.search(r"any ?more", clause):
            before = clauses[number - 1]
            yield Loss(
                _shift_span(denied.span("old"), start),
                (before[0], end),
                before,
                has_subject=True,
                is_denial=True,
            )
            continue
        for pattern in _compile_rows(_ENGLISH_ROWS):
            if match := pattern.fullmatch(clause):
                loss = _read_row(match, start, end)
                # "6a has a new teacher, Ms. Ito instead of Mr. Lee": the subject stands in the
                # clause before.
                yield (
                    _reach_back(loss, clauses[number - 1][0])
                    if number and loss.has_subject
                    else loss
                )
                break
        else:
            if number and sentence[slice(*clauses[number - 1])].endswith((" now", " in")):
                # "Ito is our lawyer now, Lee is out".
                out = _compile_rows(_ENGLISH_PAIRS)[0].fullmatch(clause)
                yield from [_read_row(out, start, end)] if out else []
            if number + 1 < len(clauses):
                following = sentence[slice(*clauses[number + 1])]
                for pattern, successor in zip(
                    _compile_rows(_ENGLISH_PAIRS), _ENGLISH_SUCCESSORS, strict=True
                ):
                    if re.match(successor, following) and (match := pattern.fullmatch(clause)):
                        yield _read_row(match, start, end)._replace(
                            is_denial=pattern is not _compile_rows(_ENGLISH_PAIRS)[0]
                        )


def _reach_back(loss: Loss, start: int) -> Loss:
    return loss._replace(clause=(start, loss.clause[1]), new=(start, loss.new[1]))


def _read_row(found: re.Match[str], start: int, end: int) -> Loss:
    named = [
        name for name in ("new", "new_2", "said") if name in found.re.groupindex and found[name]
    ]
    new = _shift_span(found.span(named[0]), start) if named else (0, 0)
    old = next(
        name for name in ("old", "old_2", "old_3") if name in found.re.groupindex and found[name]
    )
    has_subject = "said" in named
    return Loss(
        old=_shift_span(found.span(old), start),
        clause=(start, end),
        new=new,
        has_subject=has_subject,
        is_denial=has_subject,
        verb=_shift_span(found.span("verb"), start) if "verb" in found.re.groupindex else (0, 0),
    )


def _shift_span(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _list_clauses(sentence: str) -> Iterator[tuple[int, int]]:
    guarded = _TITLE.sub(lambda match: match[0][:-1] + "_", sentence)
    start = 0
    for match in _ENGLISH_CLAUSE.finditer(guarded):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(sentence):
        yield start, len(sentence)


@lru_cache(8)
def _compile_rows(rows: tuple[GivingUp, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(row.pattern) for row in rows)


def list_rows() -> tuple[GivingUp, ...]:
    """Return all rows, for the test that runs their examples."""
    return (*_KOREAN_ROWS, *_ENGLISH_ROWS, *_ENGLISH_PAIRS)

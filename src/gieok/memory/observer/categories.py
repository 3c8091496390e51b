"""Classifies statements by words, in Korean and English.

The category is decision, preference, task or state; a statement may report something as done.
"""

import re

from gieok.memory.observation import Category
from gieok.text import binding
from gieok.text.due import is_called_off
from gieok.text.ends import is_stated
from gieok.text.late_pattern import defer_pattern


def _defer_words(words: str) -> re.Pattern[str]:
    return defer_pattern(words, re.IGNORECASE | re.VERBOSE)


_TASK = _defer_words(
    r"""
    \b(?:todo|to-do)\b | ^\W{0,4}to\ do\s?: | \bremind\ me\b | \bdeadline\b
    | \bdue\ (?:on|by|date|next|this|in|today|tomorrow)\b
    | \b(?:i|we)(?:\ still|\ also|'ve|\ have)?\ (?:need|have|got|must)\ (?:to\ )?(?!be\b)\w+\b.*
    \b(?:by|before|until|on|next|this|tomorrow|today|tonight)\b
    | \b(?:has|have|needs?|must)\ (?:to\ )?be\ \w+\b.*
    \b(?:by|before)\ (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|noon|next
    |(?:the\ )?end\ of\ (?:the\ |this\ |next\ )?(?:day|week|month|quarter|year)
    |(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\ \d)\b
    | \bdon'?t\ forget\b | \b(?:i|we)\ still\ (?:need|have)\ to\b
    | 해야\ ?(?:해|한다|합니다|돼|됩니다|겠|됨|함) | (?:야|여야)\ (?:해|돼|됨|함|한다|됩니다|합니다)\s*[.!~]*$
    | (?:까지|내로|전에)\ .{0,30}(?:끝|마감|제출|완료
    |해야|보내|내야|줘)
    | 할\ ?일 | 잊지\ ?(?:마|말) | 마감 | 알림\ | 상기시켜 | 리마인드"""
)
#: Label of what is to be kept in mind, before it: "Todo: return the drill", 할 일: 책 반납.
_LABEL = _defer_words(
    r"""
    \W{0,4}(?:my\ )?(?:to[\ -]?do|reminder|note\ to\ self|할\ ?일|해야\ ?할\ ?(?:일|것)
    |리마인더|메모)
    \s?(?::|：|\ [-–—]\ )\s?\w+\W+\w"""
)
#: List of what is to be done that names nothing: "Todo: nothing for now", 할 일: 오늘은 없음.
_NOTHING_TO_DO = _defer_words(
    r"""
    \W{0,4}(?:my\ )?(?:to[\ -]?do|할\ ?일|해야\ ?할\ ?(?:일|것))\s?[:：–—-]\s?
    (?:(?:nothing|none|n/a)\b
    |(?:(?:오늘|지금|아직|당장|이제|더|이상|딱히|특별히|따로|별로|현재)\S?\ +){0,3}
    없(?:음|다|어|어요|네|네요|습니다)\W*$)"""
)
#: Direction with the thing that it is on in front ("제목은 한글로", "긴 주소는 그대로 둬"), or beside what
#: is not to be done ("반올림하지 말고 버려"). A person and a moment are no things.
_DIRECTS = _defer_words(
    r"""
    (?:(?:그리고|그럼|단|아)\ +)?
    (?:(?:\S+\ ){0,3}(?!(?:나|저|난|전|너|우리|저희|오늘|내일|지금|이번|이번에|다음|여기|마지막으로)[은는]\ )
    \S*[가-힣A-Za-z0-9\"'”’`)](?:은|는)\ (?:\S.*)?
    (?:둬|써|해|줘|가자|하자|으로|로|게|만|까지)
    | .*[가-힣]지\ ?말고\ \S.*[가-힣])
    [.!~]*$"""
)
#: Request to keep in mind what is said beside it.
_KEEPS = _defer_words(
    r"""
    \b(?:remember\ (?:this|that)|keep\ (?:this|that|it)\ in\ mind
    |(?:write|note|jot)\ (?:this|that|it|these|those|them|both|all)(?:\ (?:one|two|three))?\ down)\b
    | (?<![가-힣])(?:기억해|명심해|(?:적어|메모해|기록해)\ ?(?:둬|두[고자세]|놔|놓[고자으]))
    (?!\S*[?？])"""
)
#: Value that nothing but itself stands for: a word with a digit, a name with an underscore or a
#: sign, what stands as code.
_VALUE = defer_pattern(r"\d|\w[_=+]\w|`[^`]+`")
#: The fewest words of content beside such a request, without which it says nothing to keep.
_FEWEST_KEPT_WORDS = 4
_PREFERENCE = _defer_words(
    r"""
    \bi(?:\ really|'d|\ would|\ usually|\ always|\ never)?\ (?:prefer|like|love|hate|dislike
    |rather|don'?t\ like|can'?t\ stand|enjoy)\b
    | \b(?:always|never)\b | \bplease\ (?:don'?t|keep|use|answer)\b
    | \bmy\ (?:favou?rite|preference)\b | \bfrom\ now\ on\b
    | ^(?:keep|use|don'?t|do\ not|avoid|no|only|prefer|stick|answer|reply|call\ me|stop)\b
    | \b(?:every|each)\ time\b
    | \b(?:answers?|repl(?:y|ies)|explanations?|comments?)\b.*
    \b(?:short|brief|concise|english|korean|first|only|please)\b
    | (?:좋아|싫어|선호)(?:하|해|한|합) | (?:이|가)\ (?:더\ )?(?:좋|싫|편하|편해) | 앞으로(?:는|도)?\s | 항상 | 절대
    | 매번 | 언제나 | 무조건 | 웬만하면 | [는은던]\ ?게\ (?:더\ )?(?:좋(?!겠|을)|싫|편하|편해)
    | (?:지|진)\ ?(?:마|말)(?:세요|라|십시오|아|고|자|줘)?(?:\s|$|[.!]) | 알레르기 | 못\ (?:먹|마시|마셔|봐) | 취향
    | (?:으로|로|만|게|고)\ (?:써|맞춰|해|답해|말해|불러|적어|남겨|달아)\ ?(?:줘|주세요|라)?\s*[.!~]*$"""
)
_DECISION = _defer_words(
    r"""
    \b(?:decided|chose|settled\ on|agreed|picked|opted|going\ with|go\ with|went\ with|stick\ with
    |sticking\ with|switched|switching|moved\ to|dropped)\b
    | \blet'?s\ (?:use|keep|call|make|have|name)\b
    | \b(?:we'?ll|i'?ll|we\ will)\ (?:use|keep|stick)\b
    | \binstead\ of\b | \bit\ is\s*[.!,]*$
    | \bit\ is,\ | \(agreed\)$ | \(동의함\)$
    | 결정 | 확정 | 합의 | 기로\ ?(?:했|하자|합시다|정했|함|해) | (?:으?로)\ ?(?:가자|갑시다|간다|바꾸자|바꿨|바꿔
    |변경|정했|정함|갈아|옮겼|하자|통일)
    | 걸로\ (?:가|하|해|정) | \s대신\s | 말고\s | 정했"""
)
#: A participle before a noun reports nothing ("the deployed version"), nor does a place in a race;
#: in Korean the report ends its clause ("배포했던 서버" reports none).
_DONE = _defer_words(
    r"""
    \b(?:i|we|it|they)?(?:'ve|'s|\ have|\ has)?\ ?(?:already\ |just\ |finally\ )?
    (?<!\bthe\ )(?<!\ba\ )(?<!\ban\ )(?<!\bour\ )(?<!\bmy\ )(?<!\byour\ )(?<!\btheir\ )
    (?:finished|completed|deployed|released|shipped|merged|migrated
    |launched|published|paid|submitted|renewed)\b
    (?!\ (?:first|second|third|fourth|last)(?:\ place\b|\ in\b|\W*$))
    | \b(?:is|are|was|were|been|got|all)\ (?:now\ |finally\ |already\ )?(?:done|finished|complete
    |completed|deployed|released|merged|live(?!\ [a-z]+ed\b)|passed|sent|signed)\b
    | \b(?:issue|ticket|bug|incident|pr|pull\ request|deal|case|task)s?
    \ (?:is|are|was|were|got)\ (?:now\ |finally\ |already\ )?closed\b
    | (?:(?:완료|배포|반영|병합|출시|제출|갱신|납부)(?:했|하였|됐|되었|함|됨) | 끝냈 | 끝났 | 마쳤 | 통과했
    | 다\ 했 | 보냈)
    (?:어|다|습니다|슴다|답니다|단다|음|네|지|죠|고|구|거든|구나|군|으니까?
    |으니|으며|는데)?(?:요|용|까)?(?=[\s.!~…,;:)ㅋㅎ]|$)"""
)
#: Words by which what was done is not done after all, or comes again and again.
_IN_VAIN = _defer_words(
    r"""
    \b(?:wrong|wrongly|by\ mistake|joking|kidding)\b
    | \b(?:it|they|that|this|which|was|were|got|been|and|but|then|has|have|had)\ (?:\w+ly\ )?
    (?:rejected|reverted|rolled\ (?:it\ |them\ )?back|bounced|failed|undone)\b
    | \b(?:every|each|usually|always)\b
    | \bon\ (?:mon|tues|wednes|thurs|fri|satur|sun)days\b | \b(?:is|are)\ \w+\ at\ night\b
    | \b(?:check|make\ sure|ensure|verify|confirm|see)\ (?:that|if|whether|the|it|my|our)\b
    (?=.*\b(?:finished|completed|complete|deployed|released|shipped|merged|migrated|launched
    |published|paid|submitted|renewed|done|live|closed|passed|sent|signed)\b)
    | 잘못 | (?:반려|롤백|반송|실패)(?:[했됐됨함돼]|되었|당[했함]) | 되돌[렸려] | 농담[이으]
    | 매[일주월년](?!\ ?\S*[는은한된]\s) | (?<=[가-힣])마다(?![가-힣])
    | [았었했됐났갔왔냈쳤]대(?:요)?\s*[.!~]*$ | [는은을]지 | 했어야"""
)
#: Words with which nothing is reported as done: conditions, negations, doubts and parts of the way.
#: '안' and '못' begin nouns too ("안전 점검"), and '면' ends some ("화면").
_UNDONE = _defer_words(
    r"""
    \b(?:once|when|until|if|after|not|isn't|aren't|never|be)\b | n't\b
    | \b(?:nothing|nobody|none|neither|no\ (?:one|part|piece|step))\b
    | \b(?:hardly|barely|nowhere|far\ from)\b
    | \b(?:almost|nearly|mostly|partly|partially|halfway|half\ (?:of|done|finished|complete))\b
    | \d%\ (?:of|done|finished|complete) | \b(?:should|would|could|might)\ have\b
    | \b(?:doubt|hope|wish|guess|suppose|assume|pretend|imagine)\b
    | (?<=[가-힣])(?<![화장도라측표])면(?![가-힣]) | 면서 | 때까지 | 아직 | 전까지
    | (?<![가-힣])[안못](?=\ |끝|마쳤|했|됐|보냈)
    | 하나도 | 전혀 | 리가\ ?없 | 줄\ ?알았 | 다고?\ ?(?:치|가정|생각)
    | 거의 | 반쯤 | 절반 | 대부분 | 일부(?!러)
    | (?<!\d)\d\d?\ ?(?:%|퍼센트|프로)\ ?(?:정도\ |쯤\ )?(?:완료|끝|마쳤)"""
)
_PLAN = _defer_words(
    r"\b(?:will|going\ to|'ll|plan|planning|tomorrow|next)\b|할\ ?거|예정|하려고|기로"
)


def classify_statement(text: str) -> Category:
    """Return the category of a statement."""
    for category, expression in (
        (Category.TASK, _TASK),
        (Category.DECISION, _DECISION),
        (Category.PREFERENCE, _PREFERENCE),
    ):
        if expression.search(text) and not (
            category is Category.PREFERENCE and is_called_off(text)
        ):
            return category
    return Category.STATE


def is_labelled(text: str) -> bool:
    """Say whether a label says that a statement is to be kept in mind: "Todo: return the drill"."""
    return _LABEL.match(text) is not None and not _NOTHING_TO_DO.match(text)


def directs_thing(text: str) -> bool:
    """Say whether a Korean statement says of a thing that it names how it shall be."""
    return _DIRECTS.match(text) is not None and not binding.asks_question(text)


def gives_value(text: str) -> bool:
    """Say whether a statement gives a value: a number, a time, a version, a name of a program."""
    return _VALUE.search(text) is not None and not binding.asks_question(text)


def asks_to_keep(text: str) -> bool:
    """Say whether a statement asks to keep in mind what it says."""
    request = _KEEPS.search(text)
    return (
        request is not None
        and not binding.asks_question(text)
        and len((text[: request.start()] + text[request.end() :]).split()) >= _FEWEST_KEPT_WORDS
    )


def is_done(text: str) -> bool:
    """Say whether a statement reports that something is finished.

    What is asked, supposed, heard of, wished, taken back in the same breath, or comes again and
    again is not reported as finished.
    """
    if _DONE.search(text) is None or not is_stated(text) or binding.asks_question(text):
        return False
    return not any(words.search(text) for words in (_UNDONE, _IN_VAIN, _PLAN))


def is_instruction(text: str) -> bool:
    """Say whether a text reads like a decision or a preference, which an agent would follow."""
    return _DECISION.search(text) is not None or _PREFERENCE.search(text) is not None

"""Secrets further from their noun: later in the paragraph, in the next line, in the answer of a
chat, in a list.

Three things have to come together: a noun that sets the topic, words that tell something (`it's …`,
`type …`, `… 누르면`), and a value that can hardly be anything else. Each row names the three; a
paragraph is read once for a row, however many nouns it has.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import Rule, compile_on_use
from gieok.text.redact.value import (
    is_joined,
    is_literal,
    is_phrase_of_literal,
    is_product,
    is_random,
    is_row,
    is_shaped,
    is_state,
    is_word_of_interface,
)

#: How many characters behind the first of its topic a value may begin.
_BESIDE = 60
_SENTENCE = 120
_SENTENCES = 260
_PARAGRAPH = 330
_LIST = 500
#: Characters of the longest value: one that begins within reach is read to its end.
_MOST_VALUE = 130
_Test = Callable[[re.Match[str]], bool]


class Far(NamedTuple):
    """A topic, the words and the value told about it, how far away, and a text with and without
    one.

    `hints` are divided by blanks, `_` stands for one in a hint; with `is_list` a blank line does
    not end the paragraph.
    """

    name: str
    hints: str
    topic: str
    frame: str
    test: _Test
    reach: int
    example: str
    counter_example: str
    is_list: bool = False


def _search_near_topic(row: Far, text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what a row tells between each noun and the end of its paragraph, within its reach."""
    find = compile_on_use(row.frame).finditer
    glance = compile_on_use(_GLANCES.get(row.test, "")).search
    reached = 0
    for at in places:
        told = text[at : at + row.reach + _MOST_VALUE]
        end = at + len(told if row.is_list else told.partition("\n\n")[0])
        begin = max(at, reached)
        reached = max(reached, at + row.reach)
        if begin >= reached or not glance(text, begin, end):
            continue
        for match in find(text, begin, end):
            if match.start("secret") < at + row.reach and row.test(match):
                yield match.span("secret")


_EN_VALUE = r"(?P<secret>[!-~♥★]{6,40}?)[\"'”’`)*]{0,2}(?=[.,;:!?]{0,2}(?:\s|\Z))"
_EN_TELLS = (
    r"(?i:\b(?:it['’]?s|it is|that['’]s|is|was|now|just|type|enter|use|used|using|try|put"
    r"|accepts?|takes?|took|then|with|plus|set to|to|say|says|so|call(?:ed)?)|[:→—,]|->|=>)"
    r"(?: (?i:now|just|still|in|either))? [\"'“‘`(*]{0,2}"
)
_KO_VALUE = r"(?P<secret>[!-~가-힣♥★]{5,40}?)"
_KO_TOLD = (
    r"(?=[\"'”’`)]{0,2} ?(?:이야|야(?:[.,!?~ㅋㅎ\s]|\Z)|이?에요|이?예요|이?에여|입니다|이고요|이라고|라고|이라[.,\s]"
    r"|이?래|이거|이걸로"
    r"|맞[아지나]|임(?![가-힣])|이?거든|인데|이?였는데|이?였던|으?로 ?(?:변경|바[꾸꿨꿈꿔뀌뀐뀜]|들어|했|하면|하시|접속|로그인|통일|쓰)"
    r"|(?:를|을)? ?(?:치면|치시|쳐|입력|누르|눌러|넣으|쓰면|쓰시)|[.!]?(?:\n|\Z)))"
)
_KO_TELLS = r"(?:→|->|:|영타로(?: 치면)?|지금은|이젠|이제는|새로|뒤에|거는?|건|말고|그냥|평소 쓰는 거) ?[\"'“‘`]?"
_COUNTED = defer_pattern(
    r"\d(?:자리|자|개|번|회|일|년|월|시|분|초|명|원|층|호|살|대|건|차|주|도|cm|kg|GB|MB|만|천|억)[가-힣]{0,3}$"
)
_PARTICLE = defer_pattern(
    r"(?:이라고|라고|이야|(?<=[!-~])야|이에요|에요|입니다|인데|이고|으로|로|을|를|은|는|이|가)$"
)
_ADDRESS = defer_pattern(
    r"[\w.+-]+@[\w-]+\.[\w.-]+|(?:[\w-]+\.)+(?:com|net|org|io|kr|dev|example|local|internal|me"
    r"|ai)\b.*|[/~.\\].*|.*://.*|.*[/\\].*|[\w.-]+:\d+|#\w+|<.*|.*[={}\[\]<>|].*"
)
_LONG_LETTERS = 5
_LEAST_KO_DIGITS = 2
#: Characters of a key, as the frame that looks for it asks for too.
_LEAST_KEY = 20


def _is_strong(value: str) -> bool:
    """Say whether a value can hardly be anything but a password: `Biscuit2018`, `tin-404-lol`,
    `maple#pond7`.
    """
    if (
        _ADDRESS.fullmatch(value)
        or not is_shaped(value)
        or is_product(value)
        or compile_on_use(r"[0-9a-f]{6,64}").fullmatch(value)
    ):
        return False
    if compile_on_use(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[\w-]*%").fullmatch(value):
        return False
    if compile_on_use(r"[a-z]+(?:[_-][a-z]+)*[_-]?\d+|\w+\(.*|[A-Z0-9_-]+|\d.*").fullmatch(
        value
    ) and not compile_on_use(r"[a-z]{5,}\d{2,4}").fullmatch(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    has_sign = compile_on_use(r"[!@#$%^&*?~+♥★]").search(value) is not None
    if compile_on_use(r"[A-Z]?[a-z]{2,}\d{1,4}[a-z]{3,}").fullmatch(value) or is_joined(value):
        return True
    return (letters >= _LONG_LETTERS and digits > 1) or (letters > 2 and has_sign)


def _is_strong_english(found: re.Match[str]) -> bool:
    value = found["secret"]
    return value.isascii() and _is_strong(value)


def _is_strong_korean(found: re.Match[str]) -> bool:
    """Say whether a value in a Korean sentence is a password; with Hangul it needs three digits, a
    sign or quotes.
    """
    value = found["secret"]
    if value.isascii():
        return _is_strong(value)
    if (
        _COUNTED.search(value)
        or _ADDRESS.fullmatch(value)
        or _PARTICLE.search(value)
        or compile_on_use(r"\d+%.*").fullmatch(value)
    ):
        return False
    digits = sum(map(str.isdigit, value))
    has_sign = compile_on_use(r"[!@#$%^&*~♥★_-]").search(value) is not None
    has_letters = sum(map(str.isalpha, value)) > 2
    return (
        has_letters
        and (digits >= _LEAST_KO_DIGITS or (digits > 0 and has_sign))
        and not compile_on_use(r"\d{4}[가-힣]+|.*[(),:;].*").fullmatch(value)
    )


def _is_dialled(found: re.Match[str]) -> bool:
    """Say whether digits open something: no year, no single digit repeated."""
    value = found["secret"]
    is_year = compile_on_use(r"(?:19|20)\d\d").fullmatch(value) is not None
    return not is_year and len(set(value)) > 1


def _is_random_key(found: re.Match[str]) -> bool:
    """Say whether a value is long and of letters in both cases and digits, as no word and no hash
    is.
    """
    value = found["secret"]
    is_hash = compile_on_use(r"[0-9a-f-]+|[A-Z]+[0-9]*|\d+").fullmatch(value) is not None
    return not is_hash and is_random(value, _LEAST_KEY) and sum(map(str.isdigit, value)) > 2


def _is_account(found: re.Match[str]) -> bool:
    """Say whether groups of digits are a bank account's: ten to sixteen digits, and no
    telephone's.
    """
    value = found["secret"]
    digits = value.replace("-", "")
    is_phone = compile_on_use(
        r"0(?:1\d|2|[3-7]\d|50\d|80)-\d{3,4}-\d{4}|1[5-9]\d\d-\d{4}"
    ).fullmatch(value)
    is_date = compile_on_use(r"(?:19|20)\d\d(?:-.*|[01]\d[0-3]\d)").fullmatch(value)
    is_long = "-" not in value or 10 <= len(digits) <= 16
    return is_long and not is_phone and not is_date


def _is_phrase(found: re.Match[str]) -> bool:
    return is_phrase_of_literal(found["secret"])


def _is_compared(found: re.Match[str]) -> bool:
    value = found["secret"]
    return is_shaped(value) or is_row(value) or (not value.isascii() and is_literal(value))


def _is_agreed(found: re.Match[str]) -> bool:
    """Say whether the value may be an agreed word, as a safe word or a code word.

    The value is one or more literal words, none of which describes a word (`required`) instead of
    being one.
    """
    return is_phrase_of_literal(found["secret"]) and not any(map(is_state, found["secret"].split()))


def _is_code_of_letters(found: re.Match[str]) -> bool:
    """Say whether groups of letters and digits are a code: no name with a number does, no date."""
    groups = found["secret"].split("-")
    is_named = (
        compile_on_use(r"[a-z]{2,}-\d+|[a-z]+-[a-z]+\d*").fullmatch(found["secret"]) is not None
    )
    is_mixed = any(
        any(map(str.isdigit, group)) and any(map(str.isalpha, group)) for group in groups
    )
    return is_mixed and not is_named and len({len(group) for group in groups}) == 1


def _is_former(found: re.Match[str]) -> bool:
    """Say whether what a password no longer is was one: shaped so, or joined words."""
    value = found["secret"]
    return is_shaped(value) or is_row(value) or _is_joined_word(value)


def _is_chosen_value(found: re.Match[str]) -> bool:
    value = found["secret"]
    return (is_shaped(value) and not is_product(value) and not _ADDRESS.fullmatch(value)) or is_row(
        value
    )


def _is_joined_word(value: str) -> bool:
    """Say whether two small words are joined, and neither is one that describes: `mandu-guksu`."""
    is_pair = compile_on_use(r"[a-z]{4,12}-[a-z]{4,12}").fullmatch(value) is not None
    return is_pair and not is_word_of_interface(value) and not is_state(value)


def _accept_any_match(_found: re.Match[str]) -> bool:
    return True


_EN_TOPIC = (
    r"(?<![A-Za-z0-9_./@-])(?i:pass(?:word|code|phrase|wd)s?|pw|pwd|log(?:ged)? "
    r"?in|sign(?:ed)? in|sso|wi-?fi|credentials?|creds|breakglass|"
    r"transfer code|auth code|shared folder|it['’]ll ask|asks? for a|unlock\w{0,3}|restic"
    r"|keepass|vault)(?![A-Za-z0-9_=(./@])"
)
_KO_TOPIC = r"(?:비밀 ?번호|비번|암호(?!화)|패스 ?워드|와이파이|공유 ?기|공유 ?폴더|인터넷은|로그인|영타|핀번호|자판|계정|관리자|접속)"
_DOORS = (
    r"(?<![A-Za-z0-9_])(?i:key ?pad|lock ?box|door|gate|garage|padlock|deadbolt|alarm (?:at|for|in"
    r"|by|is)|entry ?phone|combination)(?![A-Za-z0-9_])"
)
_KO_DOORS = (
    r"(?:도어[락록]|번호 ?키|현관|대문|뒷문|앞문|옆문|출입문|유리문|자물쇠|금고|경비|차단기|셔터|키패드|다이얼|창고 ?문|보안 ?해제|세콤|비번|번호|코드|알람"
    r"|경보|택배 ?함|무인 ?함|사물함|보관함|엘리베이터|승강기|주차장|게이트|공동 ?문)"
)
_KO_DIALS = (
    r"(?<![\d.,:/~-])(?P<secret>\d{2,5}[*#]\d{2,5}|\d(?:-\d){2,6}|[*#]?\d{4,8}[*#]?)(?:(?: "
    r"?번)?(?:을|를)? ?(?:누르|누른|눌러|치고|치면|치시|쳐|입력|넣으|이렇게 누|다음 ?(?:에 )?(?:우물|별표|샵|#)|[+] ?(?:우물|별표"
    r"|샵)| 뒤에 ?(?:우물|별표|샵|#))"
    r"|[\"'’”]?(?:을|를)? ?(?:누르|누른|눌러|치시|치면|치고|입력)|에 ?맞[추춰]|으?로 ?(?:변경|바꾸|바꿨|바뀌|바뀜|설정))"
)

#: Test → what a value has to hold that passes it.
_GLANCES: dict[_Test, str] = {
    _is_strong_english: r"[0-9!@#$%^&*?~+♥★]",
    _is_strong_korean: r"[0-9!@#$%^&*?~+♥★]",
    _is_dialled: r"[0-9]",
    _is_random_key: r"[0-9]",
    _is_account: r"[0-9]",
    _is_code_of_letters: r"[0-9]",
}

ROWS = (
    Far(
        name="password",
        hints=(
            "pass pw login log_in logged_in sign_in signed_in sso wi-fi wifi cred breakglass "
            "transfer_code auth_code shared_folder it'll_ask ask_for_a asks_for_a unlock restic "
            "keepass vault"
        ),
        topic=_EN_TOPIC,
        frame=rf"{_EN_TELLS}{_EN_VALUE}",
        test=_is_strong_english,
        reach=_PARAGRAPH,
        example=(
            "Who has the prod login? SSO is down.\n> the usual one, the dog and his year: "
            "Pretzel2019"
        ),
        counter_example="The login page was rebuilt in Python311 and it is fast.",
    ),
    Far(
        name="password",
        hints="비밀 비번 암호 패스 와이파이 공유 인터넷 로그인 영타 핀번 자판 계정 관리자 접속",
        topic=_KO_TOPIC,
        frame=rf"(?<![!-~가-힣♥★]){_KO_VALUE}{_KO_TOLD}",
        test=_is_strong_korean,
        reach=_SENTENCES,
        example="와이파이 비번 까먹었지? 지금은 tteok7942house야",
        counter_example="비밀번호를 바꾼 지 3년이야",
    ),
    Far(
        name="password",
        hints="비밀 비번 암호 패스 와이파이 공유 로그인 영타 자판 계정 관리자 접속",
        topic=_KO_TOPIC,
        frame=rf"{_KO_TELLS}(?P<secret>[!-~가-힣♥★]{{6,40}}?)(?=[\"'”’`)]{{0,2}}[.,!]?(?:\s|\Z))",
        test=_is_strong_korean,
        reach=_SENTENCES,
        example="암호는 예전 그거 뒤에 연도만 → 떡볶이조아2024",
        counter_example="암호: 영문 + 숫자",
    ),
    Far(
        name="password",
        hints="비밀 비번 암호 패스",
        topic=r"(?:비밀 ?번호|비번|암호(?!화)|패스 ?워드)",
        frame=(
            r"[\"'“‘](?P<secret>[!-~가-힣]{4,30})[\"'”’](?= ?(?:이야|이?에요|이?예요|입니다|이고|였|에서|으?로 "
            r"?(?:변경|바꿨|바꾸|바뀌)))"
        ),
        test=_accept_any_match,
        reach=_SENTENCE,
        example='서버 암호를 "달빛아래고양이"에서 "해뜨는언덕길"로 바꿨다',
        counter_example='비밀번호는 "설정" 메뉴에서',
    ),
    Far(
        name="password",
        hints="keypad lockbox lock door gate garage padlock deadbolt alarm entry combination",
        topic=_DOORS,
        frame=(
            r"(?i:[:,] |\bit['’]?s |\buse |\bis |\bcode |\bpunch (?:in )?|\benter |\bpress |\bhit "
            r"|\btype |\bdial |\bcode (?:for|to|of) (?:the |my |our )?[\w'’]{2,16}(?: "
            r"[\w'’]{2,16})? )(?P<secret>\d{4,8}[#*]|\d(?:-\d){3,5}|\d{4,8}(?=,? (?:(?:and |& "
            r")?then|and (?:hit|push|pull|press|turn|wait)|then|for (?:guests|visitors|staff|the)"
            r"|to (?:get in|open|disarm))|(?<=[a-z’'] \d{4})(?=[,.;]|\Z)))(?![\w-])"
        ),
        test=_is_dialled,
        reach=_SENTENCES,
        example="keypad by the dock still works: 5190# then push",
        counter_example="the gate opened at 1830",
    ),
    Far(
        name="password",
        hints=(
            "도어 번호 현관 대문 뒷문 앞문 옆문 출입 유리문 자물쇠 금고 경비 차단기 셔터 키패드 다이얼 창고 보안 세콤 비번 코드 알람 경보 택배 무인 사물함 "
            "보관함 엘리베이터 승강기 주차 게이트 공동"
        ),
        topic=_KO_DOORS,
        frame=_KO_DIALS,
        test=_is_dialled,
        reach=_SENTENCES,
        example="뒷문 도어락은 별표 누르고 58213 누른 다음 별표",
        counter_example="현관 앞에서 2023년에 바꿨다",
    ),
    Far(
        name="password",
        hints="도어 번호 현관 금고 자물쇠 passcode pin keypad 비번",
        topic=(
            r"(?:도어[락록]|번호 ?키|현관|금고|자물쇠|비번|(?i:pass ?code|\bpin\b|keypad))(?: ?(?:번호|비번|code))?[ "
            r"\t:]{0,3}(?=\n)"
        ),
        frame=r"\n[ \t*-]{0,6}(?P<secret>[*#]?\d{4,8}[*#]?|\d{2,5}[*#]\d{2,5})[ \t\r]*(?=\n|\Z)",
        test=_is_dialled,
        reach=_BESIDE,
        example="- 뒷문 도어락\n  5820*31",
        counter_example="passcode\nis needed",
    ),
    Far(
        name="password",
        hints="pin 핀번 핀 번호 간편 자리 비번",
        topic=r"(?:핀 ?번호|간편 ?(?:비밀)?번호|체크카드|비번|비밀 ?번호|(?<![A-Za-z])(?i:pin)(?![A-Za-z]))",
        frame=(
            r"(?:자리(?:가|는|로)?|번호(?:는|가)?|같은|끝자리|→) ?[‘'\"]?(?P<secret>\d{4,8})(?=[’'\"]?(?: "
            r"?(?:인데|이고|이야|이다|입니다|이에요|누르|눌러|입력|치)|[).\s]))"
        ),
        test=_is_dialled,
        reach=_SENTENCES,
        example="체크카드 핀번호를 새로 정했다. 네 자리가 7261인데 적어 둔다",
        counter_example="핀번호는 네 자리 이상",
    ),
    Far(
        name="recovery-code",
        hints="backup recover 복구 백업 2fa 2단계",
        topic=r"(?i:(?:backup|recovery|2fa|scratch|emergency) (?:2fa )?codes?|(?:복구|백업) ?코드)",
        frame=(
            r"(?m:^)[ \t]{0,6}(?:[-*•] |\d{1,2}[.)] )?(?:\[[ x]\] "
            r")?`?(?P<secret>(?=[a-z-]{0,12}\d)[a-z0-9]{4,8}[- ][a-z0-9]{4,8}|\d{6,10}"
            r"|(?=[a-z]{0,9}\d)[a-z0-9]{8,12})`?[ \t\r]*(?=\n|\Z)"
        ),
        test=_accept_any_match,
        reach=_LIST,
        example="GitHub 2FA backup codes, two left:\n\n- [x] used\n- [ ] 9d2f1-50ace",
        counter_example="backup codes\n- print them",
        is_list=True,
    ),
    Far(
        name="password",
        hints="account login password",
        topic=r"(?i:(?:accounts?|logins?|passwords?)(?=[^\n]{0,60}\n))",
        frame=(
            r"(?m:^)[^\n—–|]{2,40} (?:[—–]|--?) [^\n—–|]{2,40} (?:[—–]|--?) "
            r"(?P<secret>(?=[^\s]{0,38}[0-9!@#$%^&*])(?=[^\s]{0,38}[A-Za-z])[!-~]{6,40})[ "
            r"\t\r]*(?=\n|\Z)"
        ),
        test=_accept_any_match,
        reach=_LIST,
        example="Accounts for the guest house\n\nBooking site — tealb — Butter&Toast4",
        counter_example="accounts\na - b - c",
        is_list=True,
    ),
    Far(
        name="password",
        hints="pass restic unlock decrypt encrypt archive",
        topic=(
            r"(?i:pass(?:word|phrase)|restic|unlock|decrypt|encrypt\w{2,3}"
            r"|archive)(?![A-Za-z0-9_(=])"
        ),
        frame=(
            r"(?i:set to|set it to|it['’]s|is|was|used|use|using|chose|changed to|try) "
            r"[\"“](?P<secret>[a-z]{2,12}(?: [a-z]{2,12}){2,6})[.!]?[\"”]"
        ),
        test=_is_phrase,
        reach=_SENTENCES,
        example='our telephone passphrase, which Judith set to "nine brown otters"',
        counter_example='the password field is "not a secret"',
    ),
    Far(
        name="passport-number",
        hints="passport 여권",
        topic=r"(?i:passport)(?![./_(])|여권",
        frame=(
            r"(?<![A-Za-z0-9_.-])(?P<secret>[A-Z]{1,2}\d{7,8}|[A-Z]\d{3}[A-Z]\d{4}"
            r"|\d{9})(?![A-Za-z0-9_]|[.-]\d)"
        ),
        test=_accept_any_match,
        reach=_SENTENCES,
        example="여권 만료 확인\n나: M59302817 (2031년까지)",
        counter_example="passport.js 0.7.0 and passport-jwt",
    ),
    Far(
        name="licence-number",
        hints="driv 면허",
        topic=r"(?i:driv\w{2,5}(?:['’]?s)? licen[cs]es?)|면허",
        frame=(
            r"(?<![A-Za-z0-9_.-])(?P<secret>[A-Z]{2,5}\d{5,6}[A-Z0-9]{2,7}|[A-Z]\d{7,12}"
            r"|\d\d-\d\d-\d{6}-\d\d)(?![A-Za-z0-9_])"
        ),
        test=_accept_any_match,
        reach=_SENTENCES,
        example="my driving licence if they insist: BRONT702184E99KD",
        counter_example="driving licence renewals cost GBP14",
    ),
    Far(
        name="account-number",
        hints="계좌 통장 입금 account 예금 은행",
        topic=r"계좌|통장|입금|예금|은행|(?i:(?:bank )?account (?:number|no\.?|nr))",
        frame=(
            r"(?<![A-Za-z0-9_.,-])(?P<secret>\d{2,6}(?:-\d{2,7}){1,3}|\d{8,14})(?![A-Za-z0-9_]"
            r"|[.,-]\d| ?[원만천억개건명번])"
        ),
        test=_is_account,
        reach=_SENTENCE,
        example="농협 통장 351-0722-9163-28",
        counter_example="계좌 이체는 1588-2100으로",
    ),
    Far(
        name="iban",
        hints="iban",
        topic=r"(?i:iban)",
        frame=(
            r"(?<![A-Za-z0-9])(?P<secret>(?=(?:[A-Z ]{0,9}\d){5})[A-Z]{2}\d{2} ?[A-Z0-9]{4}(?: "
            r"?[A-Z0-9]{2,4}){1,6})(?![A-Za-z0-9])"
        ),
        test=_accept_any_match,
        reach=_BESIDE,
        example="IBAN NL91TULP0417164300",
        counter_example="IBAN has 34 characters",
    ),
    Far(
        name="card-number",
        hints="card visa 카드",
        topic=r"(?i:card|visa)(?![a-z_])|카드",
        frame=(
            r"(?<![\w.,-])(?P<secret>\d{4}(?P<gap>[ "
            r"-])\d{4}(?P=gap)\d{4}(?P=gap)\d{4})(?![A-Za-z0-9_]|[.,-]\d)"
        ),
        test=_is_dialled,
        reach=_BESIDE,
        example="법인카드 번호는 5310-2046-9173-6608",
        counter_example="card 4 of 10",
    ),
    Far(
        name="card-code",
        hints="card visa 카드 amex",
        topic=r"(?i:card|visa|amex)(?![a-z_])|카드",
        frame=(
            r"(?i:security code|cvc2?|cvv2?|뒤에 ?세 ?자리|뒷면 ?세 ?자리|뒷자리 ?세 ?자리)(?:는|은)?(?: is|:)? "
            r"?(?P<secret>\d{3,4})(?![\d.,]\d|\d)"
        ),
        test=_accept_any_match,
        reach=_SENTENCES,
        example="the new Visa, exp 11/27, security code 417",
        counter_example="카드 뒷면 세 자리 숫자",
    ),
    Far(
        name="card-code",
        hints="cvc cvv",
        topic=r"(?i:cvc2?|cvv2?)(?![A-Za-z_])",
        frame=r"(?i:cvc2?|cvv2?)(?:는|은|가)?(?: is|:|=| code)?:? ?(?P<secret>\d{3,4})(?![.,]?\d)",
        test=_accept_any_match,
        reach=_BESIDE,
        example="CVV is 417",
        counter_example="the CVV has 3 digits",
    ),
    Far(
        name="password",
        hints="@",
        topic=r"@[A-Za-z0-9-]{1,40}\.[A-Za-z]",
        frame=(
            rf"@[\w.-]{{4,60}}(?:, | / | ?\| ?| [–—-] |:)(?:(?:pw|pass)\w{{0,6}}:? "
            rf")?[\"'`]?{_EN_VALUE}"
        ),
        test=_is_strong_english,
        reach=_SENTENCE,
        example="the streaming thing: kim@mail.example, Zebra9lane",
        counter_example="write to kim@mail.example, thanks",
    ),
    Far(
        name="password",
        hints="unlock",
        topic=r"(?i:unlock)(?![A-Za-z_(])",
        frame=r"(?i:unlock)(?: code| pin)?(?: is|:)? (?P<secret>\d{4,8})(?=[,.;!]|\s|\Z)",
        test=_is_dialled,
        reach=_BESIDE,
        example="my phone unlock is 7204",
        counter_example="unlock after 30 seconds",
    ),
    Far(
        name="recovery-code",
        hints="recover backup_code scratch_code 복구 백업",
        topic=r"(?i:(?:recovery|backup|scratch) (?:codes?|key))|(?:복구|백업) ?(?:코드|키)",
        frame=(
            r"(?<![A-Za-z0-9._/-])(?P<secret>(?=[a-z-]{0,12}\d)(?=[\d-]{0,12}[a-z])[a-z0-9]{4,"
            r"6}-[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){0,3})(?![A-Za-z0-9_/-]|\.[a-z0-9])"
        ),
        test=_is_code_of_letters,
        reach=_SENTENCES,
        example="recovery codes 어디 있지?\nkim: 여기 7c1fe-b90d2 있어",
        counter_example="backup code for node-22 of web-01",
    ),
    Far(
        name="password",
        hints="disarm punch keypad alarm_panel entrance elevator intercom pin code buzzer",
        topic=(
            r"(?i:disarm|punch in|punch|key ?pad|alarm panel|entrance|elevator|intercom|buzzer"
            r"|\bpin\b|\bcode\b(?! \d))(?![A-Za-z_(=])"
        ),
        frame=(
            r"(?i:\b(?:with|enter|punch(?: in)?|press|dial|type|key in|use|it['’]s|is|after "
            r"\w{1,8}:) )(?P<secret>\d{4,8}[#*]?)(?=,? (?:then|and (?:then |press |hit |push "
            r"|wait)|at the|to (?:get|open|enter|disarm)|(?:on|into) the)|[.,;]?[ \t]*(?:\n|\Z)"
            r"|[.,;] )"
        ),
        test=_is_dialled,
        reach=_SENTENCE,
        example="Disarm the panel with 6620 then OK.",
        counter_example="the code is 404 and then it retries",
    ),
    Far(
        name="password",
        hints="safe_word safeword code_word codeword duress panic_word challenge",
        topic=r"(?i:(?:safe|code|duress|panic|challenge) ?(?:word|phrase))s?(?![A-Za-z_(=])",
        frame=(
            r"(?i:words?|phrases?) (?i:is|was|remains|=) [\"“‘']?(?P<secret>[a-z]{4,14}(?: "
            r"[a-z]{4,14}){0,3})(?=[\"”’']?(?:[.,;!)]|[ \t]*(?:\n|\Z)))"
        ),
        test=_is_agreed,
        reach=_BESIDE,
        example="the safe word is nutmeg lantern.",
        counter_example="the code word is reserved",
    ),
    Far(
        name="password",
        hints="결제 뒷자리",
        topic=r"결제|뒷자리",
        frame=(
            r"(?<=\s)(?P<secret>\d{4,8})(?=(?: ?번)?(?:을|를|으로|로),? ?(?:누르|누른|눌러|입력|넣[어으고]|찍[어으고]|해"
            r"|하면))"
        ),
        test=_is_dialled,
        reach=_SENTENCE,
        example="결제 비밀번호는 네 자리 8264로 해",
        counter_example="결제 금액은 3400원으로 해",
    ),
    Far(
        name="password",
        hints="password passphrase pw 비번 암호 비밀",
        topic=r"(?i:pass(?:word|phrase|code)|pw)(?![A-Za-z_(=])|비번|비밀 ?번호|암호(?!화)",
        frame=(
            r"(?i:(?:isn['’]?t|is not|was|not) |from |(?<=예전 )(?:비번|암호|비밀번호|건|거)[은는]? |예전 건 "
            r")[\"“‘'`]?(?P<secret>[!-~]{5,40}?)(?=[\"”’'`]?(?: (?i:any ?more|any longer|anymore"
            r"|but|to|now)\b|,? ?(?:였|이었|말고|인데 이제)|에서))"
        ),
        test=_is_former,
        reach=_SENTENCE,
        example="the password isn't old-Tree-7 any more",
        counter_example="the password is not needed any more",
    ),
    Far(
        name="password",
        hints="password passphrase pw",
        topic=r"(?i:pass(?:word|phrase|code)|pw)(?![A-Za-z_(=])",
        frame=(
            r"(?i:changed?|reset|rotated|switched|moved|set|went) (?:it )?(?i:from "
            r")(?P<q>[\"'“‘`])(?P<secret>[^\"'”’`\n]{4,40}[\"'”’`] (?i:to) "
            r"[\"'“‘`][^\"'”’`\n]{4,40})(?=[\"'”’`])"
        ),
        test=_accept_any_match,
        reach=_SENTENCE,
        example='password changed from "spring" to "autumn"',
        counter_example="the password changed from the settings page",
    ),
    Far(
        name="password",
        hints="→",
        topic=r"→",
        frame=r"→ ?(?P<secret>[!-~]{5,40}?)(?= ?(?:으로|로) ?(?:변경|바꿈|바꿨|바뀌|교체))",
        test=_is_chosen_value,
        reach=_BESIDE,
        example="암호 kkabbang → dubu99 로 변경",
        counter_example="상태 → 설정 로 변경",
    ),
    Far(
        name="password",
        hints="log_in logged_in login log_into sign_in signed_in connect",
        topic=r"(?i:log(?:s|ged)? ?in(?:to)?|sign(?:s|ed)? in|connect(?:s|ed)?)(?![A-Za-z_(=])",
        frame=(
            r"(?i: as \S{2,40} (?:with|using|and) "
            r")[\"'`]?(?P<secret>[!-~]{5,64}?)(?=[\"'`]?(?:[,.;)](?:\s|\Z)|[ \t]*(?:\n|\Z)| "
            r"(?:which|and|on|at)\b))"
        ),
        test=_is_chosen_value,
        reach=_SENTENCE,
        example="I log in as elastic with correct-llama-parade, which nobody rotated",
        counter_example="log in as root with sudo, then reboot",
    ),
    Far(
        name="password",
        hints="login auth credential invalid",
        topic=(
            r"(?i:login fail|auth\w{0,12} fail|invalid (?:login|credential|user)|fail\w{0,4} "
            r"(?:login|auth))"
        ),
        frame=(
            r"(?:for|user|credentials?|login)[ "
            r":=]{1,2}[\"']?[\w.@-]{2,32}[/:](?P<secret>[!-~]{5,64}?)(?=[\"']?(?:[\s,;)]|\Z))"
        ),
        test=_is_chosen_value,
        reach=_SENTENCE,
        example="WARN login failed for kim/BlueGate7",
        counter_example="login failed for kim/server",
    ),
    Far(
        name="password",
        hints="prompt( input( getpass( readline( read_-p read_-sp",
        topic=(
            r"(?i:prompt\(|input\(|getpass\(|readline\(|read -s?p)[^\n]{0,60}?(?:(?i:pass|\bpin\b"
            r"|code)|암호|비밀|비번)"
        ),
        frame=r"(?:[!=]==?|-eq|\beq|!=|\.equals\()\s?[\"'](?P<secret>[^\"'\n]{4,40})[\"']",
        test=_is_compared,
        reach=_SENTENCES,
        example='a = prompt("암호를 입력하세요"); if (a !== "월미도바이킹33") {',
        counter_example='a = input("password"); if a == "quit": stop()',
    ),
    Far(
        name="secret-key",
        hints="access_key secret api_key token 키 토큰 시크릿",
        topic=(
            r"(?<![A-Za-z0-9_./-])(?i:access key|secret key|api key|secret"
            r"|token)s?(?![A-Za-z0-9_./=(])|(?<![가-힣])키(?=[가를는은 ])|토큰|시크릿"
        ),
        frame=r"(?<=\s)(?P<secret>[A-Za-z0-9/+_-]{20,120}=?)(?=\s|[.,](?:\s|\Z)|[가-힣]|\Z)",
        test=_is_random_key,
        reach=_SENTENCES,
        example="IAM access key와 짝이 되는 값은 wJ9q/vLq2ZmX+0pWc8Rk7sYb3NdUe5GfJ 입니다",
        counter_example="the token is in docs/operations/rotating-of-the-tokens",
    ),
)


def _build_near_rule(row: Far) -> Rule:
    return Rule(
        name=row.name,
        hints=tuple(hint.replace("_", " ") for hint in row.hints.split()),
        pattern=row.topic,
        example=row.example,
        counter_example=row.counter_example,
        in_source=False,
        search=partial(_search_near_topic, row),
    )


NEAR = tuple(map(_build_near_rule, ROWS))

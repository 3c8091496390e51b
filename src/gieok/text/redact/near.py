"""Secrets further from their noun: later in the paragraph, in the next line, in the answer of a chat, in a list.

Three things have to come together: a noun that sets the topic, words that tell something (`it's …`, `type …`, `… 누르면`), and
a value that can hardly be anything else. Each row names the three; a paragraph is read once for a row, however many nouns it
has.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from gieok.text.redact.rule import Rule, compiled
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
    is_wordy,
)

_Test = Callable[[re.Match[str]], bool]


class Far(NamedTuple):
    """A topic, the words and the value told about it, how far away, and a text with and without one.

    `hints` are divided by blanks, `_` stands for one in a hint; with `is_list` a blank line does not end the paragraph.
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


def _search(row: Far, text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what a row tells between each noun and the end of its paragraph, within its reach."""
    find = compiled(row.frame).finditer
    glance = compiled(_GLANCES.get(row.test, "")).search
    done = 0
    for at in places:
        end = min(len(text), at + row.reach)
        blank = -1 if row.is_list else text.find("\n\n", at, end)
        end = blank if blank > 0 else end
        if end <= done:
            continue
        begin = max(at, done)
        done = end
        if not glance(text, begin, end):
            continue
        for found in find(text, begin, end):
            if row.test(found):
                yield found.span("secret")


_EN_VALUE = r"(?P<secret>[!-~♥★]{6,40}?)[\"'”’`)*]{0,2}(?=[.,;:!?]{0,2}(?:\s|\Z))"
_EN_TELLS = (
    r"(?i:\b(?:it['’]?s|it is|that['’]s|is|was|now|just|type|enter|use|used|using|try|put|accepts?|takes?|took|then|with|plus|set to|to|say|says|so|call(?:ed)?)|[:→—,]|->|=>)"
    r"(?: (?i:now|just|still|in|either))? [\"'“‘`(*]{0,2}"
)
_KO_VALUE = r"(?P<secret>[!-~가-힣♥★]{5,40}?)"
_KO_TOLD = (
    r"(?=[\"'”’`)]{0,2} ?(?:이야|야[.,!?~ㅋㅎ\s]|이?에요|이?예요|이?에여|입니다|이고요|이라고|라고|이라[.,\s]|이?래|이거|이걸로|맞[아지나]|임(?![가-힣])|이?거든|인데|이?였는데|이?였던|으?로 ?(?:변경|바[꾸꿨꿈꿔뀌뀐뀜]|들어|했|하면|하시|접속|로그인|통일|쓰)"
    r"|(?:를|을)? ?(?:치면|치시|쳐|입력|누르|눌러|넣으|쓰면|쓰시)|[.!]?(?:\n|\Z)))"
)
_KO_TELLS = r"(?:→|->|:|영타로(?: 치면)?|지금은|이젠|이제는|새로|뒤에|거는?|건|말고|그냥|평소 쓰는 거) ?[\"'“‘`]?"
_COUNTED = re.compile(
    r"\d(?:자리|자|개|번|회|일|년|월|시|분|초|명|원|층|호|살|대|건|차|주|도|cm|kg|GB|MB|만|천|억)[가-힣]{0,3}$"
)
_PARTICLE = re.compile(r"(?:이라고|라고|이야|이에요|에요|입니다|인데|이고|으로|로|을|를|은|는|이|가)$")
_ADDRESS = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.-]+|(?:[\w-]+\.)+(?:com|net|org|io|kr|dev|example|local|internal|me|ai)\b.*|[/~.\\].*|.*://.*|.*[/\\].*|[\w.-]+:\d+|#\w+|<.*|.*[={}\[\]<>|].*"
)
_LONG_LETTERS = 5
_LEAST_KO_DIGITS = 2


def _is_strong(value: str) -> bool:
    """Say whether a value can hardly be anything but a password: `Biscuit2018`, `tin-404-lol`, `maple#pond7`."""
    if (
        _ADDRESS.fullmatch(value)
        or not is_shaped(value)
        or is_product(value)
        or compiled(r"[0-9a-f]{6,64}").fullmatch(value)
    ):
        return False
    if compiled(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[\w-]*%").fullmatch(value):
        return False
    if compiled(r"[a-z]+(?:[_-][a-z]+)*[_-]?\d+|\w+\(.*|[A-Z0-9_-]+|\d.*").fullmatch(value) and not compiled(
        r"[a-z]{5,}\d{2,4}"
    ).fullmatch(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    has_sign = compiled(r"[!@#$%^&*?~+♥★]").search(value) is not None
    if compiled(r"[A-Z]?[a-z]{2,}\d{1,4}[a-z]{3,}").fullmatch(value) or is_joined(value):
        return True
    return (letters >= _LONG_LETTERS and digits > 1) or (letters > 2 and has_sign)


def _is_strong_english(found: re.Match[str]) -> bool:
    value = found["secret"]
    return value.isascii() and _is_strong(value)


def _is_strong_korean(found: re.Match[str]) -> bool:
    """Say whether a value in a Korean sentence is a password; with Hangul it needs three digits, a sign or quotes."""
    value = found["secret"]
    if value.isascii():
        return _is_strong(value)
    if (
        _COUNTED.search(value)
        or _ADDRESS.fullmatch(value)
        or _PARTICLE.search(value)
        or compiled(r"\d+%.*").fullmatch(value)
    ):
        return False
    digits = sum(map(str.isdigit, value))
    has_sign = compiled(r"[!@#$%^&*~♥★_-]").search(value) is not None
    has_letters = sum(map(str.isalpha, value)) > 2
    return (
        has_letters
        and (digits >= _LEAST_KO_DIGITS or (digits > 0 and has_sign))
        and not compiled(r"\d{4}[가-힣]+|.*[(),:;].*").fullmatch(value)
    )


def _is_dialled(found: re.Match[str]) -> bool:
    """Say whether digits open something: no year, no single digit repeated."""
    value = found["secret"]
    is_year = compiled(r"(?:19|20)\d\d").fullmatch(value) is not None
    return not is_year and len(set(value)) > 1


def _is_random_key(found: re.Match[str]) -> bool:
    """Say whether a value is long and of letters in both cases and digits, as no word and no hash is."""
    value = found["secret"]
    if compiled(r"[0-9a-f-]+|[A-Z]+[0-9]*|\d+").fullmatch(value) or is_wordy(value):
        return False
    return is_random(value, 20) and sum(map(str.isdigit, value)) > 2


def _is_number_of_paper(found: re.Match[str]) -> bool:
    value = found["secret"]
    return sum(map(str.isdigit, value)) >= _LONG_LETTERS


def _is_account(found: re.Match[str]) -> bool:
    """Say whether groups of digits are a bank account's: ten to sixteen digits, and no telephone's."""
    value = found["secret"]
    digits = value.replace("-", "")
    is_phone = compiled(r"0(?:1\d|2|[3-7]\d|50\d|80)-\d{3,4}-\d{4}|1[5-9]\d\d-\d{4}").fullmatch(value)
    is_date = compiled(r"(?:19|20)\d\d(?:-.*|[01]\d[0-3]\d)").fullmatch(value)
    is_grouped = "-" in value
    return (10 if is_grouped else 8) <= len(digits) <= 16 and not is_phone and not is_date


def _is_phrase(found: re.Match[str]) -> bool:
    return is_phrase_of_literal(found["secret"])


def _is_compared(found: re.Match[str]) -> bool:
    value = found["secret"]
    return is_shaped(value) or is_row(value) or (not value.isascii() and is_literal(value))


def _is_agreed(found: re.Match[str]) -> bool:
    """Say whether one word or more are agreed on, and none of them says something of the word."""
    return is_phrase_of_literal(found["secret"]) and not any(map(is_state, found["secret"].split()))


def _is_code_of_letters(found: re.Match[str]) -> bool:
    """Say whether groups of letters and digits are a code: no name with a number does, no date."""
    groups = found["secret"].split("-")
    is_named = compiled(r"[a-z]{2,}-\d+|[a-z]+-[a-z]+\d*").fullmatch(found["secret"]) is not None
    is_mixed = any(any(map(str.isdigit, one)) and any(map(str.isalpha, one)) for one in groups)
    return is_mixed and not is_named and len({len(one) for one in groups}) == 1


def _is_former(found: re.Match[str]) -> bool:
    """Say whether what a password no longer is was one: shaped so, or joined words."""
    value = found["secret"]
    return is_shaped(value) or is_joined(value) or is_row(value) or _is_joined_word(value)


def _is_chosen_value(found: re.Match[str]) -> bool:
    value = found["secret"]
    return (is_shaped(value) and not is_product(value) and not _ADDRESS.fullmatch(value)) or is_row(value)


def _is_joined_word(value: str) -> bool:
    """Say whether two small words are joined, and neither is one that describes: `mandu-guksu`."""
    is_pair = compiled(r"[a-z]{4,12}-[a-z]{4,12}").fullmatch(value) is not None
    return is_pair and not is_word_of_interface(value) and not is_state(value)


def _always(_found: re.Match[str]) -> bool:
    return True


_EN_TOPIC = (
    r"(?<![A-Za-z0-9_./@-])(?i:pass(?:word|code|phrase|wd)s?|pw|pwd|log(?:ged)? ?in|sign(?:ed)? in|sso|wi-?fi|credentials?|creds|breakglass|"
    r"transfer code|auth code|shared folder|it['’]ll ask|asks? for a|unlock\w{0,3}|restic|keepass|vault)(?![A-Za-z0-9_=(./@])"
)
_KO_TOPIC = r"(?:비밀 ?번호|비번|암호(?!화)|패스 ?워드|와이파이|공유 ?기|공유 ?폴더|인터넷은|로그인|영타|핀번호|자판|계정|관리자|접속)"
_DOORS = r"(?<![A-Za-z0-9_])(?i:key ?pad|lock ?box|door|gate|garage|padlock|deadbolt|alarm (?:at|for|in|by|is)|entry ?phone|combination)(?![A-Za-z0-9_])"
_KO_DOORS = r"(?:도어[락록]|번호 ?키|현관|대문|뒷문|앞문|옆문|출입문|유리문|자물쇠|금고|경비|차단기|셔터|키패드|다이얼|창고 ?문|보안 ?해제|세콤|비번|번호|코드|알람|경보|택배 ?함|무인 ?함|사물함|보관함|엘리베이터|승강기|주차장|게이트|공동 ?문)"
_KO_DIALS = (
    r"(?<![\d.,:/~-])(?P<secret>\d{2,5}[*#]\d{2,5}|\d(?:-\d){2,6}|[*#]?\d{4,8}[*#]?)(?:(?: ?번)?(?:을|를)? ?(?:누르|누른|눌러|치고|치면|치시|쳐|입력|넣으|이렇게 누|다음 ?(?:에 )?(?:우물|별표|샵|#)|[+] ?(?:우물|별표|샵)| 뒤에 ?(?:우물|별표|샵|#))"
    r"|[\"'’”]?(?:을|를)? ?(?:누르|누른|눌러|치시|치면|치고|입력)|에 ?맞[추춰]|으?로 ?(?:변경|바꾸|바꿨|바뀌|바뀜|설정))"
)

#: Test → what a value has to hold that passes it.
_GLANCES: dict[_Test, str] = {
    _is_strong_english: r"[0-9!@#$%^&*?~+♥★]",
    _is_strong_korean: r"[0-9!@#$%^&*?~+♥★]",
    _is_dialled: r"[0-9]",
    _is_random_key: r"[0-9]",
    _is_number_of_paper: r"[0-9]",
    _is_account: r"[0-9]",
    _is_code_of_letters: r"[0-9]",
}

ROWS = (
    Far("password", "pass pw login log_in logged_in sign_in signed_in sso wi-fi wifi cred breakglass transfer_code auth_code shared_folder it'll_ask ask_for_a asks_for_a unlock restic keepass vault", _EN_TOPIC,
        rf"{_EN_TELLS}{_EN_VALUE}", _is_strong_english, 330,
        "Who has the prod login? SSO is down.\n> the usual one, the dog and his year: Pretzel2019", "The login page was rebuilt in Python311 and it is fast." ),
    Far("password", "비밀 비번 암호 패스 와이파이 공유 인터넷 로그인 영타 핀번 자판 계정 관리자 접속", _KO_TOPIC,
        rf"(?<![!-~가-힣♥★]){_KO_VALUE}{_KO_TOLD}", _is_strong_korean, 260,
        "와이파이 비번 까먹었지? 지금은 tteok7942house야", "비밀번호를 바꾼 지 3년이야"),
    Far("password", "비밀 비번 암호 패스 와이파이 공유 로그인 영타 자판 계정 관리자 접속", _KO_TOPIC,
        rf"{_KO_TELLS}(?P<secret>[!-~가-힣♥★]{{6,40}}?)(?=[\"'”’`)]{{0,2}}[.,!]?(?:\s|\Z))", _is_strong_korean, 260,
        "암호는 예전 그거 뒤에 연도만 → 떡볶이조아2024", "암호: 영문 + 숫자"),
    Far("password", "비밀 비번 암호 패스", r"(?:비밀 ?번호|비번|암호(?!화)|패스 ?워드)",
        r"[\"'“‘](?P<secret>[!-~가-힣]{4,30})[\"'”’](?= ?(?:이야|이?에요|이?예요|입니다|이고|였|에서|으?로 ?(?:변경|바꿨|바꾸|바뀌)))", _always, 120,
        '서버 암호를 "달빛아래고양이"에서 "해뜨는언덕길"로 바꿨다', '비밀번호는 "설정" 메뉴에서'),
    Far("password", "keypad lockbox lock door gate garage padlock deadbolt alarm entry combination", _DOORS,
        r"(?i:[:,] |\bit['’]?s |\buse |\bis |\bcode |\bpunch (?:in )?|\benter |\bpress |\bhit |\btype |\bdial |\bcode (?:for|to|of) (?:the |my |our )?[\w'’]{2,16}(?: [\w'’]{2,16})? )(?P<secret>\d{4,8}[#*]|\d(?:-\d){3,5}|\d{4,8}(?=,? (?:(?:and |& )?then|and (?:hit|push|pull|press|turn|wait)|then|for (?:guests|visitors|staff|the)|to (?:get in|open|disarm))|(?<=[a-z’'] \d{4})(?=[,.;]|\Z)))(?![\w-])",
        _is_dialled, 220, "keypad by the dock still works: 5190# then push", "the gate opened at 1830"),
    Far("password", "도어 번호 현관 대문 뒷문 앞문 옆문 출입 유리문 자물쇠 금고 경비 차단기 셔터 키패드 다이얼 창고 보안 세콤 비번 코드 알람 경보 택배 무인 사물함 보관함 엘리베이터 승강기 주차 게이트 공동", _KO_DOORS,
        _KO_DIALS, _is_dialled, 160, "뒷문 도어락은 별표 누르고 58213 누른 다음 별표", "현관 앞에서 2023년에 바꿨다"),
    Far("password", "도어 번호 현관 금고 자물쇠 passcode pin keypad 비번", r"(?:도어[락록]|번호 ?키|현관|금고|자물쇠|비번|(?i:pass ?code|\bpin\b|keypad))(?: ?(?:번호|비번|code))?[ \t:]{0,3}(?=\n)",
        r"\n[ \t*-]{0,6}(?P<secret>[*#]?\d{4,8}[*#]?|\d{2,5}[*#]\d{2,5})[ \t\r]*(?=\n|\Z)", _is_dialled, 40,
        "- 뒷문 도어락\n  5820*31", "passcode\nis needed"),
    Far("password", "pin 핀번 핀 번호 간편 자리 비번", r"(?:핀 ?번호|간편 ?(?:비밀)?번호|체크카드|비번|비밀 ?번호|(?<![A-Za-z])(?i:pin)(?![A-Za-z]))",
        r"(?:자리(?:가|는|로)?|번호(?:는|가)?|같은|끝자리|→) ?[‘'\"]?(?P<secret>\d{4,8})(?=[’'\"]?(?: ?(?:인데|이고|이야|이다|입니다|이에요|누르|눌러|입력|치)|[).\s]))", _is_dialled, 160,
        "체크카드 핀번호를 새로 정했다. 네 자리가 7261인데 적어 둔다", "핀번호는 네 자리 이상"),
    Far("recovery-code", "backup recover 복구 백업 2fa 2단계", r"(?i:(?:backup|recovery|2fa|scratch|emergency) (?:2fa )?codes?|(?:복구|백업) ?코드)",
        r"(?m:^)[ \t]{0,6}(?:[-*•] |\d{1,2}[.)] )?(?:\[[ x]\] )?`?(?P<secret>(?=[a-z-]{0,12}\d)[a-z0-9]{4,8}[- ][a-z0-9]{4,8}|\d{6,10}|(?=[a-z]{0,9}\d)[a-z0-9]{8,12})`?[ \t\r]*(?=\n|\Z)", _always, 500,
        "GitHub 2FA backup codes, two left:\n\n- [x] used\n- [ ] 9d2f1-50ace", "backup codes\n- print them", is_list=True),
    Far("password", "account login password", r"(?i:(?:accounts?|logins?|passwords?)(?=[^\n]{0,60}\n))",
        r"(?m:^)[^\n—–|]{2,40} (?:[—–]|--?) [^\n—–|]{2,40} (?:[—–]|--?) (?P<secret>(?=[^\s]{0,38}[0-9!@#$%^&*])(?=[^\s]{0,38}[A-Za-z])[!-~]{6,40})[ \t\r]*(?=\n|\Z)", _always, 400,
        "Accounts for the guest house\n\nBooking site — tealb — Butter&Toast4", "accounts\na - b - c", is_list=True),
    Far("password", "pass restic unlock decrypt encrypt archive", r"(?i:pass(?:word|phrase)|restic|unlock|decrypt|encrypt\w{2,3}|archive)(?![A-Za-z0-9_(=])",
        r"(?i:set to|set it to|it['’]s|is|was|used|use|using|chose|changed to|try) [\"“](?P<secret>[a-z]{2,12}(?: [a-z]{2,12}){2,6})[.!]?[\"”]", _is_phrase, 220,
        'our telephone passphrase, which Judith set to "nine brown otters"', 'the password field is "not a secret"'),
    Far("passport-number", "passport 여권", r"(?i:passport)(?![./_(])|여권",
        r"(?<![A-Za-z0-9_.-])(?P<secret>[A-Z]{1,2}\d{7,8}|[A-Z]\d{3}[A-Z]\d{4}|\d{9})(?![A-Za-z0-9_]|[.-]\d)", _always, 260,
        "여권 만료 확인\n나: M59302817 (2031년까지)", "passport.js 0.7.0 and passport-jwt"),
    Far("licence-number", "driv 면허", r"(?i:driv\w{2,5}(?:['’]?s)? licen[cs]es?)|면허",
        r"(?<![A-Za-z0-9_.-])(?P<secret>[A-Z]{2,5}\d{5,6}[A-Z0-9]{2,7}|[A-Z]\d{7,12}|\d\d-\d\d-\d{6}-\d\d)(?![A-Za-z0-9_])", _is_number_of_paper, 200,
        "my driving licence if they insist: BRONT702184E99KD", "driving licence renewals cost GBP14"),
    Far("account-number", "계좌 통장 입금 account 예금 은행", r"계좌|통장|입금|예금|은행|(?i:(?:bank )?account (?:number|no\.?|nr))",
        r"(?<![A-Za-z0-9_.,-])(?P<secret>\d{2,6}(?:-\d{2,7}){1,3}|\d{8,14})(?![A-Za-z0-9_]|[.,-]\d| ?[원만천억개건명번])", _is_account, 90,
        "농협 통장 351-0722-9163-28", "계좌 이체는 1588-2100으로"),
    Far("iban", "iban", r"(?i:iban)", r"(?<![A-Za-z0-9])(?P<secret>[A-Z]{2}\d{2} ?[A-Z0-9]{4}(?: ?[A-Z0-9]{2,4}){1,6})(?![A-Za-z0-9])", _is_number_of_paper, 50,
        "IBAN NL91TULP0417164300", "IBAN has 34 characters"),
    Far("card-number", "card visa 카드", r"(?i:card|visa)(?![a-z_])|카드",
        r"(?<![\w.,-])(?P<secret>\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4})(?![A-Za-z0-9_]|[.,-]\d)", _is_dialled, 60,
        "법인카드 번호는 5310-2046-9173-6608", "card 4 of 10"),
    Far("card-code", "card visa 카드 amex", r"(?i:card|visa|amex)(?![a-z_])|카드",
        r"(?i:security code|cvc2?|cvv2?|뒤에 ?세 ?자리|뒷면 ?세 ?자리|뒷자리 ?세 ?자리)(?:는|은)?(?: is|:)? ?(?P<secret>\d{3,4})(?![\d.,]\d|\d)", _always, 200,
        "the new Visa, exp 11/27, security code 417", "카드 뒷면 세 자리 숫자"),
    Far("card-code", "cvc cvv", r"(?i:cvc2?|cvv2?)(?![A-Za-z_])", r"(?i:cvc2?|cvv2?)(?:는|은|가)?(?: is|:|=| code)?:? ?(?P<secret>\d{3,4})(?![.,]?\d)", _always, 20,
        "CVV is 417", "the CVV has 3 digits"),
    Far("password", "@", r"@[A-Za-z0-9-]{1,40}\.[A-Za-z]", rf"@[\w.-]{{4,60}}(?:, | / | ?\| ?| [–—-] |:)(?:(?:pw|pass)\w{{0,6}}:? )?[\"'`]?{_EN_VALUE}", _is_strong_english, 100,
        "the streaming thing: kim@mail.example, Zebra9lane", "write to kim@mail.example, thanks"),
    Far("password", "unlock", r"(?i:unlock)(?![A-Za-z_(])", r"(?i:unlock)(?: code| pin)?(?: is|:)? (?P<secret>\d{4,8})(?=[,.;!]|\s|\Z)", _is_dialled, 30,
        "my phone unlock is 7204", "unlock after 30 seconds"),
    Far("recovery-code", "recover backup_code scratch_code 복구 백업", r"(?i:(?:recovery|backup|scratch) (?:codes?|key))|(?:복구|백업) ?(?:코드|키)",
        r"(?<![A-Za-z0-9._/-])(?P<secret>(?=[a-z-]{0,12}\d)(?=[\d-]{0,12}[a-z])[a-z0-9]{4,6}-[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){0,3})(?![A-Za-z0-9_/-]|\.[a-z0-9])", _is_code_of_letters, 260,
        "recovery codes 어디 있지?\nkim: 여기 7c1fe-b90d2 있어", "backup code for node-22 of web-01"),
    Far("password", "disarm punch keypad alarm_panel entrance elevator intercom pin code buzzer", r"(?i:disarm|punch in|punch|key ?pad|alarm panel|entrance|elevator|intercom|buzzer|\bpin\b|\bcode\b(?! \d))(?![A-Za-z_(=])",
        r"(?i:\b(?:with|enter|punch(?: in)?|press|dial|type|key in|use|it['’]s|is|after \w{1,8}:) )(?P<secret>\d{4,8}[#*]?)(?=,? (?:then|and (?:then |press |hit |push |wait)|at the|to (?:get|open|enter|disarm)|(?:on|into) the)|[.,;]?[ \t]*(?:\n|\Z)|[.,;] )", _is_dialled, 100,
        "Disarm the panel with 6620 then OK.", "the code is 404 and then it retries"),
    Far("password", "safe_word safeword code_word codeword duress panic_word challenge", r"(?i:(?:safe|code|duress|panic|challenge) ?(?:word|phrase))s?(?![A-Za-z_(=])",
        r"(?i:words?|phrases?) (?i:is|was|remains|=) [\"“‘']?(?P<secret>[a-z]{4,14}(?: [a-z]{4,14}){0,3})(?=[\"”’']?(?:[.,;!)]|[ \t]*(?:\n|\Z)))", _is_agreed, 60,
        "the safe word is nutmeg lantern.", "the code word is reserved"),
    Far("password", "결제 뒷자리", r"결제|뒷자리",
        r"(?<=\s)(?P<secret>\d{4,8})(?=(?: ?번)?(?:을|를|으로|로),? ?(?:누르|누른|눌러|입력|넣[어으고]|찍[어으고]|해|하면))", _is_dialled, 80,
        "결제 비밀번호는 네 자리 8264로 해", "결제 금액은 3400원으로 해"),
    Far("password", "password passphrase pw 비번 암호 비밀", r"(?i:pass(?:word|phrase|code)|pw)(?![A-Za-z_(=])|비번|비밀 ?번호|암호(?!화)",
        r"(?i:(?:isn['’]?t|is not|was|not) |from |(?<=예전 )(?:비번|암호|비밀번호|건|거)[은는]? |예전 건 )[\"“‘'`]?(?P<secret>[!-~]{5,40}?)(?=[\"”’'`]?(?: (?i:any ?more|any longer|anymore|but|to|now)\b|,? ?(?:였|이었|말고|인데 이제)|에서))", _is_former, 120,
        "the password isn't old-Tree-7 any more", "the password is not needed any more"),
    Far("password", "password passphrase pw", r"(?i:pass(?:word|phrase|code)|pw)(?![A-Za-z_(=])",
        r"(?i:changed?|reset|rotated|switched|moved|set|went) (?:it )?(?i:from )(?P<q>[\"'“‘`])(?P<secret>[^\"'”’`\n]{4,40}[\"'”’`] (?i:to) [\"'“‘`][^\"'”’`\n]{4,40})(?=[\"'”’`])", _always, 120,
        'password changed from "spring" to "autumn"', "the password changed from the settings page"),
    Far("password", "→", r"→", r"→ ?(?P<secret>[!-~]{5,40}?)(?= ?(?:으로|로) ?(?:변경|바꿈|바꿨|바뀌|교체))", _is_chosen_value, 60,
        "암호 kkabbang → dubu99 로 변경", "상태 → 설정 로 변경"),
    Far("password", "log_in logged_in login log_into sign_in signed_in connect", r"(?i:log(?:s|ged)? ?in(?:to)?|sign(?:s|ed)? in|connect(?:s|ed)?)(?![A-Za-z_(=])",
        r"(?i: as \S{2,40} (?:with|using|and) )[\"'`]?(?P<secret>[!-~]{5,64}?)(?=[\"'`]?(?:[,.;)](?:\s|\Z)|[ \t]*(?:\n|\Z)| (?:which|and|on|at)\b))", _is_chosen_value, 80,
        "I log in as elastic with correct-llama-parade, which nobody rotated", "log in as root with sudo, then reboot"),
    Far("password", "login auth credential invalid", r"(?i:login fail|auth\w{0,12} fail|invalid (?:login|credential|user)|fail\w{0,4} (?:login|auth))",
        r"(?:for|user|credentials?|login)[ :=]{1,2}[\"']?[\w.@-]{2,32}[/:](?P<secret>[!-~]{5,64}?)(?=[\"']?(?:[\s,;)]|\Z))", _is_chosen_value, 90,
        "WARN login failed for kim/BlueGate7", "login failed for kim/server"),
    Far("password", "prompt( input( getpass( readline( read_-p read_-sp", r"(?i:prompt\(|input\(|getpass\(|readline\(|read -s?p)[^\n]{0,60}?(?:(?i:pass|\bpin\b|code)|암호|비밀|비번)",
        r"(?:[!=]==?|-eq|\beq|!=|\.equals\()\s?[\"'](?P<secret>[^\"'\n]{4,40})[\"']", _is_compared, 240,
        'a = prompt("암호를 입력하세요"); if (a !== "월미도바이킹33") {', 'a = input("password"); if a == "quit": stop()'),
    Far("secret-key", "access_key secret api_key token 키 토큰 시크릿", r"(?<![A-Za-z0-9_./-])(?i:access key|secret key|api key|secret|token)s?(?![A-Za-z0-9_./=(])|(?<![가-힣])키(?=[가를는은 ])|토큰|시크릿",
        r"(?<=\s)(?P<secret>[A-Za-z0-9/+_-]{20,120}=?)(?=\s|[.,](?:\s|\Z)|[가-힣]|\Z)", _is_random_key, 220,
        "IAM access key와 짝이 되는 값은 wJ9q/vLq2ZmX+0pWc8Rk7sYb3NdUe5GfJ 입니다", "the token is in docs/operations/rotating-of-the-tokens"),
)  # fmt: skip


def _rule(row: Far) -> Rule:
    return Rule(
        row.name,
        tuple(hint.replace("_", " ") for hint in row.hints.split()),
        row.topic,
        row.example,
        row.counter_example,
        in_source=False,
        search=partial(_search, row),
    )


NEAR = tuple(map(_rule, ROWS))

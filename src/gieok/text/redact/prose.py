"""Secrets in sentences, English and Korean: after the word that names them, before it, or in the
answer to a question.

How much the value has to look like a secret depends on how directly the sentence says that it is
one. Right after *is*, a colon or 은/는, letters and a digit are enough (`the password is
sunny-day-7`); with words between, only what is no word, no term and no name is taken.
"""

import re

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import Rule, compile_after_words, compile_on_use, search_before
from gieok.text.redact.told_values import (
    COUNTS,
    NUMBERED,
    PASSWORDS,
    PREDICATES,
    read_opening,
    read_told_value,
    secret_of,
)
from gieok.text.redact.value import (
    is_literal,
    is_phrase,
    is_plain_korean,
    is_state,
    is_word_of_interface,
)

_EN_KEYS = (
    "api access private auth bot secret license licence product recovery backup service "
    "encryption signing master unseal shared "
    "activation security deploy wifi network root admin storage webhook"
)
_EN_CODES = (
    "door alarm gate entry lock access security unlock safe garage keypad recovery backup locker "
    "building bike vault buzzer lockbox verification one-time 2fa otp sms login gate's door's "
    "safe's alarm's lock's locker's"
)
_KO_KEYS = (
    "api API 액세스 접근 비밀 개인 보안 라이선스 라이센스 서비스 발급 복구 인증 시크릿 서명 암호화 마스터 공유 제품 기기 배포 언실 봉인 와이파이 루트 관리자 "
    "웹훅 연동 정품 활성화"
)
_KO_CODES = "도어락 도어록 현관 공동현관 출입 출입문 금고 접속 보안 잠금 사물함 인증 핀 발급 복구 경비 보관함 창고 락커 대문 게이트 알람 백업"
_EN = (
    r"(?<![A-Za-z0-9_])(?i:pass(?:wor[dt]|code| ?phrase|wd|key)s?|pass(?= (?:is|was|=)|[:=])"
    r"|(?:(?<=db )|(?<=root )|(?<=wifi )|(?<=admin )|(?<=vpn )|(?<=nas ))pass|pwd|pw|pin(?: "
    r"?(?:codes?|number|no\.?))?|"
    r"secret(?: key)?|(?<!-)tokens?|"
    rf"credentials?|creds?|(?=[kt]){compile_after_words(_EN_KEYS, '[ _-]')}(?:key|token)s?"
    rf"|(?=[cp]){compile_after_words(_EN_CODES, ' ')}(?:codes?|pin|combination|combo)"
    r"|combination|otp(?: "
    r"code)?|"
    r"key(?= for [^.\n]{0,40}\b(?:encrypt\w{0,5}|drive|disk|backups?|wi-?fi|vault|safe|wallet"
    r"|server|router|volume|luks|archive|api)\b))(?![A-Za-z0-9_])"
)
_EN_HINTS = ("pass", "pw", "pin", "secret", "token", "cred", "key", "code", "combin", "otp")
_KO = (
    r"(?:비밀 ?번호|비번|암호(?!화|학|문|해|자산|통화)|패스 ?(?:워드|프레이즈|코드)|시크릿(?: ?키)?|토큰(?!화|나이|이저|라이)|핀 "
    r"?(?:번호|코드)|"
    rf"(?=[키kK토시]){compile_after_words(_KO_KEYS, '[ _-]')}(?i:키|key|토큰|시크릿)"
    r"|(?<![가-힣A-Za-z])키(?=[는가]? "
    rf"?[:=]? ?[!-~])|(?=[번코]){compile_after_words(_KO_CODES, ' ')}(?:번호|코드)|"
    r"(?<![A-Za-z0-9_])(?i:passwords?|passcode|passphrase|pwd?|pin|tokens?|secret(?: "
    r"key)?)(?= ?[가-힣]|\([가-힣]))(?![A-Za-z0-9_])"
)
_KO_HINTS = tuple(
    "비밀 비번 암호 패스 시크릿 토큰 핀 키 key 번호 코드 pass pw pin token secret".split()
)
_OPENS = r"[\"'`“‘「<(*]{0,3}"
_TOLD = rf"(?P<opens>{_OPENS})(?P<secret>[!-~]{{4,200}})"
#: At most six words between the name and the link to its value: `the password for the staging
#: database is …`.
_WORD = r"[A-Za-z0-9'’\"_/&@#-]{1,24}(?:\.[A-Za-z0-9'’\"_/&@-]{1,24}){0,3}"
_WORDS = rf"(?P<gap>(?: ?\([^()\n]{{1,40}}\))?(?: {_WORD}){{0,9}}?(?: \([^()\n]{{1,40}}\))?)"
_LINK = (
    r"(?P<link>['’]s |: ?\n[ \t]{1,8}|\? (?=\S{6,64}(?:[,.\s]|\Z))| ?(?:: ?\n? ?(?<![A-Za-z]:)"
    r"|:(?=[\"'`])| = |→ ?|=> ?|-> ?|– |— )| - |, (?=[^\s,]{4,64},)|[,;]? (?i:it['’]s|it "
    r"is|which is|that is) (?i:now )?|, (?i:so|namely|here|here it is): |"
    r" (?i:used to be|is|was|are|be|been|becomes|remains|equals|=)(?: (?i:now|still|set "
    r"to|changed to|reset to|just|simply|currently|again|actually|literally))? |"
    r" (?i:(?:has been |have been |was |were |got )?(?:changed|set|reset|updated|rotated"
    r"|switched|renewed) (?:to|from)) )"
)
_NEAR = r"(?P<link> (?i:to|as|now|from|works?|becomes) | )"
_EN_LEAD = (
    rf"(?<!\S)(?P<opens>{_OPENS})(?P<secret>[!-~]{{4,64}}),? (?P<link>(?i:(?:to log ?in,? "
    r")?(?:is|as|was|when|if|works as|that['’]s|it['’]s) |(?:please "
    rf")?\())(?P<gap>(?i:[a-z']{{1,12}} ){{0,5}})\Z"
)
_KO_LEAD = (
    rf"(?<![!-~])(?P<opens>{_OPENS})(?P<secret>[!-~]{{5,64}})(?P<link>이라는|라는|이|가|을|를|로|으로|은|는"
    rf"|도)(?P<gap> (?:[가-힣]{{1,6}} ){{0,2}})\Z"
)
#: Words after a name that speak of the same secret: `password for …`, `password we use …`;
#: `password hash` is another thing.
_GAP = defer_pattern(
    r"(?i) (?:\([^()]*\)|(?:for|of|on|to|at|in|between|we|i|you|they|he|she|that|which|from"
    r"|with|used|everyone|my|our|here) [^:]*|(?:(?:no\.?|nr\.?|number) ?)?#?[1-9A-C])"
)
_KO_CHANGES = defer_pattern(r"바꿨|바꾼|바뀐|변경|설정")
#: Words after a Korean name that make it one of another thing: 비밀번호 정책, 토큰 길이.
_KO_OTHER = defer_pattern(
    r" (?:정책|규칙|길이|해시|관리|찾기|변경|초기화|입력|오류|만료|강도|재설정|발급|저장|생성|검증|암호화|버전|형식|종류|방식|갱신|타입|이름|필드|칸|창"
    r"|페이지|화면)"
)
_VERB_TO = defer_pattern(
    r"(?i)\b(?:chang|set|reset|rotat|updat|switch|renew|mov)\w{0,4} [^.\n]{0,40}$"
)
_JOINS_DIRECTLY = defer_pattern(
    r"(?i)['’]s|[:=→>?]|is|was|it['’]s|to|remains|now|equals|becomes|again|still|actually"
)
_ENDS_CLAUSE = defer_pattern(
    r"[\"'`”’)\]]{0,3}(?:$|[.,;!?|)]|\s*\n| (?i:on|for|at|if|and|but|until|since|btw|now"
    r"|please|thx|ok|in|as|is|from|today|yesterday|instead|because|before|after|when|though"
    r"|with|works|user|login|host|still|\||-|–|—)\b| [|–—-])"
)
_EN_STOPS = defer_pattern(
    r"(?:$|[.,;:!?)\]]|\s?\n| (?i:for|of|on|now|and|but|from|until|here|there|today|btw|in)\b)"
)
_KO_IS = (
    r"(?:이?야|이?에요|이?예요|예요|이?다|임|인데|이고|고|이?던데|이?였|입니다|이?라|이?래|이?거든|이?지|이?네|인가|인듯|이?랬|이?니까|이?요|이?죠|"
    r"맞|으?로|이|가|은|는|을|를|으로|이거|그거|이걸|니까|쓰|써|였)"
)
_KO_COPULA = defer_pattern(
    rf"[\"'`”’」)]{{0,3}}(?:[ \t]*(?:$|\n)|[.,!?~;]|ㅋ|ㅎ|ㅇ|\s?{_KO_IS}|\s?\|)"
)
_KO_AFTER_NAME = defer_pattern(
    r"(?:이?야|예요|이?에요|이?다(?![가-힣])|임|입니다|이?였|인데|이고|으?로 |이?래|이?지|이?거든)"
)
_KO_CHANGED = defer_pattern(
    r"[\"'`”’」)]{0,3}\s?(?:으|\(으\))?로 ?(?:\S{1,6} ?)?(?:바꾸|바꿨|바뀌|바뀐|바꿔|변경|설정|교체|갱신|했|해)"
)


def _cut_told_password(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value that looks like a password after its name."""
    is_of_many = (
        found["name"].endswith("s") and found["link"] == " " and not PASSWORDS.match(found["name"])
    )
    if is_of_many:  # `tokens for ISO Modula-2`
        return None
    return secret_of(
        read_told_value(
            found, numbers=bool(NUMBERED.search(found["name"])), is_direct=_is_direct(found)
        )
    )


def _is_direct(found: re.Match[str]) -> bool:
    """Say whether the sentence says of the value itself that it is the secret: `password is …`,
    `password for the router: …`.
    """
    text, gap, link = found.string, found["gap"], found["link"]
    if gap and not _GAP.fullmatch(gap):
        return False
    if _JOINS_DIRECTLY.search(link):
        return link != " to " or search_before(_VERB_TO, text, found.start()) is not None
    is_beside = link == " " and not gap
    has_digits = sum(map(str.isdigit, found["secret"])) >= _LEAST_DIGITS
    if is_beside and read_opening(found) in ("'", '"', "`"):
        return has_digits
    is_password = PASSWORDS.match(found["name"]) is not None
    has_owner = is_password or " " in found["name"] or "_" in found["name"]
    is_near = not gap or gap.endswith(")")
    end = found.start("secret") + len(found["secret"].rstrip(".,;:!?|\"'`)>*("))
    is_last = _ENDS_CLAUSE.match(text, end) is not None
    return has_owner and is_near and (is_last or (is_password and is_beside and has_digits))


def _told_korean(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value after its Korean name; 은/는, a sign or a copula behind it says that it is the
    secret.
    """
    return secret_of(
        read_told_value(
            found,
            numbers=bool(NUMBERED.search(found["name"])),
            is_direct=_is_direct_in_korean(found),
        )
    )


def _is_direct_in_korean(found: re.Match[str]) -> bool:
    text, end = found.string, _end_of_value(found)
    if _KO_CHANGED.match(text, end):
        return True
    has_copula = _KO_COPULA.match(text, end) is not None
    gap = found["gap"]
    if not gap:
        return has_copula or bool(found["link"])
    if _KO_CHANGES.search(gap) and compile_on_use(r"\s?으?로").match(text, end):
        return True
    return has_copula and not _KO_OTHER.match(gap)


_CLOSED_BY = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」"}
#: Characters of a value with Hangul in it.
_LEAST_KOREAN = 4
_LEAST_KOREAN_PHRASE = 5
#: Digits that a value has which nothing but its place says to be one.
_LEAST_DIGITS = 2


def _end_of_value(found: re.Match[str]) -> int:
    """Return where a value ends: before the quote that closes it, or the punctuation behind it."""
    text, start = found.string, found.start("secret")
    if closing := _CLOSED_BY.get(read_opening(found)):
        quoted = compile_on_use(rf"[^\n{closing}]{{1,64}}(?={closing})").match(text, start)
        if quoted:
            return quoted.end()
    return start + len(found["secret"].rstrip(".,;:\"'`)>*("))


def _told_in_hangul(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value with Hangul in it: `비번: 천하무적-12#`, `암호는 황금돼지77 이야`; without a digit only alone
    after a sign.
    """
    text, start = found.string, found.start("secret")
    quoted = None
    if read_opening(found) in _CLOSED_BY:
        quoted = compile_on_use(r"[^\n\"'`”’」]{1,64}(?=[\"'`”’」])").match(text, start)
    bare = compile_on_use(r"[\"'`”’」>)*,;:.\]]{0,4}$").sub("", found["secret"])
    value = quoted[0] if quoted else _without_particle(bare)
    if value.isascii() or compile_on_use(
        r"[(){}\[\]<>\"`/\\=,:]|\d\s?(?:자|개|회|번|년|월|일|시|분|초|글|명|원)|\d\.$"
    ).search(value):
        return None
    end = start + len(value)
    is_told = _KO_COPULA.match(text, end) is not None
    digits = sum(map(str.isdigit, value))
    if digits and len(value) >= _LEAST_KOREAN:
        has_sign = compile_on_use(r"[!@#$%^&*?+~_-]").search(value) is not None
        is_long = compile_on_use(r"[가-힣]{4,}\d+[!@#$%^&*]{0,2}").fullmatch(value) is not None
        is_one = digits >= _LEAST_DIGITS or has_sign or (is_long and not is_plain_korean(value))
        return (start, end) if is_told and is_one else None
    if is_plain_korean(value):
        return None
    if quoted:
        return (start, end) if is_told and len(value) >= _LEAST_KOREAN_PHRASE else None
    is_after_sign = found["link"] in (":", "=") and compile_on_use(r"[\"'`”’」]?\s*(?:$|\n)").match(
        text, end
    )
    is_word = compile_on_use(r"[가-힣]{4,12}[!@#$%^&*?~]{0,3}").fullmatch(value)
    return (start, end) if is_after_sign and is_word else None


_KO_TAIL = defer_pattern(
    r"(?P<value>.*[^가-힣][가-힣]*?)"
    r"(?:이라는|이라고|라고|이에요|이예요|예요|에요|입니다|이었음|였음|이던데|던데|인데요?|이거든|거든|이니까|니까|이래|이야|야|이고|이다|임|이지|이죠"
    r"|으로|로|이요|요|이라|라|이|가|은|는|을|를|도)$"
)


def _without_particle(value: str) -> str:
    """Return a value with Hangul in it without the particle or copula behind it."""
    tailed = _KO_TAIL.fullmatch(value)
    return tailed["value"] if tailed else value


def _cut_value_before_noun(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value that stands before its name: `use h7Kqx2vP as the wifi password`."""
    text = found.string
    link = found["link"].strip().lower()
    name = compile_on_use(rf"{_EN}|{_KO}").match(text, found.end())
    if name is None:
        return None
    stops = _EN_STOPS if link.isascii() else _KO_AFTER_NAME
    is_asked = search_before(_ASKED, text, found.start("secret")) is not None
    is_told = link not in ("when", "if") or is_asked
    is_last = stops.match(text, name.end()) is not None
    is_direct = PASSWORDS.match(name[0]) is not None and is_last and is_told
    numbers = link == "as" and NUMBERED.search(name[0]) is not None
    return secret_of(read_told_value(found, numbers=numbers, is_direct=is_direct, name=name[0]))


_ASKED = defer_pattern(r"(?i)\b(?:type|enter|use|try|put in|with) [\"'`“‘]?$")


def _cut_pair_password(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the second of a user and a password: `admin / h7Kqx2vP`."""
    if compile_on_use(r"[A-Za-z-]{1,24}[.,;)]?").fullmatch(found["secret"]):
        return None
    is_direct = " / " in found[0] or bool(found["strong"])
    return secret_of(read_told_value(found, numbers=False, is_direct=is_direct))


def _beside_account(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut what stands behind a user: the words before that speak of a login are looked for last."""
    text, at = found.string, found.start()
    if found["secret"].rstrip(".,;)").isalpha():
        return None
    if not (search_before(_USER, text, at) or search_before(_LOGS_IN, text, at)):
        return None
    return secret_of(read_told_value(found, numbers=False, is_direct=True))


def _of_named_user(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the password beside the name of its user, where it may be a plain word."""
    value = found["secret"].rstrip(".,;:!?)\"'`")
    is_said = is_state(value) or is_word_of_interface(value) or value.lower() in PREDICATES
    if is_said or not is_literal(value) or not compile_on_use(r"[A-Za-z0-9]").search(value):
        return None
    return found.start("secret"), found.start("secret") + len(value)


def _cut_dialled_digits(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the numbers that open a lock."""
    value = found["secret"]
    is_year = compile_on_use(r"(?:19|20)\d\d").fullmatch(value) and not found["link"]
    is_one = not is_year and len(set(value)) > 1
    return found.span("secret") if is_one and not COUNTS.match(found.string, found.end()) else None


def _cut_answered_line(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the line that answers a question for a password; without a question mark, one with a word
    that asks.
    """
    is_question = search_before(_ASKS, found.string, found.end("gap")) is not None
    return _cut_answer_line(found) if is_question else None


_ASKS = defer_pattern(
    r"(?i)(?:\?\s*|\b(?:what|whats|what['’]s|which|again|send|tell|give|remind)\b[^\n]*)$"
)


def _cut_answer_line(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the line that answers a question for a password."""
    return secret_of(
        read_told_value(found, numbers=bool(NUMBERED.search(found["name"])), is_direct=True)
    )


def _cut_passphrase_words(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut words that are told as a passphrase: several, and none that only joins others."""
    return found.span("secret") if is_phrase(found["secret"]) else None


_PAIR_HINTS = ("login", "cred", "계정", "접속", "와이파이", "로그인", "아이디")
_ACCOUNT = (
    r"(?i:(?P<strong>creds?|credentials?|접속 ?정보|로그인 ?정보|계정 ?정보|아이디 ?[/,·] ?(?:비번|비밀번호|암호|패스워드"
    r"|pw))|log(?:ged)? ?[io]n|"
    r"sign(?:ed)? in|ssh|accounts?|user(?:name)?|wi-?fi|계정|접속|와이파이|로그인|아이디|어드민|관리자|admin)"
)
_USER = defer_pattern(r"(?i)(?<![\w./-])(?:admin(?:istrator)?|root|guest|demo|\S{1,40}@\S{3,40})\Z")
_LOGS_IN = defer_pattern(rf"{_ACCOUNT}[^\n/]{{0,30}}?(?<=[\s:=(])[\w.@+-]{{2,32}}\Z")

PROSE = (
    Rule(
        name="password",
        hints=_EN_HINTS,
        pattern=rf"(?P<name>{_EN}){_WORDS}{_LINK}{_TOLD}",
        example="The staging password for the database is h7Kqx2vP!",
        counter_example="The password must be at least twelve characters.",
        cut=_cut_told_password,
        in_source=False,
        opens=_EN,
    ),
    Rule(
        name="password",
        hints=_EN_HINTS,
        pattern=(
            rf"(?P<name>{_EN})(?P<gap>(?: (?i:for|of) [^\s.,:;=]{{1,24}}| "
            rf"?\([^()\n]{{1,40}}\))??){_NEAR}{_TOLD}"
        ),
        example="set the root password to h7Kqx2vP on the box",
        counter_example="password reset e-mails are sent within a minute",
        cut=_cut_told_password,
        in_source=False,
        opens=_EN,
    ),
    Rule(
        name="password",
        hints=_EN_HINTS,
        pattern=_EN,
        example="Use h7Kqx2vP as the wifi password.",
        counter_example="Use sha256 as the password hash.",
        lead=_EN_LEAD,
        cut=_cut_value_before_noun,
        in_source=False,
        opens=_EN,
    ),
    Rule(
        name="password",
        hints=("pass",),
        pattern=(
            r"(?i:pass(?:phrase|word))s?(?: (?i:for|of|on|to) [^:.\n]{1,40})?(?: ?[:=] ?| "
            r"(?i:is|was|is now) )(?P<secret>[a-z]{3,10}(?: [a-z]{3,10}){3,7})(?=[.!)\s]{0,3}(?:$"
            r"|\n))"
        ),
        example="passphrase: correct horse battery staple",
        counter_example="the passphrase is stored on the blue drive",
        cut=_cut_passphrase_words,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("app pass", "앱 비밀번호", "앱 비번"),
        pattern=(
            r"(?i:app ?pass\w{0,8}|앱 ?(?:비밀 ?번호|비번))[^\n:]{0,24}?(?: is |[:=은는] "
            r"?)(?P<secret>[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?![a-z])"
        ),
        example="gmail app password: abcd efgh ijkl mnop",
        counter_example="app password: made once",
        in_source=False,
    ),
    Rule(
        name="password",
        hints=_KO_HINTS,
        pattern=(
            rf"(?P<name>{_KO})(?: ?\([^()\n]{{1,20}}\))?(?: (?=[은는이가을를] "
            rf"))?(?P<josa>[가-힣]{{0,3}})\??(?P<gap>(?: [가-힣]{{1,8}}[.,?!]?){{0,3}}) "
            rf"?(?P<link>(?:[:=,→-]|=>|->)?) ?\n?{_TOLD}"
        ),
        example="스테이징 비밀번호는 h7Kqx2vP! 이다",
        counter_example="비밀번호는 여덟 자 이상이어야 한다. SHA256으로 해시한다.",
        cut=_told_korean,
        in_source=False,
        opens=_KO,
    ),
    Rule(
        name="password",
        hints=_KO_HINTS,
        pattern=(
            rf"(?P<name>{_KO})(?:은|는|이|가|을|를|도)?(?P<gap>) ?(?P<link>(?:[:=→]|=>|->)?) "
            rf"?(?P<opens>{_OPENS})(?P<secret>(?=[^\s]{{0,40}}[가-힣])[!-~가-힣]{{3,64}})"
        ),
        example="비번: 천하무적-12#",
        counter_example="비밀번호: 영문과숫자",
        cut=_told_in_hangul,
        in_source=False,
        opens=_KO,
    ),
    Rule(
        name="password",
        hints=_KO_HINTS,
        pattern=_KO,
        example="h7Kqx2vP를 새 비밀번호로 쓴다",
        counter_example="db01에서 비밀번호를 바꾼다",
        lead=_KO_LEAD,
        cut=_cut_value_before_noun,
        in_source=False,
        opens=_KO,
    ),
    Rule(
        name="password",
        hints=("keypad", "lockbox", "combo", "도어락", "도어록", "자물쇠", "금고", "현관"),
        pattern=(
            r"(?P<name>(?i:keypad|lock ?box|combo)|도어[락록]|자물쇠|금고|(?:(?<=공동))?현관(?=[은이]? "
            r"?[#*]))(?: ?(?:is|was|번호|비번))?[은는이가]?(?P<gap>) ?(?P<link>[:=]?) "
            r"?(?P<opens>)(?P<secret>[0-9*#]{4,8}|\d{1,2}(?:[ -]\d{1,2}){2,3})(?![0-9A-Za-z.])"
        ),
        example="garage keypad: 9471",
        counter_example="도어락 2대를 2024년에",
        cut=_cut_dialled_digits,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=_PAIR_HINTS,
        pattern=(
            rf"{_ACCOUNT}[^\n/]{{0,30}}?(?<=[\s:=(])(?!arn:|https?:|id:)[\w.@+-]{{2,32}}(?: / "
            rf"|/|:)(?P<opens>[\"'`]?)(?P<secret>[!-~]{{4,200}})"
        ),
        example="credentials are kim / h7Kqx2vP",
        counter_example="login at host:8080",
        cut=_cut_pair_password,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=("user", "login", "account", "계정", "아이디"),
        pattern=(
            r"(?i:user(?:name)?|login|account|계정|아이디)(?:은|는|:| is| =|=)? [\"'`]?(?!(?i:and|or|name"
            r"|the|is|with|your|a)\b)[\w.@+-]{2,40}[\"'`]?(?:,|;| and| with| \||이고|,? 그리고)? "
            r"(?i:with )?(?i:password|passwd|pass|pw|비밀번호|비번|암호)(?:은|는|:| is| =|=)? "
            r"(?P<secret>[^\s\"'<>(){}$%]{4,40})(?=[.,;]?[ \t]{0,8}(?:\n|\Z)|[.,;] )"
        ),
        example="username gardener, password sunflowers",
        counter_example="a user name and password required",
        cut=_of_named_user,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=(" / ",),
        pattern=r" / (?P<opens>)(?P<secret>[!-~]{4,200})",
        example="Log in with admin / h7Kqx2vP",
        counter_example="log in / sign up",
        cut=_beside_account,
        in_source=False,
    ),
    Rule(
        name="password",
        hints=_EN_HINTS,
        pattern=(
            rf"(?P<name>{_EN})(?P<gap>[^\n]{{0,40}}) ?\n(?:\[?[\d:. ]{{0,12}}\]? ?[\w .]{{1,16}}: "
            rf"?|> ?|- ?)?(?P<opens>[\"'`]?)(?P<secret>[!-~]{{4,64}})(?=[ \t]{{0,8}}(?:\n|\Z))"
        ),
        example="what's the wifi password?\n> tiger.lily.40",
        counter_example="did you change the password?\nyes",
        cut=_cut_answered_line,
        in_source=False,
        opens=_EN,
    ),
    Rule(
        name="password",
        hints=_KO_HINTS,
        pattern=(
            rf"(?P<name>{_KO})[^\n]{{0,24}}\n(?:[\w .]{{1,16}}: ?|> ?|- "
            rf"?)?(?P<opens>[\"'`]?)(?P<secret>[!-~]{{4,64}})(?=[가-힣]{{0,5}}[ \t.ㅋㅎ]{{0,8}}(?:\n"
            r"|\Z))"
        ),
        example="비번 뭐였지\ntiger.lily.40",
        counter_example="비번 바꿨어?\n아니",
        cut=_cut_answer_line,
        in_source=False,
        opens=_KO,
    ),
)

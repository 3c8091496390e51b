"""Numbers and words of papers and wallets: passports, driving licences, IBANs, recovery codes and
phrases.

What has check digits proves itself; everything else needs the noun that names it before it.
"""

import re

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import AROUND, Rule, compile_after_words, compile_on_use, search_before

_LINK = (
    r"(?:[’']s|[은는이가을를]|은요)?(?: ?(?:no\.?|number|num|#|번호)[은는이가]?)?(?: ?(?:is|was|:|=|->|→"
    r"|-)){0,2}"
)
_OPENS = r"[ \t]{0,3}[\"'`(*]{0,2}"
_END = r"(?![A-Za-z0-9])"
_COUNTRIES = (
    "AD AE AL AT AZ BA BE BG BH BR BY CH CR CY CZ DE DK DO EE EG ES FI FO FR GB GE GI GL GR "
    "GT HR HU IE IL IQ IS IT JO KW KZ LB LC LI LT LU "
    "LV LY MC MD ME MK MR MT MU NL NO PK PL PS PT QA RO RS SA SC SE SI SK SM ST SV TL TN TR "
    "UA VA VG XK"
)
#: Words of a wallet have three to eight letters; a sentence has shorter ones and signs between.
_WORD = r"[a-z]{3,8}(?![a-z'’-])"
_BETWEEN_WORDS = r"[ \t,\n][ \t,\n|>-]{0,8}(?:\d{1,2}[.):]?[ \t]{1,3})?"
_LEAST_IBAN = 15
_MOST_WORDS = 24
_LEAST_WORDS = 12
_FEW_WORDS = 4
_CODE = r"[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,10}){0,5}(?![A-Za-z0-9가-힣])"
_BETWEEN_CODES = (
    r"[\"'`]{0,1}(?:[,/]?[ \t]{1,3}|,|[ \t]{0,3},?\n[ \t]{0,8}(?:[-*•]|\d{1,2}[.)])?[ "
    r"\t]{0,3})[\"'`]{0,1}"
)


def _cut_checked_iban(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut an account number whose check digits are right; a word behind it is none of it."""
    groups = found[0].split(" ")
    while groups:
        number = "".join(groups)
        if (
            len(number) >= _LEAST_IBAN
            and int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1
        ):
            return found.start(), found.start() + len(" ".join(groups))
        groups.pop()
    return None


def _number_of_paper(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the number of a passport or licence: capitals and digits, most of them digits."""
    start = found.start("secret")
    groups = found["secret"].rstrip(" -").split(" ")
    while len(groups) > 1 and not any(map(str.isdigit, groups[-1])):
        groups.pop()
    value = " ".join(groups)
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    is_date = compile_on_use(r"(?:19|20)\d\d[-.]\d\d[-.]\d\d").fullmatch(value)
    return (
        (start, start + len(value)) if digits >= 5 and digits >= letters and not is_date else None
    )


_DRIVER = defer_pattern(r"(?i)\bdriv\w{2,5}(?:['’]?s)?[ _-]$")


def _number_of_driver(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the number of a licence to drive; other licences have numbers that are no secret."""
    is_drivers = search_before(_DRIVER, found.string, found.start())
    return _number_of_paper(found) if is_drivers else None


def _words_of_wallet(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a run of twelve to twenty-four words; a longer one is a text."""
    text, start = found.string, found.start("secret")
    label = compile_on_use(r"[^:]{1,60}: ").match(text, start)
    return _run_of_words(text, start) or (_run_of_words(text, label.end()) if label else None)


def _run_of_words(text: str, start: int) -> tuple[int, int] | None:
    at = end = start
    words: list[str] = []
    while len(words) <= _MOST_WORDS and (word := compile_on_use(_WORD).match(text, at)):
        words.append(word[0])
        end = at = word.end()
        if between := compile_on_use(_BETWEEN_WORDS).match(text, end):
            at = between.end()
    return (
        (start, end)
        if _LEAST_WORDS <= len(words) <= _MOST_WORDS and len(set(words)) > _FEW_WORDS
        else None
    )


def _cut_code_row(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a row of codes that each hold a digit, as far as it goes."""
    text, start = found.string, found.start("secret")
    end = at = start
    while (code := compile_on_use(_CODE).match(text, at)) and _is_code(code[0]):
        end = code.end()
        gap = compile_on_use(_BETWEEN_CODES).match(text, end)
        at = gap.end() if gap else end
        if gap is None:
            break
    return (start, end) if end > start else None


def _is_code(value: str) -> bool:
    bare = value.replace("-", "")
    digits = sum(map(str.isdigit, bare))
    if value.isdigit():
        return len(value) >= 4 and not compile_on_use(r"(?:19|20)\d\d").fullmatch(value)
    return (
        len(bare) >= 6
        and digits >= 1
        and not compile_on_use(r"(?:19|20)\d\d-\d\d-\d\d").fullmatch(value)
    )


_PAPERS = (
    (
        "passport-number",
        ("passport", "여권"),
        (
            rf"(?i:passport)(?: ?(?i:no\.?|number|num|#))?{_LINK}{_OPENS}(?P<secret>[A-Z0-9]{{7,"
            rf"10}}){_END}"
        ),
        "my passport number is M12345678",
        "passport 2031-05-02",
    ),
    (
        "passport-number",
        ("여권",),
        rf"여권 ?(?:번호)?{_LINK}{_OPENS}(?P<secret>[A-Z][A-Z0-9]{{7,9}}){_END}",
        "여권번호 M123A4567",
        "여권은 2031년에 만료",
    ),
    (
        "licence-number",
        ("면허",),
        (
            rf"면허(?:증)? ?(?:번호)?{_LINK}{_OPENS}(?P<secret>(?:[가-힣]{{2}} "
            rf"?)?\d{{2}}-\d{{2}}-\d{{6}}-\d{{2}}|\d{{12}})(?!\d)"
        ),
        "운전면허번호: 11-22-333333-44",
        "면허 갱신은 2027-05-02",
    ),
)
_WALLETS = (
    "metamask Metamask MetaMask ledger Ledger trezor Trezor phantom seed recovery backup mnemonic "
    "secret wallet Seed Recovery Backup Secret Wallet SEED RECOVERY MNEMONIC"
)
_PHRASE_NOUN = (
    rf"(?:{compile_after_words(_WALLETS, '[ _-]')}(?i:phrase|words)|(?i:mnemonic|(?:twelve"
    r"|(?<![0-9])12"
    r"|(?<![0-9])24|twenty-four|fifteen|eighteen) words|seed[ _-]words|seed(?=[:=]| is | -> "
    r"))|"
    r"시드(?: ?(?:구문|문구|단어|워드|프레이즈))?|니모닉|복구 ?(?:구문|문구|단어)|지갑 ?(?:구문|문구))"
)

_RECOVERY = "recovery backup Recovery Backup RECOVERY BACKUP"
DOCUMENTS = (
    Rule(
        name="iban",
        hints=(),
        pattern=(
            rf"(?:{'|'.join(_COUNTRIES.split())})(?<![A-Za-z0-9_]..)[0-9]{{2}}(?:[A-Z0-9]{{11,30}}"
            rf"|(?: [A-Z0-9]{{4}}){{2,7}}(?: [A-Z0-9]{{1,4}})?){_END}"
        ),
        example="IBAN DE89 3704 0044 0532 0130 00",
        counter_example="DE89 3704 0044 0532 0130 01",
        cut=_cut_checked_iban,
        in_source=False,
        needs=(b"AA00",),
        before=AROUND,
    ),
    *(Rule(*row)._replace(cut=_number_of_paper, in_source=False) for row in _PAPERS),
    Rule(
        name="licence-number",
        hints=("licen",),
        pattern=(
            r"(?i:licen[cs]es?)(?: ?(?i:no\.?|number|num"
            rf"|#))?{_LINK}{_OPENS}(?P<secret>[A-Z0-9][A-Z0-9 -]{{5,24}})"
        ),
        example="driver's license number is D1234567",
        counter_example="driver's license renewal costs 40",
        cut=_number_of_driver,
        in_source=False,
    ),
    Rule(
        name="seed-phrase",
        hints=(
            "phrase",
            "seed",
            "mnemonic",
            "twelve words",
            "12 words",
            "24 words",
            "twenty-four words",
            "words",
            "시드",
            "니모닉",
            "복구",
            "지갑",
        ),
        pattern=(
            rf"{_PHRASE_NOUN}[^\n.]{{0,40}}?(?:[:=>→\s]|은 |는 |is ){{1,6}}(?:\d{{1,2}}[.):] "
            rf"?)?[\"'`]?(?P<secret>[a-z]{{3,8}})(?![a-z])"
        ),
        example="seed phrase: "
        "ribbon canyon velvet orbit maple siren pottery quantum zebra lunar fabric oyster",
        counter_example=(
            "the seed phrase has twelve words that you write down on paper, never in a file"
        ),
        cut=_words_of_wallet,
    ),
    Rule(
        name="recovery-code",
        hints=("code", "코드", "번호"),
        pattern=(
            rf"(?:{compile_after_words(_RECOVERY, '[ _-]')}(?i:codes?)|(?:(?<=복구)|(?<=백업)"
            r"|(?<=복구 )|(?<=백업 "
            rf"))(?:코드|번호))(?:[^\n:0-9]{{0,40}}:|[은는이가]|(?: for [\w .]{{1,24}})? (?:is|are"
            rf"|was))?[ \t]{{0,3}}(?:\n[ \t]{{0,8}}(?:[-*•]|\d{{1,2}}[.)])?[ "
            rf"\t]{{0,3}}){{0,2}}[\[\"'`]{{0,2}}(?P<secret>[A-Za-z0-9]{{3}})"
        ),
        example="github recovery codes:\n8f3k-22mx\n91ab-cd34",
        counter_example="backup codes are printed once",
        cut=_cut_code_row,
        in_source=False,
    ),
)

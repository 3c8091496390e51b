"""Keyword tokens for Korean and English: the same for every store, standard library alone.

Korean: overlapping pairs of syllables (결제했다 → 결제 제했 했다), which find a stem under any particle or
ending at no cost; a morphological analyser finds no more (measured: KorQuAD R@10 .993 either way)
and needs 500 MB.

English: lower case, Porter2 stems; identifiers whole and by their parts (parseInvoiceDate →
parseinvoicedate pars invoic date). Han and kana: pairs, like Hangul.

Text is first normalised to NFC, so that decomposed (macOS) Korean matches, and invisible characters
are removed. A number with a Korean counter is a token of its own too (500번으로 → 500 번으 으로 500번), so
that "$500" does not rank first.
"""

import re
import unicodedata
from functools import lru_cache

from gieok.text.invisible import without_parts, without_unseen
from gieok.text.stem import stem_english_word as _stem

#: Stored with the data: raise it whenever the tokens of any text would change.
VERSION = 4
#: Token versions of which today's queries find most: version 2 lacks the numbers with Korean
#: counters, version 3 the words that invisible characters split.
READABLE = (2, 3, VERSION)

_HANGUL = "가-힣ㄱ-ㅎㅏ-ㅣ"
#: Letters only: a middle dot ends a word; unassigned code points are left out.
_HAN = (
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d"
    "\ufa70-\ufad9"
)
# Strings, which `re` compiles and caches on first use: compiling all of them takes four
# milliseconds.
_WORD = rf"[{_HANGUL}]+|[{_HAN}]+|[^\W{_HANGUL}{_HAN}]+"
_LETTERS = r"\w+"
#: Every other character of ASCII → a blank, at which a text is cut: three times as fast as finding
#: the letters by a pattern.
_APART = {code: " " for code in range(128) if not re.match(_LETTERS, chr(code))}
_PART = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+"
#: A number and its Korean counter, with or without a space; longer counters stand first (3시간 is no
#: 3시).
_COUNTED = (
    r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+) ?(개월|시간|주일|주년|번째|번지|만원|만|억|천|년대|퍼센트|프로|킬로"
    r"|미터|그램|리터|바이트|세대|차례|가지|군데|마리|그루|켤레|페이지|포인트|[번개시분초일월년주원명회살층호권대장건배차달잔병통줄쪽편점등위퍼조급인])"
)
#: Longer words (base64, hashes) are cut, because nobody searches for their inside.
_LONGEST_WORD = 64
_CACHED_WORDS = 100_000

_STOP_ENGLISH = frozenset(
    """
        a an the of in on at to for and or is are was were be been it its this that with as
        by from what which who whom when where how why did does do has have had i you he she
        they we his her their my your me him them
    """.split()
)
#: Korean interrogatives: they occur in every question and in no answer.
_STOP_KOREAN = frozenset(
    """무엇 무엇인가 무엇이 무엇을 무엇이라 무엇이라고 무엇인지 뭐 뭐야 뭐지 뭐였지 뭘 누구
    누구인가 누구의 누가 누구에게 누구인지 누구야 언제 언제인가 언제부터 언제까지 언제야
    언제였지 어디 어디인가 어디에 어디에서 어디서 어디로 어디야 어떤 어느 어떻게 왜 얼마
    얼마나 얼마인가 몇 무슨 것은 것 것이 것을 것인가 것으로 있는 하는 했던 한 된 이 그 저
    있나 있는가 했는가 하는가 되었는가 인가 였나 이었나""".split()
)
_PARTICLES = frozenset("은는이가을를에의와과로도만서랑")
#: Interrogative endings and particles; stripped from questions only, and only down to two
#: syllables.
_ENDING = r"(인가|는가|은가|였나|었나|했나|나요|까요|습니까|입니까|인지|였지|었지|지요|죠|니까|은|는|이|가|을|를|의)$"


class _WordTokens(dict[str, str]):
    """Cache: word → its tokens joined by spaces.

    Words repeat so often that the speed rests on this cache.
    """

    def __missing__(self, word: str) -> str:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        joined = self[word] = " ".join(_tokens_of(word[:_LONGEST_WORD]))
        return joined


_WORDS = _WordTokens()
#: Cached apart from whole words: parts of identifiers repeat far more often than identifiers do.
stem = lru_cache(_CACHED_WORDS)(_stem)


def normalise(text: str) -> str:
    """Return `text` in NFC without invisible characters, the form in which text is compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", without_unseen(text))


def _split_script_runs(text: str) -> list[str]:
    """Return runs of letters of one script."""
    return (
        text.translate(_APART).split()
        if text.isascii()
        else re.findall(_WORD, without_parts(normalise(text)))
    )


def keyword_text(text: str) -> str:
    """Return the tokens of `text` in order, joined by single spaces: what a store indexes."""
    return " ".join(
        [*map(_WORDS.__getitem__, _split_script_runs(text)), *_find_counted_numbers(text)]
    )


def _find_counted_numbers(text: str) -> list[str]:
    """Return numbers with their Korean counters, as tokens: 500번, 3개월."""
    if text.isascii():
        return []
    return [
        number.replace(",", "") + counter
        for number, counter in re.findall(_COUNTED, normalise(text))
    ]


def keyword_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in order, repeats included."""
    return keyword_text(text).split()


def query_tokens(text: str, stop_words: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return the tokens to look for, with their weights.

    Stop words are left out, unless there is nothing else. A question also loses its interrogatives
    and endings (무엇인가, -했나); a statement keeps all of its words.
    """
    words = _split_script_runs(text)
    asks = not is_statement(text)
    terms = [
        _strip_korean_particle(word) if asks else word
        for before, word in zip(["", *words], words, strict=False)
        if not (_is_stop(word, before, asks) or word.lower() in stop_words)
    ]
    tokens = (token for word in terms or words for token in _WORDS[word].split())
    return dict.fromkeys((*tokens, *_find_counted_numbers(text)), 1.0)


def _is_stop(word: str, before: str, asks: bool) -> bool:
    if word.isascii():
        return word.lower() in _STOP_ENGLISH
    if word in _PARTICLES and before and before.isascii():  # Hermes는
        return True
    return asks and word in _STOP_KOREAN


def _strip_korean_particle(word: str) -> str:
    """Strip a Korean particle or interrogative ending from a word of three syllables or more."""
    if len(word) < 3 or not _is_hangul(word[0]):
        return word
    base = re.sub(_ENDING, "", word)
    return base if len(base) >= 2 else word


def is_statement(text: str) -> bool:
    """Return whether a text is a statement, not a question or a name.

    The test looks at punctuation, first word and ending.
    """
    text = text.strip()
    if "?" in text or re.search(_REQUEST_END, text) or re.match(_REQUEST_START, text):
        return False
    if re.search(_FULL_STOP, text):
        return not re.match(_ASKING_START, text)
    return bool(re.search(_STATING_END, text))


def asks_or_requests(sentence: str) -> bool:
    """Return whether a sentence asks or requests by its first word, or requests by its ending."""
    sentence = sentence.strip()
    begins = re.match(_REQUEST_START, sentence) or re.match(_ASKING_START, sentence)
    return begins is not None or re.search(_REQUEST_END, sentence) is not None


_FULL_STOP = r"""[.!。]["')\]]?$"""
_ASKING_START = (
    r"(?i)(who|what|when|where|which|why|how|whose|whom|is|are|was|were|do|does|did|can|could"
    r"|will|would|should"
    r"|has|have|had)\b"
)
#: A request is no statement, whatever its ending: "요약해줘.", "Tell me about the outage."
_REQUEST_END = r"(?:줘|줘요|주세요|줄래요?|주라|줘라|주십시오|부탁해요?|부탁드려요|부탁드립니다|부탁합니다)[.!~]*$"
_REQUEST_START = (
    r"(?i)(?:please|tell me|show|give me|list|find|explain|summari[sz]e|describe|remind me)\b"
)
_STATING_END = r"(?<!까)(다|요|음)$"


def _tokens_of(word: str) -> list[str]:
    if _is_hangul(word[0]) or _is_han(word[0]):
        return [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    if word.isascii():
        return _latin_tokens(word)
    # Stripping accents may produce punctuation (⑴ is "(1)"), which ends a word.
    pieces = re.findall(_LETTERS, _without_accents(word))
    return [token for p in pieces for token in (_latin_tokens(p) if p.isascii() else [p.lower()])]


def _without_accents(word: str) -> str:
    """Return `cafe` for `café`: people write both."""
    return "".join(
        char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char)
    )


def _latin_tokens(word: str) -> list[str]:
    whole = word.lower()
    parts = [part.lower() for part in re.findall(_PART, word)]
    if len(parts) < 2:
        return [stem(parts[0] if parts else whole)]
    return [whole, *map(stem, parts)]


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣" or "ㄱ" <= char <= "ㅣ"


def _is_han(char: str) -> bool:
    return (
        "\u3041" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"
    )


def fold_for_search(text: str) -> str:
    """Return text for substring search that ignores case and normal form."""
    return normalise(text).casefold()

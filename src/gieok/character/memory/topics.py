"""Topics of a talk without a model: its nouns, by the words around them.

A Korean noun stands before a case particle, an English one behind an article or a possessive. What
is said in several messages, or is the value of a fact, is what the talk was about.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

#: Particles that stand behind nouns alone, the longest first.
_KOREAN = re.compile(
    r"(?<![가-힣])(?P<noun>[가-힣]{2,6}?)(?:이랑|에서|한테|에게|으로|까지|부터|을|를|랑|와|과|이|가|에)(?![가-힣])"
)
#: Endings of verbs and adverbs that look like nouns before a particle.
_NO_NOUN = re.compile(
    r"[하되있없같시어아했겠더려만나오니지던은는인할될라] ?$|^(?:그거|이거|저거|그것|이것|저것|우리|저희|자기|누구|뭔가|아무|모두|다들|때문"
    r"|나중|다음|이번|저번|지난|오늘|어제|내일|요즘|요새|지금|이제|아까|정도|생각|얘기|이야기|사람|사실|정말|진짜|조금|많|같|서로|거기|여기|저기|그때|이때|하나"
    r"|혼자|처음|그대|차라리|도대|갑자기|우연|확실|전에|뒤에|앞에|중에|옆에|덕분|동안)"
)
_ENGLISH = re.compile(
    r"\b(?:the|an?|my|his|her|our|your|their|this|that)\s+(?:new |old |little |big )?([a-z]{3,})\b"
)
_NO_ENGLISH_NOUN = frozenset(
    (
        "lot bit same time thing things way day one other first last next only whole kind sort "
        "moment end rest best worst guy person people new old little big few good bad really very "
        "just for the her his and but not quite stuff days week weeks month year years hour name "
        "call head date man"
    ).split()
)
_VALUE_NOUN = re.compile(r"[가-힣]{2,}|[A-Za-z]{3,}")


def find_topics(texts: Sequence[str], values: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the topics of messages, the most talked about first.

    `values` are the values of the facts that the messages state.
    """
    counts = Counter(noun for text in texts for noun in set(_iter_nouns(text)))
    stated = {word for value in values for word in _VALUE_NOUN.findall(value)}
    folded = [text.casefold() for text in texts]
    weights = {noun: sum(noun in text for text in folded) + (noun in stated) for noun in counts}
    topics = [noun for noun in counts if weights[noun] > 1 and not _is_covered(noun, weights)]
    return tuple(sorted(topics, key=lambda noun: (-weights[noun], noun)))[:most]


def _iter_nouns(text: str) -> Iterator[str]:
    for found in _KOREAN.finditer(text):
        if not _NO_NOUN.search(found["noun"]):
            yield found["noun"]
    for found in _ENGLISH.finditer(text.casefold()):
        if found[1] not in _NO_ENGLISH_NOUN:
            yield found[1]


def _is_covered(noun: str, weights: dict[str, int]) -> bool:
    """Return whether a longer noun that is as frequent holds this one."""
    return any(
        noun != other and noun in other and weights[other] >= weights[noun] for other in weights
    )

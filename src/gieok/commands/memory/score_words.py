"""Words for what makes the score of a hit, for people: retrievers, factors, features."""

from collections.abc import Mapping

from gieok.commands.command import Style
from gieok.text.messages import Words

RETRIEVERS = {
    "keyword": Words("the words"),
    "vector": Words("the meaning"),
    "managed": Words("the search service"),
}
FACTORS = {
    "reranker": Words("the second model's word"),
    "decay": Words("left after its age"),
    "days": Words("it is of the days asked for"),
    "mark": Words("its own mark of importance"),
    "not_read": Words("not read by the reader"),
}
#: Feature of the log-odds → its description. Features with the same description are added up.
PARTS = {
    "bias": Words("most lines do not answer: the start"),
    "lead": Words("lead over the next one"),
    "stands_out": Words("how far it stands out"),
    "keyword": Words("how well its words match"),
    "best_keyword": Words("how well its words match"),
    "coverage": Words("how much of the question it holds"),
    "coverage_near": Words("how much of the question it holds"),
    "best_coverage_near": Words("how much of the question it holds"),
    "cosine": Words("how near its meaning is"),
    "best_cosine": Words("how near its meaning is"),
    "vector_z": Words("nearer in meaning than others"),
    "mean_cosine": Words("how near everything is"),
    "fused": Words("its places with all retrievers"),
    "near_keyword": Words("the lines around it"),
    "near_vector": Words("the lines around it"),
    "answers": Words("comes after a question"),
    "asks": Words("asks rather than answers"),
    "dated": Words("names a time, as was asked"),
    "number": Words("has a number, as was asked"),
    "length": Words("how long it is"),
    "names": Words("the names asked for"),
    "unseen": Words("rare words that are nowhere"),
    "unseen_names": Words("names that are nowhere"),
    "speaker": Words("said by whom was asked for"),
    "user": Words("you said it"),
    "own_user": Words("you said it of yourself"),
    "of_assistant": Words("the agent said it, as was asked"),
    "help": Words("whether it helps, as the reader judges"),
    "best_help": Words("whether it helps, as the reader judges"),
    "help_lead": Words("how much more it helps than the next one"),
    "other_language": Words("in the other language"),
    "best_other_language": Words("in the other language"),
    "statement": Words("the question is a statement"),
    "korean": Words("the question is Korean"),
    "tokens": Words("how long the question is"),
    "scope_size": Words("how much is remembered"),
    "words_nowhere": Words("words of the question that are nowhere"),
    **FACTORS,
}
_RANK = "_rank"


def format_signals(signals: Mapping[str, float], style: Style) -> str:
    """Return what each retriever, and each factor, said of a hit."""
    said: list[str] = []
    for name, value in signals.items():
        if name in RETRIEVERS:
            rank = signals.get(f"{name}{_RANK}")
            place = style.say(" (place {rank})", rank=round(rank)) if rank else ""
            said.append(f"{RETRIEVERS[name].say(style.lang)} {value:.3g}{place}")
        elif not name.endswith(_RANK):
            said.append(f"{_say_name(name, style)} {value:.3g}")
    return "; ".join(said)


def format_parts(parts: Mapping[str, float], style: Style) -> str:
    """Return what each feature adds to the log-odds; those of one name are added up."""
    added: dict[str, float] = {}
    for name, part in parts.items():
        words = _say_name(name, style)
        added[words] = added.get(words, 0.0) + part
    strongest = sorted(added.items(), key=lambda one: -abs(one[1]))
    return "; ".join(f"{part:+.2f} {words}" for words, part in strongest)


def _say_name(name: str, style: Style) -> str:
    return PARTS[name].say(style.lang) if name in PARTS else name

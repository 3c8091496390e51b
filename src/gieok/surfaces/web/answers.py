"""The line of a hit that answers, apart from the text around it."""

from typing import NamedTuple

from gieok.commands.memory.hits import SearchHit
from gieok.surfaces.web.markdown import MarkdownLine, parse_markdown_line
from gieok.text.assent import accepts
from gieok.text.marks import count_question_words
from gieok.text.turns import read_spoken_line

#: A longer line is cut; the whole of it stands in the text around.
_LONGEST = 400
#: A note of so many lines is shown whole: one line of it may be the wrong one, and saves no space.
_MOST_SHOWN_WHOLE = 6


class Answer(NamedTuple):
    """Line that answers, and what is folded below it.

    `speaker` is `user` or `assistant` where it was said, else ''; `heading` is the heading above
    the line, '' for none; `around` is the whole text, '' where it is the line alone. `is_short`:
    the whole text is a note of a few lines, which is shown with the line.
    """

    line: str
    speaker: str
    heading: str
    around: str
    is_short: bool = False


def find_answer(hit: SearchHit, question: str) -> Answer:
    """Return the line of a hit that answers a question.

    It is the line that was found by meaning, unless another one holds more words of the question;
    else the line with most of them. A heading counts only if nothing stands below it.
    """
    lines = [parse_markdown_line(line) for line in hit.snippet.split("\n")]
    worded = [place for place, line in enumerate(lines) if line.words]
    if not worded:
        return Answer("", "", "", "")
    place = _find_answer_place(hit, lines, worded, question)
    spoken = read_spoken_line([lines[place].words], 1)
    speaker, words = (spoken.who, spoken.text) if spoken else ("", lines[place].words)
    above = (lines[n].words for n in range(place - 1, -1, -1) if lines[n].kind == "heading")
    is_long = len(words) > _LONGEST
    return Answer(
        line=f"{words[:_LONGEST].rstrip()} …" if is_long else words,
        speaker=speaker,
        heading=next(above, ""),
        around=hit.snippet if is_long or len(worded) > 1 else "",
        is_short=hit.source == "memory" and not is_long and len(worded) <= _MOST_SHOWN_WHOLE,
    )


def _is_bare_answer(words: str) -> bool:
    spoken = read_spoken_line([words], 1)
    return spoken is not None and accepts(spoken.text)


def _find_answer_place(
    hit: SearchHit, lines: list[MarkdownLine], worded: list[int], question: str
) -> int:
    held = {place: count_question_words(lines[place].words, question) for place in worded}
    body = [place for place in worded if lines[place].kind != "heading"]
    # a "yes" beside the question that it answers tells nothing alone
    body = [place for place in body if not _is_bare_answer(lines[place].words)] or body
    told = parse_markdown_line((hit.line_text or "").strip()).words
    same = [place for place in worded if told in lines[place].words] if told else []
    if same and all(held[place] <= held[same[0]] for place in body):
        return same[0]
    best = max(worded, key=lambda place: held[place])
    if not body:
        return best
    if not any(held[place] for place in body):
        return next((place for place in body if place > best), body[0])
    return max(body, key=lambda place: held[place])

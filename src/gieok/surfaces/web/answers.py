"""The line of a hit that answers, apart from the text around it."""

from typing import NamedTuple

from gieok.commands.memory.hits import SearchHit
from gieok.surfaces.web.markdown import MarkdownLine, parse_markdown_line
from gieok.text.marks import count_question_words
from gieok.text.turns import read_spoken_line

#: A longer line is cut; the whole of it stands in the text around.
_LONGEST = 400


class Answer(NamedTuple):
    """Line that answers, and what is folded below it.

    `speaker` is `user` or `assistant` where it was said, else ''; `heading` is the heading above
    the line, '' for none; `around` is the whole text, '' where it is the line alone.
    """

    line: str
    speaker: str
    heading: str
    around: str


def find_answer(hit: SearchHit, question: str) -> Answer:
    """Return the line of a hit that answers a question.

    It is the line that was found by meaning; else the line with most words of the question, where a
    heading counts only if nothing stands below it.
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
    )


def _find_answer_place(
    hit: SearchHit, lines: list[MarkdownLine], worded: list[int], question: str
) -> int:
    told = parse_markdown_line((hit.line_text or "").strip()).words
    if told:
        same = [place for place in worded if told in lines[place].words]
        if same:
            return same[0]
    held = {place: count_question_words(lines[place].words, question) for place in worded}
    body = [place for place in worded if lines[place].kind != "heading"]
    best = max(worded, key=lambda place: held[place])
    if not body:
        return best
    if not any(held[place] for place in body):
        return next((place for place in body if place > best), body[0])
    return max(body, key=lambda place: held[place])

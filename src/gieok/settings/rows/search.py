"""Settings of search and of what is indexed for it."""

from gieok.settings.hook import RULES
from gieok.settings.option import Option

OPTIONS = (
    Option(
        "search.profile",
        "files",
        "how hits are ranked",
        in_project=True,
        choices=("files", "openclaw"),
    ),
    Option("search.limit", 0, "how many hits; 0: what the profile says", in_project=True, low=0),
    Option(
        "search.min_score",
        -1.0,
        "hits with a lower score are left out; -1: what the profile says",
        in_project=True,
        low=-1,
    ),
    Option(
        "search.half_life_days",
        -1.0,
        (
            "half-life of the age penalty on dated notes, in days; 0: no penalty, -1: what "
            "the profile says"
        ),
        in_project=True,
        low=-1,
    ),
    Option(
        "index.passage_tokens",
        400,
        "most tokens of a passage, the part of a text that a hit shows",
        low=32,
    ),
    Option("index.overlap_tokens", 80, "tokens that a passage repeats of the one before", low=0),
    Option(
        "index.sessions",
        True,
        "make each turn of the transcripts that Gieok reads searchable",
    ),
    Option(
        "seed.files",
        True,
        "also search the agents' own memory and files of instructions (CLAUDE.md, AGENTS.md …)",
    ),
    Option(
        "seed.commits",
        500,
        "how many of the newest Git commits of a project are searched too; 0: none",
        low=0,
    ),
    RULES,
    Option(
        "watch.debounce_ms",
        1500,
        "milliseconds without a change before a changed file is indexed",
        low=50,
    ),
    Option(
        "watch.rescan_s",
        300,
        "seconds without an event after which all files are compared again",
        low=1,
    ),
)

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
        "hits below are left out; -1: what the profile says",
        in_project=True,
        low=-1,
    ),
    Option(
        "search.half_life_days",
        -1.0,
        "decay of dated notes; 0: none, -1: what the profile says",
        in_project=True,
        low=-1,
    ),
    Option("index.passage_tokens", 400, "size of a passage", low=32),
    Option("index.overlap_tokens", 80, "what a passage repeats of the one before it", low=0),
    Option(
        "index.sessions",
        True,
        "what users and agents said is searchable: every turn of the transcripts that are read",
    ),
    Option(
        "seed.files",
        True,
        "agents' own memory and files of instructions (CLAUDE.md, AGENTS.md …) are searched too",
    ),
    Option(
        "seed.commits",
        500,
        "newest commits of a project's Git log that are searched too; 0: none",
        low=0,
    ),
    RULES,
    Option(
        "watch.debounce_ms", 1500, "milliseconds without a change before a file is indexed", low=50
    ),
    Option(
        "watch.rescan_s",
        300,
        "seconds without an event after which everything is compared again",
        low=1,
    ),
)

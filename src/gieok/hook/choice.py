"""Selection of the found memories that are worth showing unasked.

Imported by the hook: see the package. Nobody asked for the injected memories, so the best one must
be likely to bear on the prompt; once it is, more lines cost little.
"""

import os
import re
import time

from gieok.hook import inject
from gieok.hook.inject import InjectedMemory, Injection
from gieok.hook.window import ContextWindow
from gieok.ranking.likelihood import invert_logistic
from gieok.settings import trust
from gieok.settings.hook import HookSettings
from gieok.text.gist import as_told

#: Least log-odds of the best memory for anything to be shown. To them are added the log-odds that
#: the prompt asks for what was told (`ranking.learned.prompts`), at this weight and within these
#: bounds. Measured as two shares (prompts that memory cannot help and that get nothing; prompts
#: that get their line) and the share of lines that are right, on a stranger's memories among 300
#: sessions of others: .81, .48 and .53 at -1; .88, .42 and .53 at -0.7; .90, .38 and .65 at -0.3
#: (.88, .43 and .42 at -0.6 before lines were read together with the prompt).
FIRST = -0.7
#: The same for a best memory that the reader did not read: a note, or a line found by
#: keywords alone (.76, .33 and .53 at -1; .81, .29 and .59 at -0.8: judge_mx4, before *bears*).
FIRST_UNREAD = -1.0
ASKING, LEAST_ASKING, MOST_ASKING = 0.5, -2.0, 0.5
#: Least probability of each further memory; its least share of the best one's is the setting
#: `hook.low_ratio`: a line beside a good line must be likely itself. Recall of the hook on
#: told_dev, on unasked_ko, and tokens per prompt there: .44, .30, 233 at .1 and .25 of the best;
#: .40, .23, 169 at .15 and .4.
OTHERS = 0.1
#: A path with a folder or an ending, as memories name files; a version number is not a path.
_PATH = re.compile(
    r"(?<![\w/.@:-])((?:[\w.-]+/)+[\w.-]+\.[A-Za-z]\w{0,5}|[A-Za-z_][\w-]*\.(?:py|ts|tsx|js|go"
    r"|rs|java|md|ya?ml|toml|json))\b"
)
_MOST_PATHS = 4
#: Largest cited file that is read.
_MOST_FILE_BYTES = 200_000
#: Speaker of the user's turns, and letters of an observation from which it is known in a turn:
#: fewer stand in turns that say something else.
_USER, _FEWEST_LETTERS = "user", 12
_NO_WORD = re.compile(r"[\W_]+")
#: What stands between a turn that asks and its answer, where both are shown.
ANSWERED_BY = " → "


def fold_statement(text: str) -> str:
    """Return the letters of a statement, by which it is known to be the same as another one."""
    return _NO_WORD.sub("", as_told(text)).casefold()


def bound_asking(asks_memory: float) -> float:
    """Return what the log-odds that a prompt asks for memory add to those of the best memory."""
    return ASKING * min(max(asks_memory, LEAST_ASKING), MOST_ASKING)


def likely(
    found: "list[InjectedMemory]",
    least_share: float,
    asks_memory: float = 0.0,
    first: float = FIRST,
) -> "list[InjectedMemory]":
    """Return the memories that are likely enough to be shown unasked.

    `found` is ordered by score. `least_share` is the least share of the best score for each further
    memory, `asks_memory` the log-odds that the prompt asks for what was told, `first` the least
    log-odds of the best memory.
    """
    best = found[0].score if found else 0.0
    if best <= 0 or invert_logistic(best) + bound_asking(asks_memory) < first:
        return []
    return near_best(found, least_share, OTHERS)


def near_best(
    found: "list[InjectedMemory]", least_share: float, least: float = 0.0
) -> "list[InjectedMemory]":
    """Return the memories with a share of the best score, and `least` at least."""
    best = max((memory.score for memory in found), default=0.0)
    return [memory for memory in found if memory.score >= max(least, least_share * best)]


def fresh(
    found: "list[InjectedMemory]", window: ContextWindow, folder: str
) -> "list[InjectedMemory]":
    """Return each memory once, without the memories that the context holds already.

    A memory that cites a missing file says so.
    """
    kept: list[tuple[str, InjectedMemory]] = []
    for memory in found:
        if window.holds(memory):
            continue
        said = fold_statement(memory.text), memory
        place = next((n for n, other in enumerate(kept) if _is_turn_retold(other, said)), len(kept))
        # Of a turn and the observation made of it, the longer text is kept: it has the day that "by
        # Friday" means, or what stands beside the sentence that was observed.
        if place == len(kept) or len(kept[place][1].text) < len(memory.text):
            kept[place : place + 1] = [said]
    return [mark_missing_paths(memory, folder) for _, memory in kept]


def _is_turn_retold(one: "tuple[str, InjectedMemory]", other: "tuple[str, InjectedMemory]") -> bool:
    """Say whether two memories, each behind its folded words, are one statement.

    They have the same words, or one is the user's turn of a day and the other what was observed of
    a sentence of it on that day.
    """
    (words, memory), (other_words, other_memory) = one, other
    if words == other_words:
        return True
    if memory.day != other_memory.day or {memory.who, other_memory.who} != {"", _USER}:
        return False
    turn, observed = (words, other_words) if memory.who == _USER else (other_words, words)
    return len(observed) >= _FEWEST_LETTERS and observed in turn


def render_chosen_memories(
    found: "list[InjectedMemory]",
    settings: HookSettings,
    home: str,
    root: str,
    search: str = inject.SEARCH_COMMAND,
) -> Injection:
    """Return memories, given best first, rendered within the user's limits.

    `root` is the project's folder, '' for none. `search` is what the agent looks something up with.
    """
    shown = found[: int(settings.number("hook.limit"))]
    is_full = settings.text("hook.output_mode") == "full"
    least_sure = settings.number("hook.high_ratio") * max((m.score for m in shown), default=0.0)
    for memory in shown:
        memory.is_sure = is_full or (memory.is_sure and memory.score >= least_sure)
    return inject.render_injection(
        shown, int(settings.number("hook.budget_tokens")), owners(home, root), search
    )


def owners(home: str, root: str) -> dict[str, str]:
    """Return the words for the owner of a project's memory.

    They have the form that `inject.render_injection` takes. Empty for `root` '', which means no
    project.
    """
    return inject.project_owners(root, trust.trusted_on(home, root)) if root else {}


#: Status of a statement that replaced another one, and of a memory that may not answer.
CURRENT, UNSURE_STATUS = "current", "unsure"


def format_unsure_status(score: float, sure_from: float) -> str:
    """Return the status of a memory not known to have ended: unsure below a score, else ''."""
    return "" if score >= sure_from else UNSURE_STATUS


def day(moment_s: float) -> str:
    """Return the day of a moment by the clock of this process.

    A moment at midnight UTC stands for a day without a time. The clock is that of the setting
    `zone` (`set_process_zone`).
    """
    return time.strftime(
        "%Y-%m-%d", (time.localtime if moment_s % 86_400 else time.gmtime)(moment_s)
    )


def mark_missing_paths(memory: InjectedMemory, folder: str) -> InjectedMemory:
    """Return the memory, with a remark if a file that it cites is gone."""
    cited = (
        list(dict.fromkeys(_PATH.findall(memory.text)))[:_MOST_PATHS]
        if folder and "." in memory.text
        else []
    )
    missing = [path for path in cited if "/" in path and _is_cited_path_gone(folder, path)]
    if missing:
        memory.status = ", ".join(
            filter(None, (memory.status, f"{' and '.join(missing)} is not there any more"))
        )
    return memory


def _is_cited_path_gone(folder: str, path: str) -> bool:
    """Say whether a path below the folder is missing although its parent folder exists.

    Without the parent folder, the path belongs to another place.
    """
    return os.path.isdir(os.path.join(folder, path.partition("/")[0])) and not os.path.exists(
        os.path.join(folder, path)
    )


def has_changed(source: str, text: str) -> bool:
    """Say whether a file no longer holds the text that a memory was made of."""
    if not os.path.isabs(source) or "[redacted:" in text:
        return False
    try:
        with open(source, "rb") as opened:
            content = opened.read(_MOST_FILE_BYTES + 1)
    except OSError:
        return False
    return len(content) <= _MOST_FILE_BYTES and _strip_nonword_characters(
        text
    ) not in _strip_nonword_characters(content.decode("utf-8", "replace"))


def _strip_nonword_characters(text: str) -> str:
    return _NO_WORD.sub("", text)


#: The kind of documents that hold turns (`gieok.text.turns`).
TURN = "turn"
_TITLE_CHARS = 70


def build_fallback_title(text: str) -> str:
    """Return a title for a memory without one: its own first words."""
    first = " ".join(text.split())
    return (
        first if len(first) <= _TITLE_CHARS else first[: _TITLE_CHARS - 1].rsplit(" ", 1)[0] + "…"
    )

"""Finder of forgotten texts in the files of agents.

The files are transcripts, histories of prompts, and the texts that Gieok put before agents. They
belong to the agents, so nothing is removed from them: each file is named. A text is searched as it
was said and as JSON encodes it; in the texts that Gieok itself put before an agent, where it may be
cut and escaped, by its letters alone.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gieok.agents import agent, table
from gieok.commands.memory.leftovers import forms_of
from gieok.commands.memory.shown_words import Parts
from gieok.home.call import Call
from gieok.text.messages import Words

#: Folders of programs and their downloads, without conversations; some are large.
_SKIPPED = frozenset(("node_modules", ".git", "plugins", "extensions", "cache", "bin"))
#: A larger file is not read, and is named as unread.
_LARGEST_BYTES = 500_000_000
#: Stands in every text that Gieok puts before an agent.
_OURS = b'source=\\"gieok\\"'
_OWN = Words("the agent's own file; it is not read again")
_SHOWN = Words("the agent's own file; what Gieok gave the agent stands there")
_LARGE = Words("the agent's own file; it is too large to be searched")


def in_agents(call: Call, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return (file, reason) of every agent file that holds a text or is too large to search.

    The files are those of all known agents; without texts, no file is read.
    """
    forms = {form.lower() for text in texts for form in forms_of(text)}
    parts = Parts(texts)
    candidates = (
        ((str(file), _explain_agent_copy(file, forms, parts)) for file in _iter_agent_files(call))
        if texts
        else ()
    )
    return [(file, why.say(call.lang)) for file, why in candidates if why]


def _iter_agent_files(call: Call) -> Iterator[Path]:
    user, environment = call.caller.user, call.caller.environment
    folders = set[Path]()
    for name in table.NAMES:
        known = agent.load_agent(name)
        folders.add(known.find_own_folder(user, environment))
        if place := known.find_place(user, environment):
            folders.add(place.folder)
    home = call.home.folder.resolve()
    for folder in sorted(_select_outermost_folders(folders)):
        for at, below, names in os.walk(folder):
            below[:] = sorted(
                n for n in below if n not in _SKIPPED and Path(at, n).resolve() != home
            )
            yield from (
                file for file in sorted(Path(at, name) for name in names) if _is_regular_file(file)
            )


def _select_outermost_folders(folders: Iterable[Path]) -> set[Path]:
    real = {folder.resolve() for folder in folders if folder.is_dir()}
    return {folder for folder in real if not real & {*folder.parents}}


def _is_regular_file(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _explain_agent_copy(file: Path, forms: Iterable[bytes], parts: Parts) -> Words | None:
    """Return why a file is named; None where it holds none of the texts."""
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return _LARGE
        data = file.read_bytes()
    except OSError:
        return None
    small = data.lower()
    if any(form in small for form in forms):
        return _OWN
    ours = (line for line in data.splitlines() if _OURS in line) if _OURS in data else ()
    return (
        _SHOWN
        if any(parts.are_in(text) for line in ours for text in _iter_json_line_texts(line))
        else None
    )


def _iter_json_line_texts(line: bytes) -> Iterator[str]:
    """Yield the strings in a line of JSON; the line itself where it is not JSON."""
    text = line.decode("utf-8", "replace")
    try:
        yield from _iter_json_strings(json.loads(text))
    except (ValueError, RecursionError):
        yield text


def _iter_json_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split("\n")
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _iter_json_strings(item)

"""Command palette: what a reader reaches by typing a part of its name, on every page."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from gieok.text.messages import translate

#: Address → its name, for what the menu does not have.
_FURTHER = (
    ("#add", "Add a memory"),
    ("/memories?kind=note", "Memories: notes"),
    ("/memories?kind=turn", "Memories: what was said"),
    ("/memories?status=retired", "Memories: put away"),
    ("/injection#try", "Try what a prompt would be given"),
    ("/first", "Read notes and conversations"),
    ("/first#agents", "Connect an agent"),
    ("/trust", "What came with this project"),
)


class PaletteEntry(NamedTuple):
    """Entry: where it leads, its name, and further words by which it is found.

    The words are the English name, which commands and documents use.
    """

    address: str
    name: str
    words: str


def list_palette_entries(
    menu: Iterable[Sequence[str]],
    projects: Mapping[str, str],
    bonds: Iterable[tuple[str, str]],
    lang: str,
) -> list[PaletteEntry]:
    """Return the entries for a reader.

    `projects` is scope → its name; `bonds` are users and the characters that remember them.
    """
    pages = [
        PaletteEntry(address, translate(name, lang), name) for address, name in (*menu, *_FURTHER)
    ]
    of_projects = [
        PaletteEntry(
            f"/memories?in={quote(scope)}",
            translate("Memories of {project}", lang, {"project": name}),
            name,
        )
        for scope, name in projects.items()
    ]
    of_people = [
        PaletteEntry(
            f"/characters/{quote(user, safe='')}/{quote(character, safe='')}",
            translate(
                "What {character} remembers of {user}", lang, {"character": character, "user": user}
            ),
            f"{character} {user}",
        )
        for user, character in bonds
    ]
    return [*pages, *of_projects, *of_people]

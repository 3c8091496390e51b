"""What a session begins with, as text."""

from gieok.capabilities.prompt import start
from gieok.capabilities.prompt.start import StartPart


def test_what_stands_in_two_scopes_is_shown_once() -> None:
    parts = [
        StartPart("Of the user", [(1.0, "- 2026-11-22 I prefer tabs. (0e33d4d9.15)")], 0.5),
        StartPart(
            "Of the project",
            [(1.0, "- 2026-11-22 I prefer tabs. (0e33d4d9.15)"), (0.5, "- 2026-11-22 We use Loki.")],
            0.5,
        ),
    ]
    text, shown = start.render(parts, "the user", 400)
    assert (text.count("I prefer tabs."), text.count("We use Loki."), shown) == (1, 1, 2)

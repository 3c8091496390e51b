"""Records a session of the terminal as a picture: `make record` writes docs/assets/session.svg.

The commands run in a terminal of their own, in a fresh home, and what they print is drawn: text
that can be selected, lines that appear one after the other, two columns for a syllable of Hangul.
Nothing of yours is read.
"""

import codecs
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import unicodedata
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
_PICTURE = ROOT / "docs" / "assets" / "session.svg"
#: Always the same place: handles follow from paths.
HOME = Path("/tmp/gieok-recording")
#: Where `gieok` is.
SCRIPTS = Path(sys.executable).parent
_COLUMNS = 96
_COMMANDS = (
    "cd ~/shop",
    'gieok remember "배포 승인은 보람 님이 한다."',
    'gieok recall "who approves a deployment?"     # what an agent is told before this prompt',
    "gieok index ~/notes",
    'gieok search "그릇이 파손됐을 때 반송을 받아야 하나" --limit 1',
    "gieok install claude-code",
)
#: Pixels of a cell, of the border, of a title bar.
_CELL, _LINE, _PAD, _BAR = 8.4, 19, 16, 34
#: Seconds: a command is read, a line appears, an answer is read.
_TYPED_S, _LINE_S, _READ_S = 0.9, 0.06, 1.6
_INK = {"": "#d8dee6", "1": "#ffffff", "2": "#8b98a8", "31": "#ff8f87", "32": "#8fd694",
    "33": "#ecc877", "34": "#8db9f5",
        "35": "#d7a6ef", "36": "#7fd1d1", "prompt": "#5cc8b0"}  # fmt: skip
_FONTS = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"D2Coding","Noto Sans Mono CJK KR",monospace'
_CONTROL = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b\][^\x07]*\x07")


class Cell(NamedTuple):
    """A sign and how it is shown."""

    sign: str
    ink: str


class Screen:
    """What a terminal shows of a stream of text: enough of its language for lines, colours and
    progress.
    """

    def __init__(self, columns: int) -> None:
        self._columns, self._ink = columns, ""
        self.rows: list[list[Cell]] = [[]]
        self._row = self._column = 0

    def feed(self, text: str) -> None:
        """Take what a program printed."""
        while text:
            if found := _CONTROL.match(text):
                self._control(found[1] or "", found[2] or "")
                text = text[found.end() :]
            else:
                self._sign(text[0])
                text = text[1:]

    def _control(self, numbers: str, letter: str) -> None:
        first = int(numbers.partition(";")[0] or 0) if not numbers.startswith("?") else 0
        if letter == "m":
            known = [number for number in numbers.split(";") if number in _INK and number]
            self._ink = known[-1] if known else ""
        elif letter == "K":
            row = self.rows[self._row]
            del row[0 if first == 2 else self._at(row, self._column) :]
        elif letter == "A":
            self._row = max(0, self._row - (first or 1))

    def _sign(self, sign: str) -> None:
        if sign == "\n":
            self._row += 1
            self.rows += [[]] if self._row == len(self.rows) else []
        elif sign == "\r":
            self._column = 0
        elif sign.isprintable():
            if self._column + _width(sign) > self._columns:
                self._sign("\n")
                self._column = 0
            row = self.rows[self._row]
            at = self._at(row, self._column)
            row[at : at + 1] = [Cell(sign, self._ink)]
            self._column += _width(sign)

    @staticmethod
    def _at(row: list[Cell], column: int) -> int:
        """Return which sign of a row begins at a column."""
        taken = 0
        for number, cell in enumerate(row):
            if taken >= column:
                return number
            taken += _width(cell.sign)
        return len(row)


def _width(sign: str) -> int:
    return (
        2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1
    )


def shown(command: str, folder: Path, environment: dict[str, str]) -> list[list[Cell]]:
    """Run a command in a terminal and return the rows that it leaves there."""
    main, inner = pty.openpty()
    ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, _COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["/bin/bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=inner,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    screen, decoder = Screen(_COLUMNS), codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        ready = select.select([main], [], [], 0.2)[0]
        try:
            data = os.read(main, 65536) if ready else b""
        except OSError:  # the other end is closed
            break
        screen.feed(decoder.decode(data).replace(str(HOME), "~"))
        if not data and process.poll() is not None:
            break
    os.close(main)
    if process.wait():
        sys.exit(f"`{command}` ended with {process.returncode}")
    rows = screen.rows
    while rows and not rows[-1]:
        rows.pop()
    return rows


def played(environment: dict[str, str]) -> Iterator[tuple[float, list[Cell]]]:
    """Run the session; yield each row with the second at which it appears."""
    at, folder = 0.3, HOME
    for command in _COMMANDS:
        yield at, [Cell("$", "prompt"), Cell(" ", ""), *(Cell(sign, "1") for sign in command)]
        at += _TYPED_S
        if command.startswith("cd ~/"):
            folder = HOME / command.removeprefix("cd ~/")
            continue
        for row in shown(command, folder, environment):
            yield at, row
            at += _LINE_S
        yield at, []
        at += _READ_S


def drawn(rows: list[tuple[float, list[Cell]]]) -> str:
    """Return the picture."""
    wide, high = round(_COLUMNS * _CELL + 2 * _PAD), _BAR + len(rows) * _LINE + _PAD
    lines = "\n".join(
        _line(at, row, _BAR + (number + 0.75) * _LINE)
        for number, (at, row) in enumerate(rows)
        if row
    )
    inks = "".join(f".i{name}{{fill:{colour}}}" for name, colour in _INK.items() if name)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img">
<title>A session of gieok in a terminal</title>
<style>
text{{font:14px {_FONTS};fill:{_INK[""]};white-space:pre}}
{inks}.i1{{font-weight:600}}.w{{font-size:15.6px}}
g{{animation:in .01s linear backwards}}@keyframes in{{from{{opacity:0}}}}
@media (prefers-reduced-motion:reduce){{g{{animation:none}}}}
</style>
<rect width="{wide}" height="{high}" rx="10" fill="#18212b" stroke="#76839366"/>
<g fill="#5b6875"><circle cx="20" cy="17" r="5.5"/><circle cx="38" cy="17" r="5.5"/><circle cx="56" cy="17" r="5.5"/></g>
{lines}
</svg>
"""


def _line(at: float, row: list[Cell], y: float) -> str:
    """Return a row as text, in runs at their own columns: Hangul a syllable each, the rest as wide
    as its columns.
    """
    parts, column = [], 0
    for ink, text in _runs(row):
        is_wide = _width(text[0]) == 2
        classes = " ".join(filter(None, (ink and f"i{ink}", "w" if is_wide else "")))
        columns = [
            column + sum(map(_width, text[:number]))
            for number in range(len(text) if is_wide else 1)
        ]
        column += sum(map(_width, text))
        x = " ".join(f"{_PAD + one * _CELL:.1f}" for one in columns)
        fit = "" if is_wide or len(text) == 1 else f' textLength="{len(text) * _CELL:.1f}"'
        name = f' class="{classes}"' if classes else ""
        parts.append(f'<tspan x="{x}"{fit}{name}>{escape(text)}</tspan>')
    return (
        f'<g style="animation-delay:{at:.2f}s"><text y="{y:.1f}" '
        f'xml:space="preserve">{"".join(parts)}</text></g>'
    )


def _runs(row: list[Cell]) -> list[tuple[str, str]]:
    """Return the runs of a row as (ink, text): signs of one ink and width, wide ones a word each,
    blanks behind.
    """
    runs: list[tuple[str, str]] = []
    for cell in row:
        ink, text = runs[-1] if runs else ("", "")
        is_wide, was_wide = _width(cell.sign) == 2, _width(text.rstrip()[-1:] or " ") == 2
        is_same = (
            runs
            and ink == cell.ink
            and (cell.sign == " " or (is_wide == was_wide and not (is_wide and text[-1] == " ")))
        )
        if is_same:
            runs[-1] = (ink, text + cell.sign)
        else:
            runs.append((cell.ink, cell.sign))
    return runs


def prepared(home: Path) -> dict[str, str]:
    """Fill a home with notes and a project; return the environment to run in."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(ROOT / "examples" / "workspace" / "notes", home / "notes")
    (home / "shop").mkdir()
    subprocess.run(["git", "init", "--quiet", str(home / "shop")], check=True)
    return {
        "HOME": str(home),
        "PATH": f"{SCRIPTS}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIEOK_DAEMON_AUTOSTART": "off",
        "OMP_NUM_THREADS": "1",
    }


def main() -> None:
    """Run the session and write the picture."""
    environment = prepared(HOME)
    try:
        rows = list(played(environment))
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
    while not rows[-1][1]:
        rows.pop()
    text = drawn(rows)
    if str(ROOT) in text or str(SCRIPTS) in text:
        sys.exit("a path of this machine stands in the picture")
    _PICTURE.parent.mkdir(exist_ok=True)
    _PICTURE.write_text(text, encoding="utf-8")
    print(
        f"{_PICTURE.relative_to(ROOT)}: {len(rows)} lines, {len(text):,} characters, "
        f"{rows[-1][0]:.0f} s"
    )


if __name__ == "__main__":
    main()

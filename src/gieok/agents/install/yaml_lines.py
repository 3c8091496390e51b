"""Edits of YAML files that other programs keep, line by line, so that comments stay.

Only the block style is edited, in which a member stands on a line of its own. Where a file says the
same in another way, it is left as it is, with the reason. A parser reads the file before and after:
a change that reaches anything else is not made.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gieok.agents.install.change import Edit

_NOTHING = ("", "null", "~", "''", '""', "{}", "[]")
_INDENT = "  "
_BOM = "\ufeff"
#: Lines that end a document, or begin one with a value on the same line.
_ENDS = re.compile(r"\.\.\.(?:\s|$)|---\s+[^\s#]")
_BEGINS = re.compile(r"---(?:\s|$)")


class YamlMember(NamedTuple):
    """Member of Gieok's in a group at the top of a file: `group:` and below it `name: value`.

    With `is_listed` on, `name` is a list in the group, and the value one of its elements.
    """

    group: str
    name: str
    #: The value as it is written on one line.
    value: str
    #: Matches the value of a member that is Gieok's.
    sign: re.Pattern[str]
    is_listed: bool = False


class _Block(NamedTuple):
    """Lines of a member: the first line, and the line behind its last line."""

    first: int
    end: int
    indent: int
    #: What the first line says behind the colon, without a comment.
    rest: str


class YamlLines(Edit):
    """Members of Gieok's in a YAML file."""

    def __init__(self, path: Path, members: Sequence[YamlMember]) -> None:
        super().__init__(path)
        self.members = members

    def add(self, now: str) -> str:
        """Return the file's text with every member. Raises ValueError."""
        bom, now = _split_bom(now)
        lines = now.splitlines(keepends=True)
        _check_style(lines)
        if lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += "\n"
        settings = _parse_yaml_settings(now)
        for member in self.members:
            if not _holds_element(settings, member):
                lines = _add_member(lines, member)
        after = "".join(lines)
        self._check_change(now, after, is_added=True)
        return bom + after

    def remove(self, now: str) -> str:
        """Return the file's text without the members, and without groups that are empty then.

        Raises ValueError where that would change anything else.
        """
        bom, now = _split_bom(now)
        lines = now.splitlines(keepends=True)
        for member in reversed(self.members):
            lines = _remove_member(lines, member)
        after = "".join(lines)
        if after != now:
            self._check_change(now, after, is_added=False)
        return bom + after

    def has_part(self, now: str) -> bool:
        """Return whether the file holds every member. Raises ValueError."""
        lines = _split_bom(now)[1].splitlines(keepends=True)
        return all(_remove_member(lines, member) != lines for member in self.members)

    def _check_change(self, before: str, after: str, *, is_added: bool) -> None:
        """Raise ValueError where a change reaches anything but the members."""
        was, read = _parse_yaml_settings(before), _parse_yaml_settings(after)
        for member in self.members:
            group = read.get(member.group)
            held = group.get(member.name) if isinstance(group, dict) else None
            own = _parse_value(member.value)
            if (own in held if isinstance(held, list) else own == held) is not is_added:
                raise ValueError(f"`{member.group}.{member.name}` is written in a way not known")
            for settings in (was, read):
                _take_member(settings, member)
        if repr(was) != repr(read):  # as text, because a number may differ from itself
            raise ValueError("the file is written in a way that is not known")


def _split_bom(text: str) -> tuple[str, str]:
    bare = text.removeprefix(_BOM)
    return text[: len(text) - len(bare)], bare


def _check_style(lines: Sequence[str]) -> None:
    """Raise ValueError for several documents in one file, and for a file in another style."""
    has_content = False
    for line in lines:
        begins = _BEGINS.match(line) is not None
        if _ENDS.match(line) or (begins and has_content):
            raise ValueError("the file holds more than one document")
        text = line.strip()
        if begins or not text or text.startswith("#") or line.startswith("%"):
            continue
        if not has_content and line[0] in "{[- \t":
            raise ValueError("the file is not written line by line")
        has_content = True


def _parse_yaml_settings(text: str) -> dict[Any, Any]:
    """Return what a file says. Raises ValueError."""
    import yaml  # an edit is rare, and the parser large

    try:
        settings = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("the file is no YAML") from error
    if not isinstance(settings, dict | None):
        raise ValueError("the file holds no members")  # noqa: TRY004 - a fault of the file
    return settings or {}


def _parse_value(text: str) -> object:
    import yaml

    return yaml.safe_load(text)


def _holds_element(settings: dict[Any, Any], member: YamlMember) -> bool:
    """Return whether a list holds Gieok's element, however it is written."""
    group = settings.get(member.group)
    held = group.get(member.name) if isinstance(group, dict) else None
    return member.is_listed and isinstance(held, list) and member.value in held


def _take_member(settings: dict[Any, Any], member: YamlMember) -> None:
    """Take a member out of settings, and its group where nothing else is in it."""
    group = settings.get(member.group)
    if isinstance(group, dict):
        held = group.get(member.name)
        kept = [each for each in held if each != member.value] if isinstance(held, list) else None
        group.pop(member.name, None)
        if kept:
            group[member.name] = kept
    if not group:
        settings.pop(member.group, None)


def _add_member(lines: list[str], member: YamlMember) -> list[str]:
    group = _find_block(lines, member.group, 0, len(lines), 0)
    if group is None:
        return [*lines, f"{member.group}:\n", *_write_member(member, _INDENT)]
    if group.rest not in _NOTHING:
        raise ValueError(f"`{member.group}` is not written line by line")
    indent = _find_child_indent(lines, group)
    there = _find_block(lines, member.name, group.first + 1, group.end, indent)
    head = [*lines[: group.first], _drop_value(lines[group.first], group.rest)]
    if there is None:
        inside = _write_member(member, " " * indent)
        return [*head, *inside, *lines[group.first + 1 :]]
    if member.is_listed:
        return _add_element(lines, member, there)
    if there.rest not in _NOTHING or there.end > there.first + 1:
        raise ValueError(f"`{member.group}.{member.name}` is {there.rest or 'set'} already")
    name, colon, value = lines[there.first].partition(":")
    comment = value.partition(there.rest)[2] if there.rest else value
    written = f"{name}{colon} {member.value}{comment}"
    return [*lines[: there.first], written, *lines[there.end :]]


def _write_member(member: YamlMember, indent: str) -> list[str]:
    if member.is_listed:
        return [f"{indent}{member.name}:\n", f"{indent}- {member.value}\n"]
    return [f"{indent}{member.name}: {member.value}\n"]


def _add_element(lines: list[str], member: YamlMember, there: _Block) -> list[str]:
    """Return the lines with an element at the beginning of a list that is there."""
    line = lines[there.first]
    if there.rest.startswith("[") and there.rest != "[]":
        opened = line.index("[") + 1
        written = f"{line[:opened]}{member.value}, {line[opened:]}"
        return [*lines[: there.first], written, *lines[there.first + 1 :]]
    if there.rest not in _NOTHING:
        raise ValueError(f"`{member.group}.{member.name}` is no list")
    rows = lines[there.first + 1 : there.end]
    first = next((row for row in rows if row.lstrip().startswith("-")), "")
    indent = first[: len(first) - len(first.lstrip())] if first else " " * there.indent
    head = [*lines[: there.first], _drop_value(line, there.rest)]
    return [*head, f"{indent}- {member.value}\n", *rows, *lines[there.end :]]


def _remove_member(lines: list[str], member: YamlMember) -> list[str]:
    group = _find_block(lines, member.group, 0, len(lines), 0)
    if group is None or group.rest not in _NOTHING:
        return lines
    indent = _find_child_indent(lines, group)
    there = _find_block(lines, member.name, group.first + 1, group.end, indent)
    if there is None:
        return lines
    inside = lines[there.first : there.end]
    if member.is_listed:
        left = _remove_element(inside, member)
    elif member.sign.search(" ".join([there.rest, *inside[1:]])):
        left = _keep_comment(inside[0], rf"{re.escape(member.value)}[\"']?", indent)
    else:
        return lines
    kept = [*lines[group.first + 1 : there.first], *left, *lines[there.end : group.end]]
    is_empty = left != inside and not any(row.strip() for row in kept)
    line = lines[group.first]
    head = _keep_comment(line, ":", group.indent) if is_empty else [line]
    return [*lines[: group.first], *head, *kept, *lines[group.end :]]


def _keep_comment(line: str, before: str, indent: int) -> list[str]:
    """Return the comment of a line that is taken out, as a line; `before` matches what it is on."""
    comment = re.search(rf"{before}\s+(#.*\s*)$", line)
    return [f"{' ' * indent}{comment[1]}"] if comment else []


def _remove_element(inside: list[str], member: YamlMember) -> list[str]:
    """Return the lines of a list without Gieok's element; none where nothing else is in it."""
    own = rf"[\"']?{re.escape(member.value)}[\"']?"
    if inside[0].partition(":")[2].lstrip().startswith("["):
        in_flow = rf"(?<=\[)\s*{own}\s*(?:,\s*|(?=\]))|,\s*{own}(?=\s*[,\]])"
        left = re.sub(in_flow, "", "".join(inside), count=1).splitlines(keepends=True)
    else:
        in_block = re.compile(rf"\s*-\s+{own}(?:\s+#.*)?\s*$")
        left = [inside[0], *(row for row in inside[1:] if not in_block.match(row))]
    is_empty = re.fullmatch(r"[^:]*:\s*(?:\[\s*\])?\s*", "".join(left))
    return [] if is_empty and left != inside else left


def _find_block(lines: list[str], name: str, start: int, end: int, indent: int) -> _Block | None:
    """Return the lines of the member of that name with that indentation."""
    head = re.compile(rf" {{{indent}}}[\"']?{re.escape(name)}[\"']?\s*:(?:\s+(?P<rest>.*))?$")
    for number in range(start, end):
        match = head.match(lines[number].rstrip("\r\n"))
        if match:
            rest = re.sub(r"(?:^|\s+)#.*$", "", match["rest"] or "").strip()
            return _Block(number, _find_block_end(lines, number + 1, end, indent), indent, rest)
    return None


def _find_block_end(lines: list[str], start: int, end: int, indent: int) -> int:
    """Return the line behind the last line that belongs to a member of that indentation.

    Elements of a list may stand as far left as the name of the list.
    """
    last = start
    for number in range(start, end):
        text = lines[number].strip()
        if not text or text.startswith("#"):
            continue
        depth = len(lines[number]) - len(lines[number].lstrip(" "))
        if depth < indent or (depth == indent and not text.startswith("- ")):
            break
        last = number + 1
    return last


def _find_child_indent(lines: list[str], group: _Block) -> int:
    for line in lines[group.first + 1 : group.end]:
        if line.strip() and not line.lstrip().startswith("#"):
            return len(line) - len(line.lstrip(" "))
    return group.indent + len(_INDENT)


def _drop_value(line: str, rest: str) -> str:
    """Return the first line of a member without a value that means nothing."""
    return line.replace(f" {rest}", "", 1) if rest else line

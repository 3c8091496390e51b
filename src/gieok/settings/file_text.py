"""Edits the text of a settings file.

Comments, order and unknown lines stay as they are.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping

from gieok.settings.option import Value

#: A text that YAML reads back as the same text without quotes, as a person would write it.
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./@+-]|:(?=\S))*(?<! )|[~/][\w./@+-]*")


def change_settings_text(
    text: str, values: Mapping[str, Value], settings: Collection[str] = ()
) -> str:
    """Return the text with settings changed where they stand, else added.

    `a.b` is looked for in the group `a` too. Each name in `settings` is a setting by itself, so no
    group of that name is begun. Raises yaml.YAMLError for a text that is no YAML.
    """
    for name, value in values.items():
        text = _set_setting(text, name, _format_yaml_scalar(value), settings)
    return text


def _set_setting(text: str, name: str, value: str, settings: Collection[str]) -> str:
    entries = list(_iter_yaml_settings(text))
    if own := [entry for entry in entries if entry[0] == name]:
        for _, start, end in reversed(own):
            text = text[:start] + _fit_value_into_yaml(text, start, end, value) + text[end:]
        return text
    group, _, rest = name.rpartition(".")
    if group and (
        inside := [start for other, start, _ in entries if other.startswith(f"{group}.")]
    ):
        return _add_to_yaml_group(text, group, rest, value, inside)
    is_group = group and group not in settings and group not in {other for other, *_ in entries}
    line = f"{group}:\n  {rest}: {value}\n" if is_group else f"{name}: {value}\n"
    return text + ("" if not text or text.endswith("\n") else "\n") + line


def _iter_yaml_settings(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (dotted name, where its value starts, where its value ends)."""
    import yaml

    top = yaml.compose(text, yaml.SafeLoader)
    for key, node in top.value if isinstance(top, yaml.MappingNode) else ():
        if isinstance(node, yaml.MappingNode):
            inner = node.value
            yield from (
                (f"{key.value}.{k.value}", v.start_mark.index, v.end_mark.index) for k, v in inner
            )
        else:
            yield key.value, node.start_mark.index, node.end_mark.index


def _fit_value_into_yaml(text: str, start: int, end: int, value: str) -> str:
    """Return a value spaced to fit between the text before it and the text behind it."""
    before = "" if text[start - 1 : start].isspace() else " "  # a name without a value
    is_whole_lines = text[start:end].endswith("\n")
    return before + value + ("\n" if is_whole_lines else "")


def _add_to_yaml_group(text: str, group: str, name: str, value: str, inside: list[int]) -> str:
    """Add a line to a group of settings.

    The line goes behind the group's last line with the same indent; `{…}` and `a.b:` lines keep
    their own form.
    """
    start = text.rfind("\n", 0, inside[-1]) + 1
    line = text[start : inside[-1]]
    end = text.find("\n", inside[-1])
    end = len(text) if end < 0 else end + 1
    gap = "" if text[:end].endswith("\n") else "\n"
    if re.match(r"\s+[\w'\"]", line):
        indent = line[: len(line) - len(line.lstrip())]
        return f"{text[:end]}{gap}{indent}{name}: {value}\n{text[end:]}"
    return text + ("" if text.endswith("\n") else "\n") + f"{group}.{name}: {value}\n"


def _format_yaml_scalar(value: Value) -> str:
    """Return a value as YAML reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    words = value.lower() in (
        "yes",
        "no",
        "on",
        "off",
        "true",
        "false",
        "null",
        "y",
        "n",
        "none",
        "~",
    )
    is_plain = _PLAIN.fullmatch(value) and (not words or value.lower() == "none")
    if is_plain:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in quoted)

"""Check the rows of `training/data`: `python training/lint.py`; ends with 1 where a row is wrong.

Errors are wrong fields, values that a text does not hold, doubles inside of a file, and the same
text under two labels. Warnings are texts that share long runs of words across the line between
authors that are fitted to and authors that are kept out, or with a measuring set (`--sets`).
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rows import (
    ABOUT,
    KEPT_OUT,
    KINDS,
    MODES,
    PREDICATES,
    RULE_KINDS,
    SECRETS,
    UNTIL,
    WHOSE,
    read_lines,
)

_HERE = Path(__file__).parent
#: Words in a row that two hands hardly write by chance.
_RUN = 7
#: Files from before a form had all its fields, or that leave some out.
_OLD = {"judge_a", "judge_b", "judge_w1", "judge_w2", "pairs_en", "pairs_ko"}
_OLD |= {"judge_j6", "judge_j7", "judge_j8"}
_FIELDS = {
    "judge": "author lang domain before memory asks absent near update not_update same kind about"
    " chatter",
    "pairs": "author lang domain earlier parallel change partial same talk end unrelated ask",
    "worth": "author lang before text worth kind about needs_before until",
    "spans": "author lang form text secrets harmless",
    "told": "author lang before text tells",
    "rules": "author lang before text rules allowed why",
    "uses": "author lang text rules allowed uses",
    "mends": "author lang talk text mends keep why",
}
_ASKS = {"direct", "paraphrase", "cross", "task", "vague"}


def main() -> int:
    """Print the faults; return 1 if any is an error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_HERE / "data")
    parser.add_argument("--sets", type=Path, nargs="*", default=[], help="measuring sets (JSON)")
    options = parser.parse_args()
    files = {file.stem: list(read_lines(file)) for file in sorted(options.data.glob("*.jsonl"))}
    errors = [fault for stem, rows in files.items() for fault in find_wrong_rows(stem, rows)]
    errors += find_doubles(files)
    warnings = list(find_leaks(files, options.sets))
    for kind, faults in (("error", errors), ("warning", warnings)):
        for fault in faults:
            print(f"{kind}: {fault}")
    count = sum(map(len, files.values()))
    print(f"{count} rows, {len(errors)} errors, {len(warnings)} warnings")
    return bool(errors)


def find_wrong_rows(stem: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the rows with missing fields, unknown labels, or values that their text lacks."""
    form = stem.split("_", maxsplit=1)[0]
    for number, row in enumerate(rows, 1):
        place = f"{stem}:{number}"
        if stem not in _OLD and (missing := set(_FIELDS[form].split()) - set(row)):
            yield f"{place}: lacks {', '.join(sorted(missing))}"
            continue
        if row["lang"] not in {"ko", "en"}:
            yield f"{place}: lang {row['lang']}"
        for fault in _CHECKS[form](row):
            yield f"{place}: {fault}"


def find_doubles(files: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the main texts that stand twice, in one file or under different labels in two."""
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    faults = []
    for stem, rows in files.items():
        form = stem.split("_")[0]
        for number, row in enumerate(rows, 1):
            text, label = _main_text(form, row)
            key = form, f"{_said_before(form, row)} {text}".casefold()
            place = f"{stem}:{number}"
            if key in seen:
                other, known = seen[key]
                same_file = other.split(":")[0] == stem
                if same_file or known != label:
                    faults.append(f"{place}: the text of {other} again, {known!r} / {label!r}")
            seen.setdefault(key, (place, label))
    return faults


def find_leaks(files: dict[str, list[dict[str, Any]]], sets: list[Path]) -> Iterator[str]:
    """Yield texts of authors kept out, and of measuring sets, that share a run of words with a row
    that is fitted to.
    """
    fitted: dict[tuple[str, ...], str] = {}
    for stem, rows in files.items():
        if stem not in KEPT_OUT:
            for number, row in enumerate(rows, 1):
                for text in _strings(row):
                    fitted.update(dict.fromkeys(_runs(text), f"{stem}:{number}"))
    kept: list[tuple[str, Any]] = [
        (f"{stem}:{number}", row)
        for stem, rows in files.items()
        if stem in KEPT_OUT
        for number, row in enumerate(rows, 1)
    ]
    kept += [(file.name, json.loads(file.read_bytes())) for file in sets]
    for place, row in kept:
        shared = {
            fitted[run]: run for text in _strings(row) for run in _runs(text) if run in fitted
        }
        for other, run in shared.items():
            yield f"{place} and {other} share “{' '.join(run)}”"


def _check_judge(row: dict[str, Any]) -> Iterator[str]:
    if not row["memory"].strip():
        yield "an empty memory"
    if kinds := {ask["kind"] for ask in row["asks"]} - _ASKS:
        yield f"asks of kind {kinds}"
    if row.get("kind", "state") not in KINDS or row.get("about", "user") not in {
        "user",
        "project",
        "person",
        "world",
    }:
        yield f"kind {row['kind']}, about {row['about']}"
    how = (row.get("update") or {}).get("how", "explicit")
    if how not in {"explicit", "implicit", "cancel", "correction"}:
        yield f"an update {how}"
    wanted = {row["memory"], *(ask["text"] for ask in row["asks"])}
    if doubled := wanted & {*row["near"], *(item["text"] for item in row.get("absent", ()))}:
        yield f"wanted and unwanted: {doubled}"


def _check_pairs(row: dict[str, Any]) -> Iterator[str]:
    if len(row["parallel"]) != 2 or len(row["change"]) != 2:
        yield "not two parallels and two changes"
    later = [*row["parallel"], *row["change"], *(row.get(f, "") for f in ("same", "talk", "end"))]
    texts = [text for text in later if text]
    if len(set(texts)) < len(texts) or row["earlier"] in texts:
        yield "one statement under two relations"


def _check_worth(row: dict[str, Any]) -> Iterator[str]:
    if row["kind"] not in KINDS or row["about"] not in ABOUT or row["until"] not in UNTIL:
        yield f"kind {row['kind']}, about {row['about']}, until {row['until']}"
    if row["worth"] and row["kind"] == "none":
        yield "worth keeping, and of no kind"
    if row["needs_before"] and not row["before"]:
        yield "needs a sentence before that is not there"


def _check_spans(row: dict[str, Any]) -> Iterator[str]:
    for secret in row["secrets"]:
        if secret["kind"] not in SECRETS or not secret["text"]:
            yield f"secret {secret}"
        if secret["text"] not in row["text"]:
            yield f"the text lacks {secret['text']!r}"
    for text in row["harmless"]:
        if text not in row["text"]:
            yield f"the text lacks harmless {text!r}"
        if text in {secret["text"] for secret in row["secrets"]}:
            yield f"secret and harmless: {text!r}"


def _check_told(row: dict[str, Any]) -> Iterator[str]:
    for tell in row["tells"]:
        labels = tell["predicate"], tell["whose"], tell["mode"]
        if labels[0] not in PREDICATES[1:] or labels[1] not in WHOSE or labels[2] not in MODES:
            yield f"tells {labels}"
        if not tell["value"] or tell["value"] not in row["text"]:
            yield f"the text lacks {tell['value']!r}"


def _check_rules(row: dict[str, Any]) -> Iterator[str]:
    for rule in row["rules"]:
        if rule["mode"] not in RULE_KINDS[:-1] or not rule["words"]:
            yield f"rule {rule}"
        if rule["words"] not in row["text"]:
            yield f"the text lacks {rule['words']!r}"
    for text in row["allowed"]:
        if text not in row["text"]:
            yield f"the text lacks allowed {text!r}"


def _check_uses(row: dict[str, Any]) -> Iterator[str]:
    for words in (*row["rules"], *row["allowed"]):
        if words not in row["text"]:
            yield f"the text lacks {words!r}"
    seen: dict[tuple[str, str], bool] = {}
    for use in row["uses"]:
        key = use["tool"], use["input"]
        if not all(key) or not isinstance(use["breaks"], bool):
            yield f"use {use}"
        if seen.setdefault(key, use["breaks"]) != use["breaks"]:
            yield f"breaks the rule, and does not: {use['input']!r}"
    if not row["uses"]:
        yield "no use"


def _check_mends(row: dict[str, Any]) -> Iterator[str]:
    if not row["talk"] or {line["who"] for line in row["talk"]} - {"user", "character"}:
        yield "no talk before it, or one of others"
    said = "\n".join(line["text"] for line in row["talk"])
    for mended in row["mends"]:
        if not mended["right"] or mended["right"] not in row["text"]:
            yield f"the text lacks {mended['right']!r}"
        if mended["wrong"] not in said:
            yield f"the talk lacks {mended['wrong']!r}"
    if row["keep"] not in row["text"]:
        yield f"the text lacks {row['keep']!r}"


_CHECKS = {
    "judge": _check_judge,
    "pairs": _check_pairs,
    "worth": _check_worth,
    "spans": _check_spans,
    "told": _check_told,
    "rules": _check_rules,
    "uses": _check_uses,
    "mends": _check_mends,
}


def _main_text(form: str, row: dict[str, Any]) -> tuple[str, str]:
    if form == "judge":
        return row["memory"], "memory"
    if form == "pairs":
        return row["earlier"], "earlier"
    label = {
        "worth": "worth",
        "spans": "secrets",
        "told": "tells",
        "rules": "rules",
        "uses": "uses",
        "mends": "mends",
    }[form]
    return row["text"], json.dumps(row[label], ensure_ascii=False)


def _said_before(form: str, row: dict[str, Any]) -> str:
    if form == "mends":
        return " ".join(line["text"] for line in row["talk"])
    return str(row.get("before", ""))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    # Korean packs a phrase into one word: fewer of them are as rare
    size = _RUN - 2 if any("가" <= char <= "힣" for char in text) else _RUN
    found: defaultdict[tuple[str, ...], None] = defaultdict()
    for start in range(len(words) - size + 1):
        found[tuple(words[start : start + size])] = None
    yield from found


if __name__ == "__main__":
    sys.exit(main())

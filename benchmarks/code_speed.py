"""Speed of benchmarks/code.py: the first index beside parsing the same files with the same grammars."""

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from code_index import index
from gieok.backends.parsers.treesitter import TreeSitterParser
from gieok.capabilities.code.index import project, scan
from gieok.capabilities.code.languages.table import LANGUAGES


def speed_of(data: Path, name: str) -> dict[str, Any]:
    tree = data / "trees" / name
    parser = TreeSitterParser()
    candidates = [c for c in scan.scan(tree)[0] if LANGUAGES[c.language].grammar]
    sources = [(LANGUAGES[c.language].grammar, (tree / c.path).read_bytes()) for c in candidates]
    for grammar in {grammar for grammar, _ in sources}:
        parser.parse(grammar, b"")
    started = time.process_time()
    for grammar, source in sources:
        parser.parse(grammar, source)
    parse_s = time.process_time() - started
    lines = sum(source.count(b"\n") for _, source in sources)
    del sources
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        indexed = index(tree, folder)
        cpu_s = time.process_time() - before
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        before = time.process_time()
        project.sync(indexed)
        again_s = time.process_time() - before
    return {
        "gieok": {
            "cpu_s": cpu_s,
            "ratio": cpu_s / parse_s,
            "rss_mb": rss_mb,
            "nothing_changed_s": again_s,
            "lines": lines,
        },
        "parse": {"cpu_s": parse_s, "ratio": 1.0},
    }

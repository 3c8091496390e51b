"""What speaks for a change and against it, of every pair: what `--explain` and `why` say to a
person.

`reasons.tsv` has a row a pair, in the order of the lists of `test_relation`, each also the other
way round: how sure, whether the later one takes something back, what spoke for a change, by which
words the subjects differ, and the two sentences. Where a change of the rules is meant, write it
anew and read what differs: `python tests/memory/talk/statements/test_reasons.py`.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from gieok.memory.talk.statements.relation import relation

_FILE = Path(__file__).with_name("reasons.tsv")


def _load_pairs() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "test_relation_pairs", Path(__file__).with_name("test_relation.py")
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rows() -> Iterator[str]:
    lists = vars(_load_pairs())
    names = [name for name, value in lists.items() if name.isupper() and isinstance(value, list)]
    for name in names:
        for pair in lists[name]:
            for earlier, later in (pair[:2], pair[1::-1]):
                found = relation(earlier, later)
                taken = "takes back" if found.takes_back else ""
                yield "\t".join(
                    (
                        found.sureness,
                        taken,
                        " ".join(found.spoke_for),
                        " ".join(found.differing),
                        earlier,
                        later,
                    )
                )


def test_every_pair_has_its_reasons() -> None:
    expected = _FILE.read_text(encoding="utf-8").splitlines()
    assert [row.split("\t") for row in _rows()] == [row.split("\t") for row in expected]


if __name__ == "__main__":
    _FILE.write_text("\n".join(_rows()) + "\n", encoding="utf-8")

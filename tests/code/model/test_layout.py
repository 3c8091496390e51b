"""Files of a project's own folder."""

from pathlib import Path

from gieok.code.model import layout


def test_a_row_with_another_line_end_in_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    layout.prepare_code_folder(tmp_path)
    rows = [{"what": "docs/a\u2028b.md"}, {"what": "c\x85d\x0ce"}]
    for row in rows:
        layout.append_log(tmp_path, "changes", row)
    assert list(layout.read_code_log(tmp_path, "changes")) == rows

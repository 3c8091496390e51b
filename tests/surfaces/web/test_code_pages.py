"""A project on the page of code: its map, one part, what a change reaches, and reading it again."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.surfaces.python import Memory

_SHOP = {
    "shop.py": "from bill import total\n\n\ndef pay():\n    return total()\n",
    "bill.py": "def price():\n    return 1\n\n\ndef total():\n    return price()\n",
    "tests/test_bill.py": (
        "from bill import total\n\n\ndef test_total():\n    assert total() == 1\n"
    ),
}


@pytest.fixture
def project(browser: TestClient, tmp_path: Path) -> Path:
    """A folder that is indexed; the browser's memory is that of it."""
    root = tmp_path / "work"
    for name, text in _SHOP.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    Memory().run("code init")
    return root


def test_a_project_is_drawn_with_links_to_its_parts_and_no_styles_of_its_own(
    browser: TestClient, project: Path
) -> None:
    page = browser.get("/code")
    assert page.status_code == 200
    assert re.search(
        (
            r'<a href="/code/part\?project=[^"]+name=bill.py"><g><title>bill.py: \d lines, '
            r"imported by 1 parts and 1 test files"
        ),
        page.text,
    )
    assert "<style" not in page.text
    assert "style=" not in page.text
    part = browser.get(f"/code/part?project={quote(str(project))}&name=bill.py").text
    assert "shop.py" in part, "who imports it"
    assert browser.get(f"/code/part?project={quote(str(project))}&name=none.py").status_code == 404
    assert browser.get("/code/map.svg").headers["content-type"] == "image/svg+xml"


def test_what_a_change_reaches_is_drawn_and_its_tests_are_named(
    browser: TestClient, project: Path
) -> None:
    page = browser.get(f"/code?project={quote(str(project))}&target=bill.py:price").text
    assert re.search(r'<g class="spotbox changed"><title>bill.py::price</title>', page)
    assert re.search(r'<g class="spotbox code tier\d"><title>bill.py::total', page)
    assert re.search(r'<g class="spotbox test tier\d"><title>tests/test_bill.py::test_total', page)
    assert "pytest tests/test_bill.py" in page
    whole = browser.get("/code?target=bill.py").text
    assert ">bill.py</text>" in whole
    wrong = browser.get("/code?target=nothing_like_it")
    assert wrong.status_code == 400
    assert "Its parts, and who imports whom" in wrong.text, "the map is still there"


def test_changes_are_read_at_the_press_of_a_button(browser: TestClient, project: Path) -> None:
    (project / "bill.py").write_text("def total():\n    return 2\n")
    page = browser.get("/code").text
    assert "1 file differs from the index" in page
    found = re.search(r'name="token" value="(\w+)"', page)
    assert found
    after = browser.post("/code/sync", data={"token": found[1], "project": str(project)})
    assert after.status_code == 200
    assert "the index is up to date" in after.text


@pytest.mark.parametrize(("other", "status"), [("/etc", 409), ("..", 409), ("", 200)])
def test_a_folder_that_nobody_indexed_is_not_opened(
    browser: TestClient, tmp_path: Path, other: str, status: int
) -> None:
    page = browser.get(f"/code?project={other}")
    assert page.status_code == status
    assert "gieok code init" in page.text

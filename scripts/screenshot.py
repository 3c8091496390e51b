"""Takes the picture of the pages: `make screenshot` writes docs/assets/pages.png, of a home with
the notes of examples/.
"""

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from playwright.sync_api import ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from terminal_session import ROOT, SCRIPTS, prepared

_PICTURE = ROOT / "docs" / "assets" / "pages.png"
_QUESTION = "그릇이 파손됐을 때 반송을 받아야 하나"
_SIZE: ViewportSize = {"width": 1180, "height": 760}
_MOST_BYTES = 200_000


def main() -> None:
    """Fill a home, serve its pages, and take the picture of a search."""
    # its own each time: the server of the last run may still be ending
    home = Path(mkdtemp()) / "home"
    environment = prepared(home)
    with socket.create_server(("127.0.0.1", 0)) as found:
        environment["GIEOK_SERVE_PORT"] = str(found.getsockname()[1])

    def run(*words: str) -> str:
        done = subprocess.run(
            [SCRIPTS / "gieok", *words],
            cwd=home,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    try:
        run("index", str(home / "notes"))
        run("remember", "배포 승인은 보람 님이 한다. 급하면 태오 님.", "--user")
        _take(run("open", "--print-only").split()[0])
    finally:
        run("down")
        shutil.rmtree(home.parent, ignore_errors=True)
    size = _PICTURE.stat().st_size
    print(f"{_PICTURE.relative_to(ROOT)}: {size:,} bytes")
    sys.exit(f"it is larger than {_MOST_BYTES:,} bytes" if size > _MOST_BYTES else 0)


def _take(link: str) -> None:
    chromium = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(viewport=_SIZE, color_scheme="light", locale="en").new_page()
        page.goto(link)
        page.get_by_role("searchbox").first.fill(_QUESTION)
        page.wait_for_timeout(4000)  # words answer first, then meanings
        page.get_by_text("Why is this here?").first.click()
        page.mouse.move(0, 0)
        page.screenshot(path=_PICTURE)
        browser.close()


if __name__ == "__main__":
    main()

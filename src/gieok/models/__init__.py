"""Models that embed, rerank and write, and notifiers; `gieok.app` opens them."""

import gieok.threads  # noqa: F401

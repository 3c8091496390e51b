"""Models that embed, rerank and write, and notifiers; `gieok.home` opens them."""

import gieok.threads  # noqa: F401

"""Where memory is kept: journals, indexes, accounts, archives, backups. `gieok.app` opens them."""

import gieok.threads  # noqa: F401

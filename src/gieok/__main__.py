"""`python -m gieok`."""

import sys

from gieok.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m askew``."""

import sys

from askew.cli import main

if __name__ == "__main__":
    sys.exit(main())

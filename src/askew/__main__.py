"""``python -m askew``."""

import sys

if __name__ == "__main__":
    try:
        from askew.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())

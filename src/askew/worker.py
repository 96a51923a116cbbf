"""What each worker process does first."""

from __future__ import annotations

import os
from multiprocessing import connection, parent_process
from threading import Thread


def end_with_parent() -> None:
    """End this process when its parent is gone, even if that was killed; no-op in the main process."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_wait, args=(parent.sentinel,), daemon=True).start()


def _wait(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)

"""What each worker process of ours does first."""

from __future__ import annotations

import os
from multiprocessing import connection, parent_process
from threading import Thread


def end_with_parent() -> None:
    """Let this process end when the one that began it is gone, even if it was killed; nothing where none began it."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_wait, args=(parent.sentinel,), daemon=True).start()


def _wait(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)

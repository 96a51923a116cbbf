"""Locks that end with their process, and workers that end with their parent, however that ends.

Locks are flock, or on Windows msvcrt.locking. Ten lines do what askew needs; a package such as
filelock would need a second file beside each file it locks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from askew.errors import RunError

FOLDER_LOCK = ".askew.lock"
"""The file that stands for a folder's lock on Windows, which cannot open the folder itself; it stays there, empty."""

_FAR = 0x7FFF0000
"""The byte that is locked on Windows, where other processes cannot read a locked byte; a file may end before it."""


@contextmanager
def alone_in(*folders: Path) -> Iterator[None]:
    """Lock folders against other writers; RunError when another process is writing to one.

    The lock ends with the process however that ends. Where the file system has no locks this does nothing.
    """
    with ExitStack() as held:
        for folder in dict.fromkeys(folders):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                place = open_folder(folder)
                held.callback(os.close, place)
                try_lock(place)
            except BlockingIOError:
                raise RunError(
                    f"{folder}: another askew is writing to this folder. Wait until it is done, or give another."
                ) from None
            except OSError:  # a folder that can be neither read nor written
                continue
        yield


def try_lock(file: int) -> bool:
    """Lock an open file for this process; False where the system or disk has no locks.

    Raises BlockingIOError when another process, or another opening of the file, has it.
    """
    try:
        fcntl: Any = import_module("fcntl")
    except ImportError:
        return _try_msvcrt(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _try_msvcrt(file: int) -> bool:
    try:
        msvcrt: Any = import_module("msvcrt")
    except ImportError:
        return False
    place = os.lseek(file, 0, os.SEEK_CUR)
    try:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except PermissionError as held:
        raise BlockingIOError(held.errno, held.strerror) from None
    except OSError:
        return False
    finally:
        os.lseek(file, place, os.SEEK_SET)
    return True


def open_folder(folder: Path) -> int:
    """An open file to lock a folder by: the folder itself, or ``FOLDER_LOCK`` in it on Windows."""
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:
        return os.open(folder / FOLDER_LOCK, os.O_RDWR | os.O_CREAT)


def end_with_parent() -> None:
    """End this process when its parent is gone, even if that was killed; no-op in the main process."""
    from multiprocessing import parent_process  # imported late: most commands start no worker
    from threading import Thread

    parent = parent_process()
    if parent is not None:
        Thread(target=_wait, args=(parent.sentinel,), daemon=True).start()


def _wait(sentinel: int) -> None:
    from multiprocessing import connection

    connection.wait([sentinel])
    os._exit(1)

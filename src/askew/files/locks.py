"""Locks that are released when their process ends, and workers that end with their parent, even if it is killed.

Locks use flock, or msvcrt.locking on Windows. Ten lines do what askew needs; a package such as filelock would need an
additional file for each file it locks.
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
"""The file that is locked in place of a folder on Windows, where folders cannot be opened; it stays there, empty."""

_LOCKED_BYTE = 0x7FFF0000
"""The offset of the byte locked on Windows, beyond the end of files, because locked bytes cannot be read by others."""


@contextmanager
def alone_in(*folders: Path) -> Iterator[None]:
    """Lock folders against other writers; RunError if another process is writing to one of them.

    The lock is released when the process ends, even if it is killed. No-op if the file system has no locks.
    """
    with ExitStack() as open_descriptors:
        for folder in dict.fromkeys(folders):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                descriptor = open_folder(folder)
                open_descriptors.callback(os.close, descriptor)
                try_lock(descriptor)
            except BlockingIOError:
                raise RunError(
                    f"{folder}: another askew is writing to this folder. Wait until it is done, or give another."
                ) from None
            except OSError:  # a folder that can be neither read nor written
                continue
        yield


def try_lock(file: int) -> bool:
    """Lock an open file for this process; False if the system or disk has no locks.

    Raises BlockingIOError if another process, or another open handle, holds the lock.
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
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except PermissionError as held:
        raise BlockingIOError(held.errno, held.strerror) from None
    except OSError:
        return False
    finally:
        os.lseek(file, place, os.SEEK_SET)
    return True


def open_folder(folder: Path) -> int:
    """A file descriptor by which a folder can be locked: the folder itself, or ``FOLDER_LOCK`` in it on Windows."""
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:
        return os.open(folder / FOLDER_LOCK, os.O_RDWR | os.O_CREAT)


def end_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed; no-op in the main process."""
    from multiprocessing import parent_process  # imported here because most commands start no workers
    from threading import Thread

    parent = parent_process()
    if parent is not None:
        Thread(target=_wait, args=(parent.sentinel,), daemon=True).start()


def _wait(sentinel: int) -> None:
    from multiprocessing import connection

    connection.wait([sentinel])
    os._exit(1)

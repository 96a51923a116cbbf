"""Inner loops compiled to machine code by numba (extra ``rank``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from askew.errors import need

F = TypeVar("F", bound=Callable[..., Any])


def compiled(loop: F) -> F:
    """The same function as machine code, equal to the last bit: sums keep their order, and each product is rounded.

    It is compiled at its first call and cached on disk next to the source or in the user's cache folder
    (``NUMBA_CACHE_DIR``); if neither is writable, each run compiles it again, which takes a few seconds.

    >>> @compiled
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> total((1.0, 2.5))
    3.5
    """
    return _machine_code(loop)


def vectorised(loop: Callable[..., Any]) -> Any:
    """As ``compiled``, but sums may be reordered into vector lanes, in the same way at every call.

    Several times as fast; for sums whose last bits need not equal those of another program. Infinities are kept.
    """
    return _machine_code(loop, fastmath={"reassoc", "contract", "nsz"})


def _machine_code(loop: F, **options: Any) -> F:
    numba = need("numba", "rank")
    options |= {"nogil": True, "error_model": "numpy"}  # dividing by 0 gives inf or nan
    try:
        machine_code: F = numba.njit(cache=True, **options)(loop)
    except RuntimeError:  # no folder to keep it in
        machine_code = numba.njit(**options)(loop)
    return machine_code

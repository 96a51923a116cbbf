"""Print a value of ``OPENBLAS_CORETYPE`` that this processor can run and would not choose by itself.

Last bits of matrix products differ between processors. ``make test`` runs the tests that touch such products once more
with this value, so that none of them passes on one processor alone. Prints nothing if NumPy does not use OpenBLAS.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

_OTHER = {"skylakex": "Haswell", "cooperlake": "Haswell", "sapphirerapids": "Haswell"}
_EVERYWHERE = {"x86_64": "Prescott", "aarch64": "ARMV8"}


def other_core(own: str, machine: str) -> str:
    """The name of another core.

    >>> other_core("SkylakeX", "x86_64"), other_core("Haswell", "x86_64"), other_core("neoversen1", "aarch64")
    ('Haswell', 'Prescott', 'ARMV8')
    """
    return _OTHER.get(own.lower(), _EVERYWHERE.get(machine, ""))


if __name__ == "__main__":
    import platform

    np.ones((2, 2)) @ np.ones((2, 2))
    cores = [str(library["architecture"]) for library in threadpool_info() if library["internal_api"] == "openblas"]
    print(other_core(cores[0], platform.machine()) if cores else "")

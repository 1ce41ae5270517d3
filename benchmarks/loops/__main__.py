"""`python -m benchmarks.loops`."""

import os
import sys

# read when NumPy is imported, so before anything else is
threads = next(
    (after for before, after in zip(sys.argv, [*sys.argv[1:], ""], strict=True) if before == "--threads"), "2"
)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["NPROC"] = threads

from benchmarks.loops.runner import main  # noqa: E402

raise SystemExit(main())

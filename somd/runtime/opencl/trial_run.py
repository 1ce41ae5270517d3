"""The process of a trial: `python -m somd.runtime.opencl.trial_run PLATFORM VERSION DEVICE`.

It prints, as JSON, a verdict and what there is to say: `works`; `wrong`, with the arrays that came out otherwise than
in plain Python; `fails`, with the driver's words. Where it dies it prints nothing, and says why where drivers say it.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np

from somd.runtime.opencl import drivers
from somd.runtime.opencl import known_answers as method
from somd.runtime.opencl import known_answers_module as module
from somd.runtime.opencl.devices import Device, every
from somd.runtime.opencl.execute import call


def wrong_on(device: Device) -> list[str]:
    """What comes out otherwise on a device than in plain Python: names of arrays, `result`."""
    wrong: set[str] = set()
    for n, m in method.SIZES:
        given, wanted = method.arguments(n, m), method.arguments(n, m)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            expected = method.known_answers(*wanted)
        result = call(module.known_answers, module.KERNELS, module.KERNEL_NAMES, given, device=device)
        pairs = zip(method.PARAMETERS, given, wanted, strict=True)
        wrong |= {name for name, mine, theirs in pairs if not np.array_equal(mine, theirs)}
        wrong |= {"result"} if int(result) != int(expected) else set()
    return sorted(wrong)


def main() -> None:
    """Try the device that the command line names."""
    drivers.inherit()
    named = tuple(sys.argv[1:4])
    devices = [d for d in every() if (d.info.platform, d.info.platform_version, d.info.name) == named]
    try:
        wrong = wrong_on(devices[0])
    except Exception as error:
        print(json.dumps(("fails", str(error))))
        sys.exit(1)
    print(json.dumps(("wrong", ", ".join(wrong)) if wrong else ("works", "")))


if __name__ == "__main__":
    main()

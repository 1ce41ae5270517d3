"""Finds the OpenCL drivers of this machine, with nothing to set up, before pyopencl first asks for platforms.

Out: a folder of ICD files with real paths, named in `OCL_ICD_VENDORS`; then the module `pyopencl` itself. A value of
`OCL_ICD_VENDORS` or `OPENCL_VENDOR_PATH` that the user has set is respected: no folder is made. PoCL and Oclgrind from
PyPI need no ICD file: the loader inside pyopencl's wheel finds them beside itself, whatever the variable says. The
system's PoCL is registered as well: it may know a CPU that PyPI's is too old for, and the newest that works is taken.

And one step of Intel's compiler for CPUs is switched off, which moves integers beside a minimum, maximum or absolute
value to the registers of vectors: on processors with AVX-512 it makes `-1 - x` there by an instruction that does not
exist, and the process ends. The driver reads `CL_CONFIG_LLVM_OPTIONS` when its first context is made, of a name that
it does not know takes no notice, and what the user has set there is kept.

Oclgrind counts the local memory of all kernels of a program together. So it gets room for that of several, unless the
user has said how much there is (`OCLGRIND_LOCAL_MEM_SIZE`); each kernel takes no more than any device has.

The loader reads `OCL_ICD_VENDORS` when the first platform is asked for, so a pyopencl that was imported but not used
earlier is fine; one that was used keeps the drivers that it found then.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from somd.runtime.opencl.failures import NoDevice
from somd.runtime.opencl.folders import cache_folder, read_own, write_whole

#: bytes of local memory that every device has
LEAST_LOCAL = 32 << 10
_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
_PREFIX = "vendors-"
_NVIDIA = "libnvidia-opencl.so.1"
_NVIDIA_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/run/opengl-driver/lib",
    "/usr/lib",
)
_INTELS_OPTIONS, _NO_INTEGERS_IN_VECTORS = "CL_CONFIG_LLVM_OPTIONS", "-disable-x86-scalar-to-vector"
_SIMULATED, _LOCAL_OF_PROGRAMS = "OCLGRIND_LOCAL_MEM_SIZE", 8 * LEAST_LOCAL
_FAMILIES = ("pocl", "intelocl", "nvidia-opencl")
_lock = threading.Lock()
_prepared = False


def pyopencl() -> Any:
    """The module `pyopencl`, its drivers registered.

    Raises:
        NoDevice: pyopencl is not installed, or cannot be loaded.
    """
    prepare()
    try:
        import pyopencl as module
    except Exception as error:  # it loads its own library and asks what others have written
        raise NoDevice(f"pyopencl cannot be imported ({error}); install it with: pip install 'somd[opencl]'") from error
    return module


def prepare() -> None:
    """Registers the drivers once per process; does nothing where the user has chosen them."""
    global _prepared
    with _lock:
        if _prepared or not sys.platform.startswith("linux"):
            return
        _prepared = True
        _mend_intels_compiler()
        os.environ.setdefault(_SIMULATED, str(_LOCAL_OF_PROGRAMS))
        if any(os.environ.get(name) and not _is_ours(os.environ[name]) for name in _VARIABLES):
            return
        drivers = find_drivers()
        parent = cache_folder()
        try:
            folder = write_folder(drivers, parent)
        except OSError:  # a cache that cannot be used
            parent = Path(tempfile.mkdtemp(prefix="somd-opencl-"))
            atexit.register(shutil.rmtree, str(parent), ignore_errors=True)
            folder = write_folder(drivers, parent)
        os.environ["OCL_ICD_VENDORS"] = str(folder)
        # PoCL runs what it finds there
        os.environ.setdefault("POCL_CACHE_DIR", str(parent / "pocl"))


def _mend_intels_compiler() -> None:
    options = os.environ.get(_INTELS_OPTIONS, "")
    if _NO_INTEGERS_IN_VECTORS not in options:
        os.environ[_INTELS_OPTIONS] = f"{options} {_NO_INTEGERS_IN_VECTORS}".strip()


def inherit() -> None:
    """Take the drivers that the environment names, whoever wrote it there: for a process started by one of ours."""
    global _prepared
    _prepared = True


def _is_ours(value: str) -> bool:
    """Inherited from a parent process that used somd, perhaps of another environment: no choice of the user's."""
    return Path(value).name.startswith(_PREFIX) and Path(value).parent == cache_folder()


def find_drivers() -> dict[str, str]:
    """The drivers to register: name of the ICD file -> library, by its real path where that is known."""
    found: dict[str, str] = {}
    families: set[str] = set()
    for name, library in (*_installed(), *_system()):
        family = _family(library)
        # One driver twice in a process (Intel's of PyPI and the system's): asking for trouble.
        if family not in families and (family != "pocl" or stands_beside(library, bundled("libpocl"))):
            families.add(family)
            found[name] = library
    return found


def stands_beside(library: str, other: str | None) -> bool:
    """Whether a process survives two drivers that hold an LLVM each; tried in one of its own, and remembered."""
    if other is None:
        return True
    versions = [(path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0) for path in (library, other)]
    mark = cache_folder("beside", hashlib.sha256(repr(versions).encode()).hexdigest()[:16])
    if read_own(mark) is not None:
        return True
    code = "import ctypes, sys\nfor path in sys.argv[1:]:\n    ctypes.CDLL(path)"
    try:
        done = subprocess.run([sys.executable, "-I", "-c", code, library, other], capture_output=True, timeout=60)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    # One that cannot be loaded is passed over by the ICD loader, and told of by `problems`.
    survived = done.returncode >= 0
    if survived:
        write_whole(mark, b"")
    return survived


def bundled(stem: str) -> str | None:
    """The library beside pyopencl's own loader whose name begins with `stem`: PyPI's drivers go there."""
    spec = importlib.util.find_spec("pyopencl")
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent / ".libs"
    if not any(folder.glob("libOpenCL*")):
        return None
    return next((str(path) for path in sorted(folder.glob(f"{stem}*.so*"))), None)


def _family(library: str) -> str:
    """What counts as the same driver: `pocl` for `/usr/lib/libpocl.so.2.9.0`."""
    name = Path(library).name
    return next((family for family in _FAMILIES if family in name), name)


def _installed() -> Iterator[tuple[str, str]]:
    intel = _intel()
    if intel is not None:
        yield "intel-cpu.icd", intel
    nvidia = _nvidia()
    if nvidia is not None:
        yield "nvidia.icd", nvidia


def _intel() -> str | None:
    """PyPI's `intel-opencl-rt`, which lies in the environment's `lib` and finds its own libraries by its run path."""
    from importlib import metadata  # late: it takes longer to load than all else here

    candidates = [Path(sys.prefix, "lib", "libintelocl.so")]
    try:
        files = metadata.files("intel-opencl-rt") or []
        candidates[:0] = [Path(str(file.locate())) for file in files if file.name == "libintelocl.so"]
    except metadata.PackageNotFoundError:
        pass
    return next((str(path.resolve()) for path in candidates if path.exists()), None)


def _nvidia() -> str | None:
    folders = [entry for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    for folder in (*folders, *_NVIDIA_FOLDERS):
        path = Path(folder, _NVIDIA)
        if path.exists():
            return str(path.resolve())
    # The dynamic linker's cache may know more folders; the name alone is then enough for the loader, too.
    return _NVIDIA if load_problem(_NVIDIA) is None else None


def _system() -> Iterator[tuple[str, str]]:
    for path in sorted(Path("/etc/OpenCL/vendors").glob("*.icd")):
        try:
            lines = path.read_text().split("\n")
        except (OSError, UnicodeDecodeError):
            continue
        if lines[0].strip():
            yield path.name, lines[0].strip()


def write_folder(drivers: dict[str, str], parent: Path) -> Path:
    """Writes the ICD files to a folder in `parent` that is named after their content. Raises OSError."""
    digest = hashlib.sha256(repr(sorted(drivers.items())).encode()).hexdigest()[:16]
    folder = parent / (_PREFIX + digest)
    for name, library in drivers.items():
        line = f"{library}\n".encode()
        if read_own(folder / name) != line and not write_whole(folder / name, line):
            raise OSError(f"cannot write {folder / name}")
    return folder


def load_problem(library: str) -> str | None:
    """Why `library` cannot be loaded; None where it can. The ICD loader passes over such a driver without a word."""
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return None


def problems() -> tuple[str, ...]:
    """One line for each driver that is there and cannot be loaded, for the message that no device was found."""
    if not sys.platform.startswith("linux"):
        return ()
    found = []
    for library in find_drivers().values():
        reason = load_problem(library)
        if reason is not None:
            hint = "; pip install intel-cmplr-lib-rt" if "intelocl" in library else ""
            found.append(f"{Path(library).name} cannot be loaded: {reason}{hint}")
    return tuple(found)

"""Commands that look at a file do not run its program: `check`, `explain`, `config`, `suggest`.

`programs/with_effects.txt` holds statements that would leave a file behind, end the process or take for ever. A method
`f` needs them for a name `K`, or they stand beside it (`(checked)`). Those of `evaluated.txt` have no effects, and `K`
is known; `values.txt` says what it is, and in `changed.txt` it may have changed, for the reason in the title.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import ADD, REFUSED, Done, Somdc, Write

PROGRAMS = Path(__file__).parent / "programs"
HEAD = "import numpy as np\nfrom somd import dist, somd\n"
METHOD = """
@somd
def f(a: dist[np.ndarray]):
    for i in range(len(a)):
        a[i] += K
"""
#: modules of the user's that the programs import
OTHERS = {
    "side.py": "open('MARK_side', 'w')\nK = open('MARK_side', 'w')\ndef fn():\n    return open('MARK_side', 'w')\n"
    "raise SystemExit(3)\n",
    "helpers.py": "import deep.value\n_private = 3\nK = _private + 1\nwhile True:\n    open('MARK_helpers', 'w')\n",
    "deep/__init__.py": "open('MARK_deep', 'w')\n",
    "deep/value.py": "V = 7\n",
    "pkg/__init__.py": "from .inner import K as K2\nfrom . import inner\nK = open('MARK_pkg', 'w')\nraise SystemExit",
    "pkg/inner.py": "from ._base import *\nfrom ._base import half\nK = BASE\n",
    "pkg/_base.py": "BASE = 3\ndef half(x):\n    return x / 2\nopen('MARK_base', 'w')\n",
    "plain/folder/part.py": "K = 3\nopen('MARK_part', 'w')\n",
    "types.py": "open('MARK_types', 'w')\n",
    "pkg/sub.py": "K = open('MARK_sub', 'w')\nraise SystemExit(3)\n",
}


def programs(name: str) -> dict[str, str]:
    text = (PROGRAMS / name).read_text(encoding="utf-8")
    parts = re.split(r"^# --- (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def written(write: Write, texts: dict[str, str]) -> list[str]:
    """The programs as files, with the user's other modules beside them; the names of the files."""
    for file, text in OTHERS.items():
        write(file, text)
    names = []
    for number, (title, text) in enumerate(texts.items()):
        names.append(f"m{number}.py")
        mark = re.sub(r"\W", "_", f"MARK_{title}")
        write(names[-1], HEAD + text.replace("MARK", mark) + METHOD)
    return names


def marks(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*MARK*"))


def test_programs_with_effects(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    texts = programs("with_effects.txt")
    names = written(write, texts)
    done = somdc("check", *names)
    assert marks(tmp_path) == []
    assert done.status == 0, done.out
    left_out = set(re.findall(r"^not checked: `f` \((m\d+\.py):", done.out, re.MULTILINE))
    for name, title in zip(names, texts, strict=True):
        assert (name in left_out) != title.endswith("(checked)"), (title, texts[title])


def test_programs_that_are_evaluated(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    names = written(write, programs("evaluated.txt"))
    done = somdc("check", *names)
    assert marks(tmp_path) == []
    assert done.out == f"{len(names)} methods in {len(names)} files checked: no errors\n"


def test_other_commands(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write(
        "effects.py",
        HEAD + "open('MARK', 'w')\nfor i in range(3):\n    open('MARK', 'w')\nK = open('MARK', 'w')\n" + METHOD,
    )
    write(
        "plain.py",
        "open('MARK', 'w')\nK = open('MARK', 'w')\ndef f(a):\n    for i in range(len(a)):\n        a[i] = K\n",
    )
    done = somdc("explain", "effects.py:f")
    why = "`K` is made by a call of `open`, which is not run (effects.py:6)"
    assert (done.status, done.err) == (1, f"error: {why}; --import runs the whole file\n")
    assert somdc("config", "effects.py").status == 0
    done = somdc("suggest", "plain.py")
    assert done.status == 1 and f"nothing proposed: {why.replace('effects.py:6', 'plain.py:4')}" in done.out
    assert marks(tmp_path) == []
    for command in (
        ["check", "effects.py"],
        ["explain", "effects.py:f"],
        ["config", "effects.py"],
        ["suggest", "plain.py"],
    ):
        somdc(*command, "--import")
        assert marks(tmp_path) == ["MARK"], command
        (tmp_path / "MARK").unlink()


def checked(somdc: Somdc, write: Write, text: str, name: str = "model.py") -> Done:
    write(name, HEAD + text)
    return somdc("check", name)


def of_k(text: str) -> str:
    """The top of a program whose method subtracts `K` from its index: refused for any K but 0."""
    return text + REFUSED.partition("somd\n\n")[2].replace("i - 1", "i - K")


def test_values_are_those_of_the_program(somdc: Somdc, write: Write) -> None:
    for title, text in programs("values.txt").items():
        done = checked(somdc, write, of_k(text))
        assert ("SOMD301" in done.out) == ("K is 1" in title) and "not checked" not in done.out, (text, done.out)


def test_what_may_have_changed_is_not_known(somdc: Somdc, write: Write) -> None:
    write("other.py", "K = 1\ndef main():\n    global K\n    for i in range(1): K = 0\n")
    write("third.py", "import other\nother.K = open('third.py').fileno() * 0\nN = 3\n")
    for title, text in programs("changed.txt").items():
        done = checked(somdc, write, of_k(text))
        assert done.status == 0 and title.partition(";")[0] in done.out, (text, done.out)


def test_names_that_are_local_to_methods(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    top = "".join(f"{name} = open('MARK', 'w')\n" for name in ("i", "a", "b", "c", "j", "add"))
    body = ADD.partition("somd\n\n\n")[2].replace(
        "    return c", "    for j in range(3):\n        c[j] = 0\n    return c"
    )
    done = checked(somdc, write, top + body)
    assert (done.out, marks(tmp_path)) == ("1 method in 1 file checked: no errors\n", [])


def test_a_method_beside_what_is_not_run(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    text = (
        "class Model:\n    size = open('MARK', 'w')\n    @profile\n    def plot(self): ...\n"
        "    @somd\n    def scale(self, a: dist[np.ndarray]):\n        for i in range(len(a)):\n            a[i] *= 2\n"
        "    @somd\n    def fill(self, a: dist[np.ndarray]):\n"
        "        for i in range(len(a)):\n            a[i] = self.size\n"
        "def profile(f):\n    open('MARK', 'w')\n    return f\n"
    )
    done = checked(somdc, write, text.replace("@profile", "@staticmethod"))
    assert "`Model.fill` (model.py:11): `size` is made by a call of `open`" in done.out
    assert "1 method in 1 file checked: no errors" in done.out
    done = checked(somdc, write, text)
    assert "model.py:6: importing it raised NameError: name 'profile' is not defined" in done.out
    done = checked(somdc, write, "def timed(f):\n    open('MARK', 'w')\n    return f\nK = 1\n@timed" + METHOD)
    assert done.out == "1 method in 1 file checked: no errors\n"
    for around in ("for k in range(1):", "with open('MARK', 'w'):", "while open('MARK', 'w'):"):
        done = checked(somdc, write, around + METHOD.replace("\n", "\n    "))
        assert "not checked: `f` (model.py:5): `f` is made by a " in done.out, done.out
    assert marks(tmp_path) == []


def test_modules_of_the_users(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    write("lib/__init__.py", "from .units import G\nfrom . import units\nopen('MARK', 'w')\n__all__ = ['G', 'half']\n")
    write("lib/units.py", "G = 1\nH = open('MARK', 'w')\ndef half(x):\n    return x * SCALE\nSCALE = 0.5\n")
    write("lib/more.py", "from .units import *\nfrom .units import half as halve\nimport lib.units as u\n")
    top = "import lib.more as more\nfrom lib import G, units\nfrom lib.more import *\n"
    method = METHOD.replace("+= K", "= half(a[i]) + more.halve(a[i]) + units.G + more.u.G + G")
    assert checked(somdc, write, top + method).out == "1 method in 1 file checked: no errors\n"
    done = checked(somdc, write, top + method.replace("units.G", "units.H"))
    assert "`H` is made by a call of `open`, which is not run (units.py:2)" in done.out
    write("lib/inner/model.py", HEAD + "from ..units import G as K\n" + METHOD)
    write("lib/inner/__init__.py", "raise SystemExit(3)\n")
    assert somdc("check", "lib/inner").out == "1 method in 1 file checked: no errors\n"
    for text, said in {
        "from lib import nothing": "ImportError: cannot import name 'nothing' from 'lib'",
        "from lib.none import K": "ModuleNotFoundError: No module named 'lib.none'",
        "from . import K": "ImportError: ",
    }.items():
        done = checked(somdc, write, text + METHOD.replace("K", "K + nothing" if "nothing" in text else "K"))
        assert done.status == 1 and f"model.py:3: importing it raised {said}" in done.out, done.out
    assert marks(tmp_path) == []


def test_a_check_leaves_no_part_of_a_module_behind(somdc: Somdc, write: Write) -> None:
    write("lib.py", "K = 1\nOTHER = 2\n")
    write("model.py", HEAD + "from lib import K\n" + METHOD)
    write("user.py", HEAD + "from lib import K, OTHER\n" + METHOD + "assert OTHER == 2\n")
    assert somdc("check", "model.py", "user.py").status == 0
    assert somdc("check", "--import", "user.py").out == "1 method in 1 file checked: no errors\n"


def test_quoted_annotations(somdc: Somdc, write: Write, tmp_path: Path) -> None:
    later = "\nclass Later:\n    k: float\n"
    for head in ("", "from __future__ import annotations\n"):
        write(
            "model.py",
            head + HEAD + METHOD.replace("dist[np.ndarray]", "'dist[np.ndarray]', b: 'Later'") + later + "K = 1\n",
        )
        assert somdc("check", "model.py").out == "1 method in 1 file checked: no errors\n"
    write(
        "model.py",
        "from __future__ import annotations\n" + HEAD + "K = 1\n" + METHOD.replace("np.nd", "open('MARK', 'w').nd"),
    )
    done = somdc("check", "model.py")
    assert "the annotation of `a` holds a call of `open`, which is not run" in done.out and not marks(tmp_path)

"""`somdc lsp`, asked by a client over its standard input and output, as an editor asks it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.usual import ALL

pytest.importorskip("pygls")
ROOT = Path(__file__).parents[2]
HEAD = "import numpy as np\nfrom somd import dist, somd\n"
METHOD = """

@somd
def smooth_{k}(a: dist[np.ndarray], b: dist[np.ndarray], steps: int) -> None:
    for t in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = (a[i - 1] + {k}.0 * a[i] + a[i + 1]) / 3.0
        a, b = b, a
"""
PLAIN = "\n\ndef twice(x, y):\n    for i in range(len(x)):\n        y[i] = 2.0 * x[i]\n"


class Client:
    """An editor with one file."""

    def __init__(self, file: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SOMD_CACHE_DIR": str(file.parent / "cache")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "somd", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=file.parent,
        )
        self.uri, self.version, self.number = file.as_uri(), 0, 0
        self.ask("initialize", processId=None, rootUri=None, capabilities={})
        self.tell("initialized")

    def send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.send(method=method, params=params)

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while (answer := self.read()).get("id") != self.number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def diagnostics(self) -> list[Any]:
        while (message := self.read()).get("method") != "textDocument/publishDiagnostics":
            pass
        assert message["params"]["version"] == self.version
        found: list[Any] = message["params"]["diagnostics"]
        return found

    def open(self, text: str) -> list[Any]:
        item = {"uri": self.uri, "languageId": "python", "version": self.version, "text": text}
        self.tell("textDocument/didOpen", textDocument=item)
        return self.diagnostics()

    def edit(self, line: int, start: int, end: int, text: str) -> list[Any]:
        """Replace a piece of a line, from 0."""
        self.version += 1
        places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        document = {"uri": self.uri, "version": self.version}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"range": places, "text": text}])
        return self.diagnostics()

    def actions(self, line: int) -> list[Any]:
        place = {"line": line, "character": 0}
        found: list[Any] = self.ask(
            "textDocument/codeAction",
            textDocument={"uri": self.uri},
            range={"start": place, "end": place},
            context={"diagnostics": []},
        )
        return found

    def worked(self) -> float:
        """Seconds of processors that the server has taken; 0 where that is not told."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.ask("shutdown")
        self.tell("exit")
        assert self.process.wait(10) == 0


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path / "model.py")
    yield made
    made.close()
    for stream in (made.process.stdin, made.process.stdout):
        assert stream is not None
        stream.close()


def applied(text: str, action: dict[str, Any]) -> str:
    """The text with the edits of an action, as an editor applies them."""
    lines = text.splitlines(keepends=True)
    ((_, edits),) = action["edit"]["changes"].items()
    for edit in sorted(edits, key=lambda each: list(each["range"]["start"].values()), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        whole = "".join(lines)
        first, last = (sum(map(len, lines[: at["line"]])) + at["character"] for at in (start, end))
        lines = (whole[:first] + edit["newText"] + whole[last:]).splitlines(keepends=True)
    return "".join(lines)


def test_an_editor(client: Client) -> None:
    text = HEAD + METHOD.format(k=1) + PLAIN
    assert client.open(text) == []
    line = text.splitlines().index("            b[i] = (a[i - 1] + 1.0 * a[i] + a[i + 1]) / 3.0")
    (found,) = client.edit(line, 12, 16, "a[i]")
    assert (found["code"], found["source"]) == ("SOMD301", "somd") and "help: " in found["message"]
    assert found["range"]["start"] == {"line": line, "character": 20}
    assert client.edit(line, 12, 16, "a[i") and client.edit(line, 12, 15, "b[i]") == []
    for where, begins in (
        (line - 3, "smooth_1"),
        (line - 1, "phase 1, line 8: for i"),
        (line, "phase 1, line 8: for i"),
    ):
        at = {"line": where, "character": 9}
        hover = client.ask("textDocument/hover", textDocument={"uri": client.uri}, position=at)
        assert hover["contents"]["value"].startswith(f"```text\n{begins}"), hover
    (action,) = client.actions(len(text.splitlines()) - 1)
    marked = applied(text, action)
    assert action["title"] == "distribute `x`, `y` of `twice`"
    assert "@somd\ndef twice(x: dist[np.ndarray], y: dist[np.ndarray]):" in marked


def test_quick_fixes(client: Client) -> None:
    text = HEAD + "# \U0001f600\n\n\n@somd\ndef f(a: dist[np.ndarray]):\n"
    text += "    for i in range(1, len(a)):\n        a[i] = 0.5 * a[i - 1]\n"
    assert [each["code"] for each in client.open(text)] == ["SOMD301"]
    actions = client.actions(len(text.splitlines()) - 1)
    single = next(each for each in actions if "with single:" in each["title"])
    fixed = applied(text, single)
    assert "from somd import dist, somd, single\n" in fixed
    assert "    with single:\n        for i in range(1, len(a)):\n            a[i] = 0.5 * a[i - 1]\n" in fixed


@pytest.mark.usual(0)
def test_an_answer_within_200_ms(client: Client) -> None:
    text = HEAD + "".join(METHOD.format(k=k) for k in range(38))
    assert len(text.splitlines()) > 300 and client.open(text) == []
    lines = text.splitlines()
    line = next(k for k, each in enumerate(lines) if "17.0 * a[i]" in each)
    column = lines[line].index("17.0")
    seconds, worked = [], []
    for number in range(5):
        begun, before = time.perf_counter(), client.worked()
        assert client.edit(line, column, column + 1, str(2 + number % 2)) == []
        seconds.append(time.perf_counter() - begun)
        worked.append(client.worked() - before)
    print(f"answers in {sorted(seconds)} s, for which the server worked {sorted(worked)} s")
    # where other programs have the cores, the time that the server works; how fast a machine is no usual run asks
    assert not ALL or min(seconds) < 0.2 or (worked[0] and statistics.median(worked) < 0.2)

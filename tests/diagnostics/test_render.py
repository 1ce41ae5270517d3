"""The rendered text, literally: it is what users see and what other tests quote."""

from pathlib import Path

import pytest

from somd.diagnostics.model import Diagnostic, Label, Position
from somd.diagnostics.render import SourceLine, position_of_line, render, shown_path

SOURCE = """\
import numpy as np
from somd import dist, somd


@somd
def sweep(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
    for i in range(1, len(a)):
        a[i] = a[i - 1] * 0.5 + b[i]

    x = (a[0] +
         a[1] +
         a[2])
    a[0] = x
""".splitlines(keepends=True)


def source_line(file: str, line: int) -> str:
    return SOURCE[line - 1] if file == "model.py" and line <= len(SOURCE) else ""


def at(line: int, column: int, end_column: int, end_line: int | None = None, file: str = "model.py") -> Position:
    return Position(file, line, column, end_line or line, end_column)


def place(line: int, piece: str) -> Position:
    column = SOURCE[line - 1].index(piece)
    return at(line, column, column + len(piece))


def body(diagnostic: Diagnostic, *source: SourceLine) -> str:
    """A rendered diagnostic but for its last line, the same in all of them."""
    text, _, last = render(diagnostic, *source).rpartition("\n")
    assert last.strip() == f"= more: somdc explain {diagnostic.code}"
    return text


def text_of(*labels: Label, notes: tuple[str, ...] = (), helps: tuple[str, ...] = ()) -> str:
    return body(Diagnostic("SOMD301", "this loop cannot be distributed", labels, helps, notes), source_line)


def lines(expected: str) -> str:
    return expected.strip("\n")


def test_single_label() -> None:
    got = text_of(Label(place(8, "a[i - 1]"), "read of a[i - 1]"), notes=("i = 3 and i = 4",), helps=("read a copy",))
    assert got == lines("""
error[SOMD301]: this loop cannot be distributed
 --> model.py:8:16
  |
7 |     for i in range(1, len(a)):
8 |         a[i] = a[i - 1] * 0.5 + b[i]
  |                ^^^^^^^^ read of a[i - 1]
  = note: i = 3 and i = 4
  = help: read a copy
""")


def test_two_labels_on_one_line() -> None:
    got = text_of(
        Label(place(8, "a[i - 1]"), "read of a[i - 1]"),
        Label(place(8, "a[i]"), "write of a[i]", primary=False),
    )
    assert got == lines("""
error[SOMD301]: this loop cannot be distributed
 --> model.py:8:16
  |
7 |     for i in range(1, len(a)):
8 |         a[i] = a[i - 1] * 0.5 + b[i]
  |         ----   ^^^^^^^^ read of a[i - 1]
  |         |
  |         write of a[i]
""")


def test_three_labels_on_one_line_hang_in_steps() -> None:
    got = text_of(
        Label(place(8, "a[i]"), "first", primary=False),
        Label(place(8, "a[i - 1]"), "second"),
        Label(place(8, "b[i]"), "third", primary=False),
    )
    assert got.splitlines()[4:] == [
        "8 |         a[i] = a[i - 1] * 0.5 + b[i]",
        "  |         ----   ^^^^^^^^         ---- third",
        "  |         |      |",
        "  |         |      second",
        "  |         first",
    ]


def test_overlapping_labels_all_hang() -> None:
    got = text_of(
        Label(place(8, "a[i - 1] * 0.5"), "product", primary=False),
        Label(place(8, "i - 1"), "index"),
    )
    assert got.splitlines()[5:] == [
        "  |                --^^^^^-------",
        "  |                | |",
        "  |                | index",
        "  |                product",
    ]


def test_labels_on_different_lines_with_gaps() -> None:
    got = text_of(
        Label(place(13, "x"), "used here"),
        Label(place(10, "x"), "assigned here", primary=False),
        Label(place(6, "a"), "", primary=False),
        Label(place(8, "b[i]"), "read", primary=False),
    )
    assert got == lines("""
error[SOMD301]: this loop cannot be distributed
  --> model.py:13:12
   |
 5 | @somd
 6 | def sweep(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
   |           -
 7 |     for i in range(1, len(a)):
 8 |         a[i] = a[i - 1] * 0.5 + b[i]
   |                                 ---- read
 9 |
10 |     x = (a[0] +
   |     - assigned here
...
13 |     a[0] = x
   |            ^ used here
""")


def test_label_over_several_lines() -> None:
    got = text_of(Label(at(10, 8, 14, 12), "this sum"))
    assert got == lines("""
error[SOMD301]: this loop cannot be distributed
  --> model.py:10:9
   |
10 | /     x = (a[0] +
11 | |          a[1] +
12 | |          a[2])
   | |______________^ this sum
""")


def test_long_label_is_shortened_and_holds_another() -> None:
    got = text_of(Label(at(5, 0, 12, 13), "the method", primary=False), Label(place(8, "a[i - 1]"), "read"))
    assert got == lines("""
error[SOMD301]: this loop cannot be distributed
  --> model.py:8:16
   |
 5 | / @somd
 6 | | def sweep(a: dist[np.ndarray], b: dist[np.ndarray]) -> None:
 7 | |     for i in range(1, len(a)):
 8 | |         a[i] = a[i - 1] * 0.5 + b[i]
   | |                ^^^^^^^^ read
...  |
13 | |     a[0] = x
   | |____________- the method
""")


def test_two_files() -> None:
    def source(file: str, line: int) -> str:
        return "def helper(x):\n" if file == "helpers.py" and line == 1 else source_line(file, line)

    labels = (
        Label(place(8, "b[i]"), "called here"),
        Label(Position("helpers.py", 1, 4, 1, 10), "the helper", primary=False),
    )
    got = body(Diagnostic("SOMD203", "unknown call", labels), source)
    assert got == lines("""
error[SOMD203]: unknown call
 --> model.py:8:33
  |
7 |     for i in range(1, len(a)):
8 |         a[i] = a[i - 1] * 0.5 + b[i]
  |                                 ^^^^ called here
 ::: helpers.py:1:5
  |
1 | def helper(x):
  |     ------ the helper
""")


def test_without_source_the_labels_become_notes() -> None:
    labels = (Label(at(3, 4, 9, file="<stdin>"), "read"), Label(at(2, 0, 3, file="<stdin>"), "write", primary=False))
    assert body(Diagnostic("SOMD301", "refused", labels, ("a way out",)), source_line) == lines("""
error[SOMD301]: refused
 --> <stdin>:3:5
  = note: line 3: read
  = note: line 2: write
  = help: a way out
""")


def test_without_labels_and_with_another_severity() -> None:
    assert body(Diagnostic("SOMD502", "no device", helps=("one\ntwo",), severity="warning")) == lines("""
warning[SOMD502]: no device
  = help: one
          two
""")


def test_tabs_and_wide_characters_keep_marks_in_place() -> None:
    text = "\tπ温 = a[i]\n"
    label = Label(Position("m.py", 1, text.index("a"), 1, text.index("]") + 1), "read")
    got = body(Diagnostic("SOMD303", "what is this", (label,)), lambda file, line: text)
    assert got.splitlines()[3:] == ["1 |     π温 = a[i]", "  |           ^^^^ read"]


def test_columns_beyond_a_changed_line_do_not_fail() -> None:
    got = body(Diagnostic("SOMD301", "m", (Label(at(1, 400, 410), "x"),)), source_line)
    assert got.splitlines()[-1].endswith("^ x")


def test_default_source_is_the_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deep" / "user.py"
    file.parent.mkdir()
    file.write_text("a = 1\nb = a\n")
    monkeypatch.chdir(tmp_path)
    got = body(Diagnostic("SOMD204", "m", (Label(Position(str(file), 2, 4, 2, 5), "here"),)))
    assert got == "error[SOMD204]: m\n --> deep/user.py:2:5\n  |\n1 | a = 1\n2 | b = a\n  |     ^ here"


def test_paths_outside_the_working_folder_stay_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "work"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert shown_path(str(tmp_path / "x.py")) == str(tmp_path / "x.py")
    assert shown_path(str(inside / "..x.py")) == "..x.py"
    assert shown_path("<string>") == "<string>"


def test_position_of_a_line_leaves_the_indentation_out() -> None:
    assert position_of_line("model.py", 8, source_line) == at(8, 8, 36)

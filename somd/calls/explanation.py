"""What `explain()` returns: text, which notebooks show with its structure."""

from __future__ import annotations

import html
import re

#: what a line of a plan begins with, and how it is shown
_STYLES = (
    (re.compile(r"(phase \d+, line \d+:)(.*)"), r"<b>\1</b>\2"),
    (re.compile(r"(taken by all method instances together:|otherwise:)(.*)"), r"<b>\1</b>\2"),
    (
        re.compile(r"(IndexError before the phase if|tested where they happen:)(.*)"),
        r'<span style="color:#c8761a">\1</span>\2',
    ),
    (re.compile(r"(fence)()$"), r'<span style="color:#888">\1</span>\2'),
    (re.compile(r"([a-z ]+:|once, by the master:)(.*)"), r'<span style="color:#3b82c4">\1</span>\2'),
)


class Explanation(str):
    """A plan in words. It is its text; a notebook shows it in colours."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *lines = self.splitlines()
        body = "\n".join(_styled(line) for line in lines)
        return f'<pre style="line-height:1.4"><b>{html.escape(head)}</b>\n{body}</pre>'


def _styled(line: str) -> str:
    text = html.escape(line.lstrip(), quote=False)
    pad = " " * (len(line) - len(line.lstrip()))
    for pattern, shown in _STYLES:
        if pattern.match(text):
            return pad + pattern.sub(shown, text, count=1)
    return pad + text

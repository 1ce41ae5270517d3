"""What `explain()` returns: text, which notebooks show with its structure."""

from __future__ import annotations

import html
import re

from somd.diagnostics.colours import as_around

#: a box that is light or dark as the picture is
_BOX = (
    "line-height:1.4;overflow-x:auto;padding:.5rem .75rem;"
    "color:light-dark(#222,#ddd);background:light-dark(#fff,#1a1a1a)"
)
#: what a line of a plan begins with, and how it is shown
_STYLES = (
    (re.compile(r"(phase \d+, line \d+:)(.*)"), r"<b>\1</b>\2"),
    (re.compile(r"(taken by all parts together:|otherwise:)(.*)"), r"<b>\1</b>\2"),
    (
        re.compile(r"(IndexError before the phase if|tested where they happen:)(.*)"),
        r'<span style="color:light-dark(#9a5a00,#e6a04d)">\1</span>\2',
    ),
    (re.compile(r"(fence)()$"), r'<span style="color:light-dark(#666,#aaa)">\1</span>\2'),
    (
        re.compile(r"([a-z ]+:|once, by the master:)(.*)"),
        r'<span style="color:light-dark(#1f66a8,#74aee8)">\1</span>\2',
    ),
)


class Explanation(str):
    """A plan in words. It is its text; a notebook shows its picture, and the text in colours below.

    Attributes:
        picture: the plan as HTML with SVG; "" where there is none.
    """

    picture: str

    def __new__(cls, text: str, picture: str = "") -> Explanation:
        made = super().__new__(cls, text)
        made.picture = picture
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *lines = self.splitlines()
        body = "\n".join(_styled(line) for line in lines)
        style = f"<style>{as_around('.somd-words')}</style>"
        words = f'{style}<pre class="somd-words" style="{_BOX}"><b>{html.escape(head)}</b>\n{body}</pre>'
        if not self.picture:
            return words
        folded = f"<details style='font: 14px system-ui, sans-serif'><summary>in words</summary>{words}</details>"
        return self.picture + folded

    def page(self) -> str:
        """A page of its own, for a browser."""
        head = "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
        dark = "html { color-scheme: light dark; background: light-dark(#fff, #1a1a1a); } body { padding: 0 .75rem; }"
        head += f"<title>{html.escape(self.partition(chr(10))[0])}</title><style>{dark}</style>"
        return f"<!doctype html>\n<html lang='en'><head>{head}</head>\n<body>{self._repr_html_()}</body></html>\n"


def _styled(line: str) -> str:
    text = html.escape(line.lstrip(), quote=False)
    pad = " " * (len(line) - len(line.lstrip()))
    for pattern, shown in _STYLES:
        if pattern.match(text):
            return pad + pattern.sub(shown, text, count=1)
    return pad + text

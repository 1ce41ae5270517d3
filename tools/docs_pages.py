"""A hook of mkdocs: the pages of the diagnostic codes, and their index, from `somd/diagnostics`."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from somd.diagnostics.registry import REGISTRY, page

GROUPS = {
    "1": "Markers",
    "2": "Python that a method may not use",
    "3": "Sharing and dependences",
    "4": "Types and shapes",
    "5": "Limits of a target",
    "6": "Configuration and run time",
    "9": "Our own bugs",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those of `docs/`."""
    files.append(File.generated(config, "diagnostics/index.md", content=index()))
    for code in REGISTRY:
        files.append(File.generated(config, f"diagnostics/{code}.md", content=page(code)))
    return files


def index() -> str:
    """The list of all codes by group, each with a link to its page."""
    lines = ["# Diagnostics", "", "Every message has a code; codes never change meaning.", ""]
    for number, title in GROUPS.items():
        lines += [f"## {title}", "", "| code | |", "|---|---|"]
        lines += [f"| [{code}]({code}.md) | {entry.title} |" for code, entry in REGISTRY.items() if code[4] == number]
        lines.append("")
    return "\n".join(lines)

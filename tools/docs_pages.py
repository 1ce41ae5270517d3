"""A hook of mkdocs: the pages of the diagnostic codes with an index, from `somd/diagnostics`; the list of decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages that a pattern in the navigation stands for in its place."""
    config.nav = _listed(config.nav, Path(config.docs_dir))
    return config


def _listed(entry: Any, folder: Path) -> Any:
    if isinstance(entry, list):
        return [_listed(each, folder) for each in entry]
    if isinstance(entry, dict):
        return {title: _listed(each, folder) for title, each in entry.items()}
    return sorted(str(path.relative_to(folder)) for path in folder.glob(entry)) if "*" in str(entry) else entry


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

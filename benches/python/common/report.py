"""The machine in a line, and sections of the results file that are replaced one by one."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

HEAD = """# Results

Written by the benchmarks themselves (see README.md); each section is replaced when its benchmark runs. A number in
seconds holds for its machine only: what counts are the ratios, measured side by side in one run.
"""


def machine() -> str:
    """Processor, number of processors, operating system and Python, in one line."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        models = re.findall(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        name = models[0] if models else name
    system = f"{platform.system()} {platform.machine()}"
    return f"{name}, {os.cpu_count()} processors, {system}, Python {platform.python_version()}"


def write_section(path: Path, name: str, text: str) -> None:
    """Replaces the part of a Markdown file between the marks of a section, or adds it at the end."""
    opening, closing = f"<!-- {name} begins -->", f"<!-- {name} ends -->"
    section = f"{opening}\n{text.strip()}\n{closing}"
    old = path.read_text(encoding="utf-8") if path.is_file() else HEAD
    before, found, rest = old.partition(opening)
    after = rest.partition(closing)[2] if found else ""
    new = before + section + after if found else f"{old.rstrip()}\n\n{section}\n"
    path.write_text(new, encoding="utf-8")

"""A studio in its own process, and a watcher of its pages."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DATA = Path(__file__).parents[2] / "shared" / "data"


@dataclass
class Served:
    """A studio that is running."""

    process: subprocess.Popen[str]
    address: str
    temporary: Path
    said: list[str] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The address without its token."""
        return self.address.partition("?")[0]

    @property
    def folder(self) -> Path:
        """The private folder."""
        return next(self.temporary.glob("allonym-studio-*"))

    def end(self, number: int = signal.SIGTERM) -> int:
        """Stop the studio, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(20)


Serve = Callable[..., Served]


@dataclass
class Watch:
    """Console messages, errors and requested hosts of pages."""

    problems: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def over(self, page: Any) -> Any:
        """Watch a page."""
        page.on("console", lambda x: self.problems.append(x.text) if x.type in ("error", "warning") else None)
        page.on("pageerror", lambda x: self.problems.append(str(x)))
        page.on("request", lambda x: self.asked.add(x.url.split("/")[2] if "//" in x.url else x.url[:5]))
        page.set_default_timeout(20_000)
        return page

"""The wheel holds every file of the package. `make wheel` builds and installs wheels with compiled kernels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


def test_the_wheel_has_every_file_of_the_package_and_the_licences(tmp_path: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "-C", "wheel.cmake=false", "-w", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        sizes = {file.filename: file.file_size for file in archive.infolist()}
    files = [path for path in (SOURCES / "allonym").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    expected = {
        path.relative_to(SOURCES).as_posix(): path.stat().st_size
        for path in files
        if path.suffix not in {".so", ".pyd"}
    }
    assert {name: size for name, size in sizes.items() if name.startswith("allonym/")} == expected
    assert "allonym/ontology/data/WORDNET-LICENSE" in expected
    licences = {name.partition("/licenses/")[2] for name in sizes if "/licenses/" in name}
    assert licences == {"LICENSE", "src/allonym/ontology/data/WORDNET-LICENSE"}

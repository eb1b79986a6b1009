"""Similarity of random noun pairs with allonym, NLTK and semsimian: python benchmarks/similarity.py

All three use the same WordNet (NLTK the same WNDB files, semsimian the same is-a links) and the same random pairs, one
after the other in one process on one core. Times are CPU seconds, the minimum of several runs. Writes a block of
docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy as np  # noqa: E402
import pages  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from paths import DATA, ROOT, WNDB  # noqa: E402

from allonym.ontology import similarity  # noqa: E402
from allonym.ontology.content import seco  # noqa: E402
from allonym.ontology.readers import read_taxonomy  # noqa: E402
from allonym.ontology.taxonomy import Taxonomy  # noqa: E402
from allonym.ontology.wordnet import bundled  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks.md"
IS_A = "rdfs:subClassOf"


def cpu(run: Callable[[], object], times: int = 10) -> float:
    """Return the minimum CPU seconds of some runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def nltk_reader(wndb: Path) -> object:
    """Open NLTK on the same files, and two more files that it requires but nouns do not need."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    home = Path(tempfile.mkdtemp())
    nltk.data.path.append(str(home))  # the only place where NLTK looks
    folder = home / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for file in wndb.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    (folder / "lexnames").write_text("".join(f"{i:02d}\tlexname.{i}\t1\n" for i in range(45)))
    (folder / "index.sense").write_text("")
    return WordNetCorpusReader(str(folder), None)


def beside_nltk(
    taxonomy: Taxonomy, wndb: Path, a: NDArray[np.int64], b: NDArray[np.int64], few: int
) -> tuple[float, float]:
    """Return NLTK's pairs per second for Wu-Palmer, and the share of pairs for which its figure differs."""
    wn = nltk_reader(wndb)
    get = wn.synset  # type: ignore[attr-defined]
    pairs = [(get(taxonomy.ids[x]), get(taxonomy.ids[y])) for x, y in zip(a[:few], b[:few], strict=True)]
    theirs: list[float] = []

    def run() -> None:
        theirs[:] = [x.wup_similarity(y) for x, y in pairs]

    seconds = cpu(run, 1)
    ours = similarity.wu_palmer(taxonomy, a[:few], b[:few])
    return few / seconds, float(np.mean(~np.isclose(ours, np.array(theirs), atol=1e-9)))


def beside_semsimian(taxonomy: Taxonomy, a: NDArray[np.int64], b: NDArray[np.int64], few: int) -> tuple[float, float]:
    """Return semsimian's pairs per second for ancestor overlap, and the share of pairs for which its figure differs."""
    from semsimian import Semsimian

    concepts = np.arange(len(taxonomy))
    starts, ancestors, _ = taxonomy.closure(
        concepts
    )  # semsimian needs all ancestors of every term, including the term itself
    pairs = zip(np.repeat(concepts, np.diff(starts)).tolist(), ancestors.tolist(), strict=True)
    ids = list(taxonomy.ids)
    peer = Semsimian(spo=[(ids[c], IS_A, ids[p]) for c, p in pairs], predicates=[IS_A])
    names = [(ids[x], ids[y]) for x, y in zip(a[:few].tolist(), b[:few].tolist(), strict=True)]
    peer.jaccard_similarity(*names[0])  # builds the closure
    theirs: list[float] = []

    def run() -> None:
        theirs[:] = [peer.jaccard_similarity(x, y) for x, y in names]

    seconds = cpu(run, 1)
    ours = 1 - similarity.ancestor_overlap(taxonomy, a[:few], b[:few])
    return few / seconds, float(np.mean(~np.isclose(ours, np.array(theirs), atol=1e-6)))


def peak(code: str) -> tuple[float, float]:
    """Run code in a separate process; return its CPU seconds after imports, and its peak memory in MB."""
    high = "[x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')][0]"  # the peak of this process
    tail = f"; print(time.process_time() - t, int({high}) / 1024)"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    seconds, megabytes = done.stdout.split()[-2:]
    return float(seconds), float(megabytes)


LOAD = "import time, numpy as np; from allonym.ontology.wordnet import bundled; from allonym.ontology import similarity"
TABLE = (
    LOAD
    + "; w = bundled(); codes = np.random.default_rng(1).choice(len(w), 5000, replace=False); t = time.process_time()"
)


def measure(wndb: Path, many: int, few: int) -> str:
    """Run all measurements and return the block of the page."""
    taxonomy = read_taxonomy(wndb)
    assert taxonomy.ids == bundled().ids
    rng = np.random.default_rng(2026)
    a, b = rng.integers(0, len(taxonomy), (2, many))
    table = taxonomy.ancestry(np.arange(len(taxonomy)))
    building = cpu(lambda: taxonomy.ancestry(np.arange(len(taxonomy))))
    rates = {m: many / cpu(lambda m=m: similarity.distance(m, table, a, b)) for m in ("path", "ancestor-overlap")}  # type: ignore[misc]
    rates["wu-palmer"] = many / cpu(lambda: similarity.wu_palmer(table, a, b))
    content = seco(taxonomy)
    rates["lin"] = many / cpu(lambda: similarity.lin(table, a, b, content=content))
    nltk_rate, nltk_differs = beside_nltk(taxonomy, wndb, a, b, few)
    semsimian_rate, semsimian_differs = beside_semsimian(taxonomy, a, b, few)
    lines = [
        f"Generated by `make benchmark` on {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, NumPy {version('numpy')}, NLTK {version('nltk')}, semsimian "
        f"{version('semsimian')}; CPU seconds on one core, the minimum of ten runs for short tasks, all in one "
        "process. Machines differ: compare the rows with each other, not with figures from other machines.",
        "",
        f"## Similarity of random WordNet nouns ({many:,} pairs for allonym, the first {few:,} of them for the others)",
        "",
        "| measure | allonym, pairs/s | NLTK, pairs/s | semsimian, pairs/s | speed-up |",
        "|---|---:|---:|---:|---:|",
        f"| wu-palmer | {rates['wu-palmer']:,.0f} | {nltk_rate:,.0f} | | {rates['wu-palmer'] / nltk_rate:,.0f} |",
        f"| ancestor-overlap | {rates['ancestor-overlap']:,.0f} | | {semsimian_rate:,.0f} "
        f"| {rates['ancestor-overlap'] / semsimian_rate:,.0f} |",
        f"| path | {rates['path']:,.0f} | | | |",
        f"| lin | {rates['lin']:,.0f} | | | |",
        "",
        f"The ancestor table of all {len(taxonomy):,} nouns is built once, in {building:.2f} s. "
        f"Wu-Palmer of NLTK takes an arbitrary path to the subsumer and differs on {nltk_differs:.1%} of the pairs; "
        f"the overlap of semsimian differs on {semsimian_differs:.1%}. semsimian has neither Wu-Palmer nor Lin.",
        "",
        *_memory(),
    ]
    return "\n".join(lines) + "\n"


def _memory() -> list[str]:
    """Measure whole tables and large taxonomies, each in a separate process."""
    lines = ["## Tables and large taxonomies", "", "| task | CPU s | peak MB |", "|---|---:|---:|"]
    seconds, megabytes = peak(LOAD + "; t = time.process_time(); bundled()")
    lines.append(f"| load the bundled WordNet | {seconds:.3f} | {megabytes:,.0f} |")
    for name in ("wu-palmer", "path", "ancestor-overlap", "lin", "tversky"):
        seconds, megabytes = peak(f"{TABLE}; similarity.table({name!r}, w, codes)")
        lines.append(f"| all distances among 5,000 nouns, {name} | {seconds:.2f} | {megabytes:,.0f} |")
    huge = DATA / "taxonomies" / "ncbi_taxonomy_parents.tsv.gz"
    if huge.exists():
        read = (
            f"import time; from allonym import read_taxonomy; t = time.process_time(); x = read_taxonomy({str(huge)!r})"
        )
        seconds, megabytes = peak(read)
        lines.append(f"| read the NCBI taxonomy, 2.6 million concepts | {seconds:.1f} | {megabytes:,.0f} |")
        compare = read + "; from allonym.ontology import similarity; t = time.process_time(); "
        seconds, megabytes = peak(compare + "similarity.wu_palmer(x, x.code('9606'), x.code('10090'))")
        lines.append(f"| … then compare two of them | {seconds:.2f} | {megabytes:,.0f} |")
    seconds, megabytes = peak(
        LOAD
        + "; from allonym.ontology.linking.senses import Column, coherent; w = bundled(); r = np.random.default_rng(1)"
        "; c = r.integers(0, len(w), 30000); p = r.random(30000); p[::6] = 0; n = r.integers(1, 99, 5000)"
        "; t = time.process_time(); coherent(Column(w, np.arange(0, 30001, 6), c, p, n))"
    )
    lines.append(f"| coherent senses of 5,000 values with 6 senses each | {seconds:.2f} | {megabytes:,.0f} |")
    return lines


def main() -> None:
    """Measure and write the block of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wndb", type=Path, default=WNDB)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--peer-pairs", type=int, default=20_000)
    options = parser.parse_args()
    pages.write(PAGE, "similarity", measure(options.wndb, options.pairs, options.peer_pairs))
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()

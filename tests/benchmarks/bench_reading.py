"""CPU time and memory of reading N-Triples into a graph, against rdflib; run by hand.

    python tests/benchmarks/bench_reading.py [--lines 1000000] [--literals 0.1] [--no-rdflib]

The file is made anew from a seeded generator: people of a university, their types, relations,
and some names. Both times are of one thread of this process, in one run.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

from hybridkg.ontology.facts import read_fact_files

NAMESPACE = "http://university.example/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NAME = f"{NAMESPACE}terms#name"


def write_university(path: Path, n_lines: int, share_of_literals: float, seed: int = 7) -> None:
    """Write one fifth types, some names, and relations between people for the rest."""
    generator = np.random.default_rng(seed)
    n_people, n_relations, n_classes = max(n_lines // 5, 2), 12, 20
    kinds = generator.random(n_lines)
    heads, tails = generator.integers(0, n_people, (2, n_lines)).tolist()
    relations = generator.integers(0, n_relations, n_lines).tolist()
    classes = generator.integers(0, n_classes, n_lines).tolist()

    def person(number: int) -> str:
        return f"<{NAMESPACE}department{number % 300}/person{number}>"

    with path.open("w", encoding="utf-8") as out:
        for kind, h, r, t, c in zip(kinds, heads, relations, tails, classes, strict=True):
            if kind < share_of_literals:
                out.write(f'{person(h)} <{NAME}> "Person number {h}" .\n')
            elif kind < share_of_literals + 0.2:
                out.write(f"{person(h)} <{TYPE}> <{NAMESPACE}terms#Class{c}> .\n")
            else:
                out.write(f"{person(h)} <{NAMESPACE}terms#relation{r}> {person(t)} .\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--literals", type=float, default=0.1)
    parser.add_argument("--no-rdflib", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "university.nt"
        write_university(path, asked.lines, asked.literals)
        print(f"{asked.lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB")
        start = time.process_time()
        found = read_fact_files([path])
        ours = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        kg = found.kg
        print(
            f"read into a graph: {ours:.2f} CPU s, peak memory {peak:.2f} GiB; {kg.n_entities:,} "
            f"entities, {len(kg.train):,} facts, {len(kg.types):,} types"
        )
        if not asked.no_rdflib:
            from rdflib import Graph

            start = time.process_time()
            Graph().parse(path, format="nt")
            theirs = time.process_time() - start
            print(f"rdflib's parser alone: {theirs:.2f} CPU s; ratio {ours / theirs:.3f}")


if __name__ == "__main__":
    main()

"""Cost of the closure by engine, in CPU seconds of one thread and peak memory.

Run by hand: ``python tests/benchmarks/bench_closure.py [--parts university,large,ring,tbox]``.
Each measurement has a process of its own. ELK is run beside Nemo where the environment variable
ELK_JARS names a folder with the jars of ELK and the OWL API, and Java 17 is at hand.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from worlds import Terminology, World, functional_syntax, ring, university

from hybridkg.ontology import matrix_engine
from hybridkg.ontology.nemo_engine import classify, saturate_with_nemo
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.normalise import normalise

UNIVERSITY, LARGE, RING, CLASSES = 1_100_000, 10_000_000, 5_000, 37_000

JAVA = """
import java.io.File;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.model.*;
import org.semanticweb.owlapi.reasoner.*;
public class Classify {
  public static void main(String[] args) throws Exception {
    OWLOntologyManager manager = OWLManager.createOWLOntologyManager();
    OWLOntology ontology = manager.loadOntologyFromOntologyDocument(new File(args[0]));
    OWLReasoner elk = new org.semanticweb.elk.owlapi.ElkReasonerFactory().createReasoner(ontology);
    elk.precomputeInferences(InferenceType.CLASS_HIERARCHY);
    long[] count = {0};
    ontology.classesInSignature().forEach(one -> {
      long above = elk.getSuperClasses(one, false).entities().filter(c -> !c.isOWLThing()).count();
      count[0] += above + elk.getEquivalentClasses(one).entities().count() - 1;
    });
    System.out.println(count[0]);
    System.exit(0);
  }
}
"""


def close_world(world: World, engine: str) -> dict[str, Any]:
    """Close a world on integer ids; the time is that of the engine alone."""
    classes, roles = list(world.types), list(world.facts)
    normal = normalise(world.axioms, classes=classes, roles=roles)
    parts = [
        np.stack([members, np.full(len(members), normal.class_ids[kind], dtype=np.int32)], axis=1)
        for kind, members in world.types.items()
    ]
    types = np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int32)
    facts = {normal.role_ids[role]: pairs for role, pairs in world.facts.items()}
    saturate = saturate_with_nemo if engine == "nemo" else matrix_engine.saturate
    start = time.process_time()
    closed = saturate(normal, world.n_individuals, types, facts)
    seconds = time.process_time() - start
    stop = closed.nodes.n_individuals
    rows = (closed.members.row(cls)[:stop].sum() for cls in range(BOTTOM + 1, normal.n_named))
    return {
        "triples": world.n_triples,
        "types": int(sum(rows)),
        "roles": sum(len(closed.named_pairs(role)) for role in range(normal.n_named_roles)),
        "clashing": len(closed.clashing()),
        "cpu": seconds,
    }


def classify_terminology(engine: str) -> dict[str, Any]:
    """Normalise and classify a medical terminology, or have ELK do so from a file."""
    axioms = Terminology(CLASSES).axioms
    if engine == "elk":
        return run_elk(functional_syntax(axioms)) | {"axioms": len(axioms)}
    start = time.process_time()
    normal = normalise(axioms)
    normalised = time.process_time()
    found = classify(normal)
    done = time.process_time()
    return {
        "axioms": len(axioms),
        "subsumptions": len(found.pairs),
        "normalise": normalised - start,
        "cpu": done - start,
    }


def run_elk(text: str) -> dict[str, Any]:
    """Return the number of subsumptions, and the user time and memory of the whole JVM."""
    jars = str(Path(os.environ["ELK_JARS"]) / "*")
    with tempfile.TemporaryDirectory() as folder:
        source, ontology = Path(folder) / "Classify.java", Path(folder) / "bench.ofn"
        source.write_text(JAVA, encoding="utf-8")
        ontology.write_text(text, encoding="utf-8")
        subprocess.run(["javac", "-cp", jars, "-d", folder, str(source)], check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = ["java", "-Xmx6g", "-XX:+UseSerialGC", "-cp", f"{folder}:{jars}", "Classify"]
        done = subprocess.run([*command, str(ontology)], capture_output=True, check=True)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "subsumptions": int(done.stdout.split()[-1]),
        "cpu": usage.ru_utime - before,
        "rss": usage.ru_maxrss / 1024,
    }


def measure(part: str, engine: str) -> dict[str, Any]:
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--only", f"{part}:{engine}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    counts = ", ".join(f"{v:,} {k}" for k, v in found.items() if isinstance(v, int))
    print(f"{part:<10} {engine:<6} {found['cpu']:7.2f} CPU s {found['rss']:6.0f} MiB  {counts}")
    sys.stdout.flush()
    return found


def run_only(part: str, engine: str) -> None:
    """Measure, and print a line of JSON."""
    if part == "tbox":
        found = classify_terminology(engine)
    else:
        sizes = {"university": UNIVERSITY, "large": LARGE}
        world = ring(RING) if part == "ring" else university(sizes[part])
        found = close_world(world, engine)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rss": peak} | found))


def compare_university() -> None:
    """Print the matrix engine beside Nemo, and require equal counts."""
    matrix, nemo = measure("university", "matrix"), measure("university", "nemo")
    for count in ("types", "roles", "clashing"):
        assert matrix[count] == nemo[count], count
    print(
        f"{'':<10} matrix / Nemo: {matrix['cpu'] / nemo['cpu']:.3f} of the CPU time (target 0.2), "
        f"{matrix['rss'] / nemo['rss']:.2f} of the memory (target 1)"
    )


def compare_terminology() -> None:
    """Print Nemo's classification beside ELK's."""
    nemo = measure("tbox", "nemo")
    if "ELK_JARS" not in os.environ or shutil.which("javac") is None:
        print(f"{'tbox':<10} ELK is left out: ELK_JARS names no folder, or there is no javac")
        return
    elk = measure("tbox", "elk")
    assert nemo["subsumptions"] == elk["subsumptions"]
    print(f"{'':<10} Nemo / ELK: {nemo['cpu'] / elk['cpu']:.2f} of the user time (target 1.5)")


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="university,large,ring,tbox")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        run_only(*arguments.only.split(":"))
        return
    for part in arguments.parts.split(","):
        if part == "university":
            compare_university()
        elif part == "tbox":
            compare_terminology()
        else:
            measure(part, "matrix")


if __name__ == "__main__":
    main()

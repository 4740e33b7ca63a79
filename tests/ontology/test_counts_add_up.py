"""Whatever the statements are, each is counted once and nothing but names comes out as a name."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkg.errors import OntologyError
from hybridkg.graph.statements import StatementBuilder, Statements
from hybridkg.ontology import owl_terms
from hybridkg.ontology.owl_terms import BUILT_IN, OWL, RDF, RDFS
from hybridkg.ontology.rdf_statements import ontology_from_statements

NAMES = st.sampled_from([f"http://n.example/{one}" for one in "abcdef"])
BLANKS = st.sampled_from(["_:x", "_:y", "_:z"])
LITERALS = st.sampled_from(['"1"', '"x"@en', '"true"^^http://www.w3.org/2001/XMLSchema#boolean'])
QUOTED = st.just("<<<http://n.example/a> <http://n.example/b> <http://n.example/c>>>")
TERMS_OF_OWL = st.sampled_from(
    sorted(
        {
            *owl_terms.DECLARATIONS,
            *owl_terms.STRUCTURES,
            *owl_terms.ANNOTATIONS,
            *owl_terms.INNER,
            *owl_terms.AXIOM_HEADS,
            *owl_terms.ANNOTATED,
            *owl_terms.CLASS_CONSTRUCTORS,
            *(OWL + n for n in ("TransitiveProperty", "FunctionalProperty", "Nothing", "odd")),
            *(RDF + n for n in ("nil", "subject", "Statement", "reifies", "value")),
        }
    )
)
HEADS = st.sampled_from([RDF + "type", RDFS + "subClassOf", OWL + "onProperty", RDF + "rest"])
STATEMENTS = st.lists(
    st.tuples(
        st.one_of(NAMES, NAMES, BLANKS, BLANKS, TERMS_OF_OWL),
        st.one_of(NAMES, HEADS, HEADS, TERMS_OF_OWL),
        st.one_of(NAMES, BLANKS, BLANKS, TERMS_OF_OWL, LITERALS, QUOTED),
    ),
    max_size=30,
)


def statements_of(rows: list[tuple[str, str, str]]) -> Statements:
    builder = StatementBuilder()
    builder.open_document()
    columns = [builder.intern(row[column] for row in rows) for column in range(3)]
    builder.add(columns[0], columns[1], columns[2], builder.origin("made"))
    return builder.build()


@settings(max_examples=500)
@given(STATEMENTS)
def test_each_statement_is_counted_once(rows: list[tuple[str, str, str]]) -> None:
    try:
        found = ontology_from_statements(statements_of(rows), source="made")
    except OntologyError as error:
        assert "leads back to itself" in str(error)  # noqa: PT017
        return
    report = found.report
    assert (
        report.statements
        == len(rows)
        == sum(
            (
                report.facts,
                report.types,
                report.declarations,
                report.axioms,
                report.literals,
                report.annotations,
                *report.skipped.values(),
            )
        )
    )
    assert (len(found.facts), len(found.types)) == (report.facts, report.types)
    names = {label for row in (*found.facts, *found.types) for label in row}
    assert not any(name.startswith(("_:", '"', "<<", *BUILT_IN)) for name in names)
    assert set(report.examples) >= set(report.skipped) - {"repeated statement"}


@given(STATEMENTS, st.randoms())
def test_neither_order_nor_names_of_blank_nodes_matter(
    rows: list[tuple[str, str, str]], random: object
) -> None:
    renamed = [
        tuple(f"_:other{term[2:]}" if term.startswith("_:") else term for term in row)
        for row in rows
    ]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    results = []
    for one in (rows, renamed):
        try:
            found = ontology_from_statements(statements_of(one), source="made")  # type: ignore[arg-type]
        except OntologyError:
            results.append(None)
        else:
            lists = (found.individuals, found.classes, found.relations)
            results.append((found.axioms, found.facts, found.types, lists, found.report))
    assert results[0] == results[1]

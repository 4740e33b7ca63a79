"""The statements of an Owlready2 ontology or world, read out of its own store."""

from __future__ import annotations

import io
from typing import Any

from hybridkg.graph.line_syntax import add_lines
from hybridkg.graph.statements import StatementBuilder, Statements


def is_owlready(source: object) -> bool:
    """Tell whether something is an Owlready2 ontology or world, without importing Owlready2."""
    return any(
        kind.__module__.partition(".")[0] == "owlready2" and kind.__name__ in ("Ontology", "World")
        for kind in type(source).__mro__
    )


def statements_of_owlready(onto: Any) -> Statements:
    """Return the statements of an ontology with what it imports, or of a whole world.

    Args:
        onto: an ``owlready2.Ontology`` or ``owlready2.World``; it is not changed.
    """
    builder = StatementBuilder()
    # All ontologies of a world share their blank nodes.
    builder.open_document()
    for one in _ontologies(onto):
        text = io.BytesIO()
        one.graph.save(text, format="ntriples")
        text.seek(0)
        add_lines(builder, text, str(one.base_iri))
    return builder.build()


def _ontologies(onto: Any) -> list[Any]:
    """Return the ontologies whose statements belong to an ontology or world, by their IRIs."""
    if "World" in {kind.__name__ for kind in type(onto).__mro__}:
        # One ontology may be registered under several IRIs.
        by_id = {id(one): one for _, one in sorted(onto.ontologies.items())}
        return list(by_id.values())
    waiting, passed = [onto], {id(onto)}
    for one in waiting:
        for other in one.imported_ontologies:
            if id(other) not in passed:
                passed.add(id(other))
                waiting.append(other)
    return waiting

"""Labels and ids: an unknown label is answered with what it may have meant."""

from __future__ import annotations

import pytest

from hybridkg.errors import UnknownNameError
from hybridkg.graph.vocabulary import Vocabulary

HINT = r"is known \(labels meet IRIs through --namespace IRI\)"


@pytest.mark.parametrize(
    ("labels", "asked", "known"),
    [
        (["http://farm.example/terms#hen", "x"], "hen", "http://farm.example/terms#hen"),
        (["http://farm.example/hen", "x"], "hen", "http://farm.example/hen"),
        (["hen", "x"], "http://farm.example/hen", "hen"),
    ],
)
def test_a_label_and_an_iri_that_ends_with_it_are_named_together(
    labels: list[str], asked: str, known: str
) -> None:
    vocabulary = Vocabulary(labels)
    for ask in (lambda: vocabulary.id_of(asked), lambda: vocabulary.ids_of(["x", asked])):
        with pytest.raises(UnknownNameError, match=f"unknown entity .*'{known}' {HINT}") as caught:
            ask()
        assert caught.value.name == asked


def test_a_last_part_in_common_by_chance_is_no_hint() -> None:
    for labels, asked in ((["http://farm.example/oldhen"], "hen"), (["hens"], "hen"), (["a"], "#")):
        with pytest.raises(UnknownNameError) as caught:
            Vocabulary(labels).id_of(asked)
        assert "--namespace" not in str(caught.value)

"""An observer returns the columns that it announces, and no other's."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import TableScorer

from hybridkg.errors import ConfigError
from hybridkg.evaluation.evaluator import evaluate

SCORES = np.zeros((13, 5, 13), np.float32)


class Forgetful:
    """Announces some columns and returns others."""

    def __init__(self, announced: str, returned: str) -> None:
        self.columns = dict.fromkeys(announced.split(), "int32")
        self._returned = returned.split()

    def observe(self, queries, block, ranks):
        return {column: np.full(len(block.truth), 7, np.int32) for column in self._returned}


def test_columns_of_observers_stand_in_the_table(academic) -> None:
    observers = [Forgetful("a b", "b a"), Forgetful("c", "c")]
    table = evaluate(TableScorer(SCORES, SCORES), academic, observers=observers)
    assert all((table.columns[column] == 7).all() for column in "abc")


@pytest.mark.parametrize("returned", ["a", "", "a b c"])
def test_columns_that_are_missing_or_too_many_are_refused(academic, returned: str) -> None:
    with pytest.raises(ConfigError, match=r"observer Forgetful returned columns \[.*'a', 'b'\]"):
        evaluate(TableScorer(SCORES, SCORES), academic, observers=[Forgetful("a b", returned)])


@pytest.mark.parametrize("column", ["a", "optimistic"])
def test_a_column_that_stands_in_the_table_already_is_refused(academic, column: str) -> None:
    observers = [Forgetful("a", "a"), Forgetful(column, column)]
    with pytest.raises(ConfigError, match=f"counts {column}, which stand in the table already"):
        evaluate(TableScorer(SCORES, SCORES), academic, observers=observers)

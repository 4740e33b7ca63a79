"""A protocol that is followed agrees in every field that changes a rank."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hybridkg.errors import RankTableError
from hybridkg.evaluation.candidates import Protocol, make_task
from hybridkg.training.protocol_options import require_protocol

#: Another name of the same data set, training graph or file is no other protocol.
NAMES = ("dataset", "trained_on")


@pytest.mark.parametrize("field", Protocol.__dataclass_fields__)
def test_every_field_but_names_must_agree(academic, field: str) -> None:
    like = replace(make_task(academic).protocol, candidates_digest="the same")
    value = getattr(like, field)
    other = replace(like, **{field: value + 1 if isinstance(value, int) else value + "x"})
    require_protocol(like, like)
    if field in (*NAMES, "candidates"):
        require_protocol(other, like)
    else:
        said = (
            "--like: the .* differ; " if field.endswith("_digest") else f"--like: {field} is .* in"
        )
        with pytest.raises(RankTableError, match=said):
            require_protocol(other, like)

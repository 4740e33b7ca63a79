"""``hybridkg candidates``: draw or derive the candidates of an evaluation, and write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridkg.cli._options import (
    AsJson,
    Filter,
    IriMap,
    Namespaces,
    OntologyFile,
    SetAside,
    Split,
    Targets,
    Unseen,
)
from hybridkg.errors import ConfigError

if TYPE_CHECKING:
    from hybridkg.evaluation.candidates import Task
    from hybridkg.graph.knowledge_graph import KnowledgeGraph


def candidates(
    data: Annotated[str, typer.Argument(help="Benchmark folder, or name of a data set.")],
    out: Annotated[
        Path, typer.Option(help="File to write; how it was made goes to the same name and .json.")
    ],
    sample: Annotated[
        int | None, typer.Option(help="Candidates to draw for each query, known answers left out.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the drawing, 0 by default.")] = None,
    pool: Annotated[
        str | None,
        typer.Option(help="Drawn from: all entities (default), those of train, or of a FILE."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="types: what the ontology does not forbid, per relation and target."),
    ] = None,
    ontology: OntologyFile = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    types: Annotated[
        str | None,
        typer.Option(help="Types count as known when asserted (default), or when entailed."),
    ] = None,
    untyped: Annotated[
        str | None,
        typer.Option(help="keep entities of unknown type (default), or leave them out."),
    ] = None,
    set_aside_culprits: SetAside = False,
    split: Split = None,
    filter_name: Filter = None,
    targets: Targets = None,
    unseen: Unseen = None,
    json: AsJson = False,
) -> None:
    """Write candidates that `evaluate --candidates FILE` ranks the true answers among.

    Either --sample N, a list for each query, or --by types, a set for each relation and target.
    A true answer always competes, whether it is a candidate or not.
    """
    from hybridkg.cli._options import given_protocol
    from hybridkg.cli._output import emit
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.report.candidates import candidates_text

    drawing = {"--seed": seed, "--pool": pool}
    reasoning = {
        "--ontology": ontology,
        "--namespace": namespace,
        "--iri-map": iri_map,
        "--types": types,
        "--untyped": untyped,
        "--set-aside-culprits": set_aside_culprits or None,
    }
    asked = given_protocol(split=split, known=filter_name, unseen=unseen, targets=targets)
    if (sample is None) == (by is None):
        raise ConfigError("expected one of --sample N and --by types, not both and not none")
    if sample is not None:
        _refuse(reasoning, "--by types")
        kg = load_dataset(data)
        task, about = _sampled(kg, sample, 0 if seed is None else seed, pool or "all", asked)
    else:
        _refuse(drawing, "--sample")
        if by != "types":
            raise ConfigError(f"--by {by!r}; expected types")
        kg = load_dataset(data)
        task, about = _by_types(kg, untyped or "keep", asked, reasoning)
    document = _written(out, kg, task, about)
    emit(document, as_json=json, text=candidates_text(document))


def _sampled(
    kg: KnowledgeGraph, n: int, seed: int, pool: str, asked: dict[str, Any]
) -> tuple[Task, dict[str, Any]]:
    """Draw, and tell how."""
    import numpy as np

    from hybridkg.evaluation.candidates import make_task
    from hybridkg.evaluation.sampling import sample_candidates

    if seed < 0:
        raise ConfigError(f"--seed {seed}; expected 0 or more")
    words = f"{n} sampled candidates a query, seed {seed}"
    if pool != "all":
        words += f", of {Path(pool).name}"
    drawn = sample_candidates(kg, n, np.random.default_rng(seed), **asked, pool=pool, words=words)
    about = {
        "rule": "drawn uniformly without replacement from the filtered pool",
        "n": n,
        "seed": seed,
        "pool": pool,
        "n_shorter": int((drawn.sizes < n).sum()),
    }
    return make_task(kg, **asked, candidates=drawn), about


def _by_types(
    kg: KnowledgeGraph, untyped: str, asked: dict[str, Any], options: dict[str, Any]
) -> tuple[Task, dict[str, Any]]:
    """Take what the ontology allows, and tell by which reasoning."""
    from hybridkg.analysis.reasoning import Reasoning
    from hybridkg.evaluation.candidates import make_task
    from hybridkg.evaluation.type_sets import type_candidates

    reasoning = Reasoning.over(
        kg,
        options["--ontology"],
        namespaces=options["--namespace"] or (),
        iri_map=options["--iri-map"],
        types=options["--types"] or "asserted",
        set_aside=bool(options["--set-aside-culprits"]),
    )
    sets = type_candidates(reasoning.masks, untyped=untyped)  # type: ignore[arg-type]
    about = {
        "rule": "entities whose audit verdict for the slot is no violation",
        "untyped": untyped,
        "reasoning": reasoning.about(),
    }
    return make_task(kg, **asked, candidates=sets), about


def _written(out: Path, kg: KnowledgeGraph, task: Task, about: dict[str, Any]) -> dict[str, Any]:
    """Write the candidates, and describe them."""
    import numpy as np

    from hybridkg.evaluation.candidate_documents import kind_of
    from hybridkg.evaluation.candidate_files import write_candidates
    from hybridkg.evaluation.candidate_sets import QueryLists, RelationSets

    sets = task.sets
    assert isinstance(sets, RelationSets | QueryLists)
    sizes = np.diff(sets.offsets)
    about |= {
        "targets": task.protocol.targets,
        "unseen": task.protocol.unseen,
        "queries": len(task.queries),
        "n_outside": task.protocol.n_outside,
    }
    written = write_candidates(
        out,
        sets,
        kg,
        split=task.protocol.split,
        filter_name=task.filter_name,
        about=about,
    )
    given = sizes if kind_of(sets) == "queries" else sizes[sizes > 0]
    return {
        "written": [str(path) for path in written],
        "kind": kind_of(sets),
        "words": sets.words,
        "digest": sets.digest,
        "dataset": kg.name,
        "split": task.protocol.split,
        "filter": task.protocol.filter,
        **about,
        "n_sets": len(given),
        "n_without_set": len(sizes) - len(given),
        "candidates": len(sets.entities),
        "mean_size": float(given.mean()),
        "least_size": int(given.min()),
        "greatest_size": int(given.max()),
        "entities": kg.n_entities,
    }


def _refuse(options: dict[str, Any], other: str) -> None:
    """Refuse options that belong to the other way of making candidates."""
    given = [option for option, value in options.items() if value is not None]
    if given:
        raise ConfigError(
            f"{', '.join(given)} changes nothing here; expected it beside {other} only; leave it "
            "out"
        )

"""What was read from files: where each statement went, in words and as one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from hybridkg.graph.knowledge_graph import KnowledgeGraph

#: Names and facts that the document lists; all of them stand in the files.
N_LISTED = 100
#: Names that a line of text shows.
N_SHOWN = 5


def reading_document(kg: KnowledgeGraph, files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up what the RDF files held, as JSON-able values."""
    rdf = [entry for entry in files if entry["format"] == "rdf"]
    kinds, skipped = Counter[str](), Counter[str]()
    for entry in rdf:
        kinds.update(entry["axioms_by_kind"])
        skipped.update(entry["skipped"])
    counts = ("statements", "facts", "types", "individuals", "classes", "object_properties")
    facts = sorted(kg.label_triples(kg.train[:N_LISTED]))
    return {
        **{key: sum(entry[key] for entry in rdf) for key in counts},
        "axioms_by_kind": dict(sorted(kinds.items())),
        "disjoint_pairs": sum(entry["disjoint_pairs"] for entry in rdf),
        "skipped": dict(sorted(skipped.items())),
        "skipped_anonymous": skipped["fact with an anonymous individual"],
        "imports": _union(entry["imports"] for entry in rdf),
        "not_imported": _union(entry["not_imported"] for entry in rdf),
        "graphs": _union(entry["graphs"] for entry in rdf),
        "listed": {
            "facts": [list(fact) for fact in facts],
            "entities": list(islice(kg.entities, N_LISTED)),
            "relations": list(islice(kg.relations, N_LISTED)),
        },
    }


def reading_lines(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say of each file what it held and what was left out."""
    lines = []
    for entry in files:
        lines.append(file_line(entry))
        if entry["format"] != "rdf":
            continue
        lines.append(
            f"    {entry['individuals']:,} individuals, {entry['classes']:,} classes, "
            f"{entry['object_properties']:,} object properties"
        )
        if entry["axioms_by_kind"]:
            kinds = ", ".join(f"{kind} {n:,}" for kind, n in entry["axioms_by_kind"].items())
            pairs = entry["disjoint_pairs"]
            lines.append(f"    axioms: {kinds}" + (f"; disjoint pairs {pairs:,}" if pairs else ""))
        lines += [
            f"    left out, {reason}: {entry['skipped'][reason]:,}, the first is {example}"
            for reason, example in entry["examples"].items()
        ]
        lines += [f"    imports {iri} from {path}" for iri, path in entry["imported"].items()]
        lines += [
            f"    imports {iri}, for which no file lies beside it; it was not read"
            for iri in entry["not_imported"]
        ]
        if entry["graphs"]:
            more = len(entry["graphs"]) - N_SHOWN
            shown = ", ".join(entry["graphs"][:N_SHOWN]) + (f" and {more} more" if more > 0 else "")
            lines.append(f"    united from the default graph and the graphs {shown}")
    return lines


def file_line(entry: Mapping[str, Any]) -> str:
    """Say where the rows or statements of one file went."""
    if "rows" in entry:
        return f"  {entry['path']}: {entry['rows']:,} rows ({entry['format']})"
    skipped = ", ".join(f"{n} {why}" for why, n in entry["skipped"].items()) or "none"
    return (
        f"  {entry['path']}: {entry['statements']:,} statements = {entry['facts']:,} facts + "
        f"{entry['types']:,} types + {entry['axioms']:,} for {entry['n_axioms']:,} axioms + "
        f"{entry['declarations']:,} declarations + {entry['literals']:,} literals + "
        f"{entry['annotations']:,} annotations + skipped: {skipped}"
    )


def _union(parts: Iterable[Sequence[str]]) -> list[str]:
    return sorted({one for part in parts for one in part})

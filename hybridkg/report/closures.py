"""A closure, and what contradicts it, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridkg.ontology.labels import match_words
from hybridkg.report.tables import Cell, text_table

#: Names that a line of text shows.
N_SHOWN = 3
#: Rows that a table of text shows.
N_ROWS = 15


def closure_text(document: Mapping[str, Any]) -> str:
    """Lay the document of a closure study out as text."""
    complete = "true" if document["complete"] else "false; axioms were left out, so more may follow"
    lines = [
        *read_lines(document),
        *empty_lines(document),
        "",
        f"engine: {document['engine_note']}; complete: {complete}",
        *aside_lines(document["set_aside_culprits"]),
        f"superclasses of named classes: {document['subsumptions']:,} pairs",
        *_entailed_lines(document, "entailed_types", "classes", "class", "types"),
        *_entailed_lines(document, "entailed_facts", "relations", "relation", "facts"),
        *held_out_lines(document["held_out"]),
        *_witness_lines(document["witnesses"]),
        *unused_lines(document["unused"]),
    ]
    return "\n".join(lines)


def read_lines(document: Mapping[str, Any]) -> list[str]:
    """Say what was read and how the names met."""
    met = ", ".join(match_words(kind, match) for kind, match in document["matches"].items())
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in document["axioms"].items()) or "none"
    aside = document["set_aside"]
    repeated = document["fact_rows"] - document["facts"]
    lines = [
        f"{document['name']}: {document['facts']:,} facts and {document['types']:,} types of "
        f"{document['entities']:,} individuals"
        + (f"; {repeated:,} repeated rows of facts" if repeated else ""),
        *(file_line(entry) for entry in document["files"]),
    ]
    if aside["types_set_aside"]:
        lines.append(
            f"set aside: {aside['types_set_aside']:,} types of {aside['entities_set_aside']:,} "
            "entities that stand in no triple of the data set"
        )
    return [*lines, f"axioms: {kinds}", f"names of the graph that the ontology has too: {met}"]


def file_line(entry: Mapping[str, Any]) -> str:
    """Say where the rows or statements of one file went."""
    if "rows" in entry:
        return f"  {entry['path']}: {entry['rows']:,} rows ({entry['format']})"
    skipped = ", ".join(f"{n:,} {why}" for why, n in entry["skipped"].items()) or "none"
    return (
        f"  {entry['path']}: {entry['statements']:,} statements = {entry['facts']:,} facts + "
        f"{entry['types']:,} types + {entry['axioms']:,} for {entry['n_axioms']:,} axioms + "
        f"{entry['declarations']:,} declarations + {entry['literals']:,} literals + "
        f"{entry['annotations']:,} annotations + skipped: {skipped}"
    )


def empty_lines(document: Mapping[str, Any]) -> list[str]:
    """Say which classes and relations can have no member, each with one reason."""
    lines: list[str] = []
    for key, what in (
        ("unsatisfiable_classes", "unsatisfiable classes"),
        ("empty_relations", "empty relations"),
    ):
        found = document[key]
        lines.append(f"{what}: {len(found):,}" if found else f"{what}: none")
        for one in found[:N_ROWS]:
            lines.append(f"  {one['name']}: {'; '.join(one['axioms'][:8]) or 'no reason sought'}")
            if len(one["axioms"]) > 8:
                lines[-1] += f"; and {len(one['axioms']) - 8:,} more"
        if len(found) > N_ROWS:
            lines.append(f"  and {len(found) - N_ROWS:,} more")
    if document["classes_checked"] < document["classes_named"]:
        lines.append(
            f"  looked at {document['classes_checked']:,} of {document['classes_named']:,} "
            "classes: those that can have a member"
        )
    return lines


def aside_lines(aside: Mapping[str, Any]) -> list[str]:
    """Say what was left out of the reasoning because it contradicts the axioms."""
    if not aside["triples"] and not aside["types"]:
        return []
    more = "" if aside["complete"] else " (a search stopped at its limit: there may be more)"
    rows = [" ".join(one) for one in aside["triples"]]
    rows += [" type ".join(one) for one in aside["types"]]
    return [
        f"reasoning without {len(aside['triples']):,} facts and {len(aside['types']):,} types of "
        f"{aside['sets']:,} culprit sets, which contradict the axioms at "
        f"{len(aside['clashing']):,} individuals{more}" + shown(rows, 6)
    ]


def held_out_lines(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what the closure says of held-out rows, and by which kind of axiom they leak."""
    lines: list[str] = []
    for part in parts:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in part["kinds"].items())
        lines += [
            "",
            f"held out, {part['name']}: {part['rows']:,} rows = {part['asserted']:,} asserted + "
            f"{part['entailed']:,} entailed + {part['inconsistent']:,} inconsistent + "
            f"{part['undetermined']:,} undetermined" + (f"; leaks: {kinds}" if kinds else ""),
        ]
        if part["rows_with_unknown_names"]:
            lines.append(
                f"  {part['rows_with_unknown_names']:,} of the undetermined rows have a name that "
                "stands in no fact, type or axiom" + shown(part["unknown_names"])
            )
        rows: list[list[Cell]] = [
            [
                relation,
                *(counts[v] for v in ("asserted", "entailed", "inconsistent", "undetermined")),
                ", ".join(f"{n:,} {kind}" for kind, n in counts["kinds"].items()),
            ]
            for relation, counts in part["relations"].items()
        ]
        rows.sort(key=lambda row: (-int(row[2] or 0), -int(row[3] or 0), str(row[0])))
        header = ["relation", "asserted", "entailed", "inconsistent", "undetermined", "leaks"]
        lines += [f"  {line}" for line in text_table(header, rows[:N_ROWS]).splitlines()]
        lines += [f"  and {len(rows) - N_ROWS:,} more relations"] if len(rows) > N_ROWS else []
        for one in part["entailed_rows"][:N_ROWS]:
            lines.append(
                f"  entailed: {' '.join(one['triple'])}  ({one['kind'] or 'class axioms'})"
            )
        more = len(part["entailed_rows"]) - N_ROWS
        lines += [f"  and {more:,} more entailed rows"] if more > 0 else []
        for row in part["inconsistent_rows"][:N_SHOWN]:
            lines.append(f"  inconsistent: {' '.join(row)}")
    return lines


def unused_lines(unused: Mapping[str, Any]) -> list[str]:
    """Say which axioms were not used, by kind."""
    if not unused["list"]:
        return ["", "axioms not used: none"]
    lines = ["", f"axioms not used, wholly or in part: {unused['axioms']:,}"]
    lines += [f"  {one['count']:,} {one['kind']}: {one['reason']}" for one in unused["kinds"]]
    return lines + [f"    {text}" for text in unused["list"][:N_SHOWN]]


def inconsistency_text(document: Mapping[str, Any]) -> str:
    """Lay out what was read, what is empty, and what contradicts what."""
    lines = [*read_lines(document), *empty_lines(document), ""]
    lines.append(f"directly clashing individuals: {len(document['clashing']):,}")
    lines[-1] += shown(document["clashing"], 5)
    if document["all_culprits"]:
        for individual, sets in document["culprits_of"].items():
            for one in sets:
                lines += ["", f"culprit set at {individual}:", *(f"  {part}" for part in one)]
        if not document["culprits_complete"]:
            lines += ["", "the search stopped at its limit: there are more culprit sets"]
    elif document["culprit_sets"]:
        one = document["culprit_sets"][0]
        lines += ["one minimal culprit set:", *(f"  {part}" for part in one[:50])]
        lines += [f"  and {len(one) - 50:,} more"] if len(one) > 50 else []
    return "\n".join(lines)


def leak_lines(parts: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """Say per split and relation what follows from train, and by which kind of axiom.

    Args:
        parts: split -> relation -> counts, as ``EntailedSplits.as_document`` gives them
            under "leaks".
    """
    lines: list[str] = []
    for split, relations in parts.items():
        rows: list[list[Cell]] = [
            [
                relation,
                counts["entailed"],
                counts["inconsistent"],
                ", ".join(f"{n:,} {kind}" for kind, n in counts["kinds"].items()),
            ]
            for relation, counts in relations.items()
            if counts["entailed"] or counts["inconsistent"]
        ]
        rows.sort(key=lambda row: (-int(row[1] or 0), str(row[0])))
        if rows:
            lines.append(f"{split}, rows that follow from train or contradict it:")
            header = ["relation", "entailed", "inconsistent", "leaks"]
            lines += [f"  {line}" for line in text_table(header, rows[:N_ROWS]).splitlines()]
            more = len(rows) - N_ROWS
            lines += [f"  and {more:,} more relations"] if more > 0 else []
    return lines


def shown(examples: Sequence[str], limit: int = N_SHOWN) -> str:
    """Show a few examples in brackets."""
    more = ", ..." if len(examples) > limit else ""
    return f" ({', '.join(examples[:limit])}{more})" if examples else ""


def _entailed_lines(
    document: Mapping[str, Any], total: str, parts: str, kind: str, what: str
) -> list[str]:
    sums, found = document[total], document[parts]
    rows: list[list[Cell]] = [
        [name, counts["entailed"], counts["new"], _examples(counts["examples"], kind)]
        for name, counts in sorted(found.items(), key=lambda entry: (-entry[1]["new"], entry[0]))
        if counts["new"]
    ]
    lines = ["", f"entailed {what}: {sums['entailed']:,}, {sums['new']:,} of them new"]
    if rows:
        table = text_table([kind, "entailed", "new", "examples of new ones"], rows[:N_ROWS])
        lines += [f"  {line}" for line in table.splitlines()]
    more = len(rows) - N_ROWS
    return lines + ([f"  and {more:,} more"] if more > 0 else [])


def _examples(examples: Sequence[Any], kind: str) -> str:
    few = examples[:2]
    return ", ".join(" ".join((one[0], one[2])) if kind == "relation" else one for one in few)


def _witness_lines(witnesses: Sequence[Mapping[str, Any]]) -> list[str]:
    if not witnesses:
        return ["", "existential witnesses: no existential follows for an individual"]
    rows: list[list[Cell]] = [
        [
            f"{one['relation']} some {one['filler']}",
            one["named"],
            one["anonymous"],
            one["none"],
            ", ".join(one["anonymous_examples"][:N_SHOWN]),
        ]
        for one in witnesses[:N_ROWS]
    ]
    header = ["existential", "named", "anonymous only", "none", "anonymous only, for example"]
    lines = ["", "existential witnesses, individuals with:"]
    lines += [f"  {line}" for line in text_table(header, rows).splitlines()]
    more = len(witnesses) - N_ROWS
    return lines + ([f"  and {more:,} more existentials"] if more > 0 else [])

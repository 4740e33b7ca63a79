"""Split checks against a small staff register, a set-based reference, and real benchmarks."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.errors import SplitError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.read import read_folder
from hybridkg.graph.split_checks import SplitReport, check_splits, triple_keys


def rows(text: str) -> list[LabelTriple]:
    triples = [tuple(part.split()) for part in text.split(";")]
    return [(h, r, t) for h, r, t in triples]


TRAIN = rows(
    "uma worksFor mill; vic worksFor mill; wes worksFor dock; xia worksFor dock;"
    "uma marriedTo vic; wes marriedTo xia; mill locatedIn bern; dock locatedIn lyon;"
    "bern partOf swiss; lyon partOf france; dock employs yan; yan knows uma;"
    "uma worksFor mill; bern partOf swiss"
)
VALID = rows("yan worksFor mill; xia knows wes; mill employs vic; vic knows yan")
TEST = rows(
    "wes worksFor dock; vic knows yan; vic marriedTo uma; mill employs uma; zoe worksFor mill;"
    "abe worksFor zoe; zoe knows xia; uma likes wes; xia knows uma"
)


@pytest.fixture
def staff() -> KnowledgeGraph:
    return KnowledgeGraph.from_labels({"train": TRAIN, "valid": VALID, "test": TEST})


def named(parts: tuple[object, ...], **wanted: str) -> object:
    return next(p for p in parts if all(getattr(p, k) == v for k, v in wanted.items()))


def test_repeated_rows_and_overlaps_are_counted(staff: KnowledgeGraph) -> None:
    report = check_splits(staff)
    train = report.sizes[0]
    assert (train.split, train.rows, train.distinct, train.repeated) == ("train", 14, 12, 2)
    assert train.examples == (("uma", "worksFor", "mill"), ("bern", "partOf", "swiss"))
    overlaps = {(o.split, o.other): (o.triples, o.examples) for o in report.overlaps}
    assert overlaps == {
        ("valid", "train"): (0, ()),
        ("test", "train"): (1, (("wes", "worksFor", "dock"),)),
        ("test", "valid"): (1, (("vic", "knows", "yan"),)),
    }
    assert report.n_leaks == 2


def test_unseen_entities_triples_and_positions_are_told_apart(staff: KnowledgeGraph) -> None:
    unseen = check_splits(staff).unseen[1]
    assert unseen.split == "test"
    assert (unseen.entities, unseen.entity_triples, unseen.entity_positions) == (2, 3, 4)
    assert unseen.entity_examples == ("abe", "zoe")
    assert (unseen.relations, unseen.relation_triples) == (1, 1)
    assert unseen.relation_examples == ("likes",)
    assert unseen.triples == 4


def test_entailed_triples_are_leaks_that_the_caller_names(staff: KnowledgeGraph) -> None:
    follows = {
        "valid": np.array([t == ("mill", "employs", "vic") for t in VALID]),
        # The asserted one is marked too; it must be counted as asserted only.
        "test": np.array([t in TRAIN or t in TEST[2:4] for t in TEST]),
    }
    report = check_splits(staff, entailed=follows)
    valid, test = report.entailed
    assert valid.derived_triples == (("mill", "employs", "vic"),)
    assert (test.asserted, test.derived, test.outside) == (1, 2, 6)
    assert set(test.derived_triples) == set(TEST[2:4])
    assert report.n_leaks == 2 + 1 + 2
    assert (report.clean[1].triples, report.clean[1].underivable) == (3, 1)
    assert check_splits(staff).clean[1].underivable is None


def test_reversed_pairs_may_have_another_relation(staff: KnowledgeGraph) -> None:
    found = check_splits(staff).reversed[1]
    assert set(found.examples) == {
        ("vic", "marriedTo", "uma"),
        ("mill", "employs", "uma"),
    }
    assert found.share == 2 / 9


def test_wrong_entailment_marks_are_refused(staff: KnowledgeGraph) -> None:
    with pytest.raises(SplitError, match="3 values; expected one for each of the 9 rows"):
        check_splits(staff, entailed={"test": np.zeros(3, dtype=np.bool_)})
    with pytest.raises(SplitError, match="no split 'dev'"):
        check_splits(staff, entailed={"dev": np.zeros(3, dtype=np.bool_)})


def test_a_graph_with_train_only_has_nothing_to_compare(academic: KnowledgeGraph) -> None:
    report = check_splits(academic.with_splits({"train": academic.train}))
    assert (report.overlaps, report.unseen, report.reversed, report.n_leaks) == ((), (), (), 0)


def test_report_is_json_able(staff: KnowledgeGraph) -> None:
    document = json.loads(json.dumps(check_splits(staff).as_document()))
    assert document["leaks"] == 2
    assert document["unseen"][1]["entity_positions"] == 4


def test_keys_stay_distinct_when_their_product_leaves_64_bits() -> None:
    big = 2**31 - 1
    splits = {
        "train": np.array([[big, big, big], [big - 1, big, big]], dtype=np.int32),
        "test": np.array([[big, big, big], [0, 0, big]], dtype=np.int32),
    }
    keys = triple_keys(splits, 2**31, 2**31)
    assert keys["train"][0] == keys["test"][0]
    assert len({*keys["train"].tolist(), *keys["test"].tolist()}) == 3


names = st.sampled_from("abcde")
some = st.lists(st.tuples(names, st.sampled_from("rs"), names), max_size=15)


@given(some.filter(bool), some, some)
def test_checks_equal_a_set_based_reference(
    train: list[LabelTriple], valid: list[LabelTriple], test: list[LabelTriple]
) -> None:
    kg = KnowledgeGraph.from_labels({"train": train, "valid": valid, "test": test})
    report = check_splits(kg)
    splits = {"train": train, "valid": valid, "test": test}
    for size in report.sizes:
        assert size.distinct == len(set(splits[size.split]))
        assert size.repeated == len(splits[size.split]) - size.distinct
    for overlap in report.overlaps:
        asked, other = splits[overlap.split], set(splits[overlap.other])
        assert overlap.triples == len(set(asked) & other)
        assert overlap.rows == sum(triple in other for triple in asked)
    seen = {e for h, _, t in train for e in (h, t)}
    seen_relations = {r for _, r, _ in train}
    backward = {(t, h) for h, _, t in train}
    for unseen, found, clean in zip(report.unseen, report.reversed, report.clean, strict=True):
        asked = splits[unseen.split]
        ends = [e for h, _, t in asked for e in (h, t) if e not in seen]
        assert (unseen.entities, unseen.entity_positions) == (len(set(ends)), len(ends))
        assert unseen.entity_triples == sum(h not in seen or t not in seen for h, _, t in asked)
        assert unseen.relations == len({r for _, r, _ in asked} - seen_relations)
        assert found.triples == sum((h, t) in backward for h, _, t in asked)
        elsewhere = {t for name, one in splits.items() if name != clean.split for t in one}
        assert clean.triples == sum(
            {h, t} <= seen and r in seen_relations for h, r, t in set(asked) - elsewhere
        )


#: name -> entities, relations, rows of the splits, unseen in valid and test, reversed test %.
PUBLISHED: dict[str, tuple[int, int, tuple[int, int, int], tuple[int, int], float]] = {
    "codex-s": (2_034, 42, (32_888, 1_827, 1_828), (0, 0), 14.1),
    "codex-m": (17_050, 51, (185_584, 10_310, 10_311), (0, 0), 3.5),
    "wn18rr": (40_943, 11, (86_835, 3_034, 3_134), (210, 210), 34.9),
    "wn18": (40_943, 18, (141_442, 5_000, 5_000), (0, 0), 94.0),
    "fb15k-237": (14_541, 237, (272_115, 17_535, 20_466), (9, 28), 0.0),
    "nell-995": (75_492, 200, (149_678, 543, 3_992), (102, 1_159), 14.5),
    "yago4-19k": (18_960, 74, (27_447, 485, 463), (0, 0), 13.0),
    "dbpedia77k": (76_651, 150, (140_760, 16_334, 32_934), (0, 0), 6.4),
    "kg20c": (16_362, 5, (48_213, 3_670, 3_724), (0, 0), 0.1),
    "edukg": (4_309, 24, (25_411, 4_279, 4_258), (0, 0), 0.0),
}
#: name -> entities, relations, rows of the splits, of the graph and of its companion.
GRAIL: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "wn18rr_v1": ((2746, 9, 5410, 630, 638), (922, 8, 1618, 185, 188)),
    "wn18rr_v2": ((6954, 10, 15262, 1838, 1868), (2757, 10, 4011, 411, 441)),
    "wn18rr_v4": ((3861, 9, 7940, 934, 968), (7084, 9, 12334, 1394, 1429)),
    "fb237_v1": ((1594, 180, 4245, 489, 492), (1093, 142, 1993, 206, 205)),
    "fb237_v3": ((3668, 215, 17986, 2194, 2214), (2501, 183, 7406, 866, 865)),
    "fb237_v4": ((4707, 219, 27203, 3352, 3361), (3051, 200, 11714, 1416, 1424)),
    "nell_v1": ((3103, 14, 4687, 414, 439), (225, 14, 833, 101, 100)),
    "nell_v2": ((2564, 88, 8219, 922, 968), (2086, 79, 4586, 459, 476)),
    "nell_v3": ((4647, 142, 16393, 1851, 1873), (3566, 122, 8048, 811, 809)),
    "nell_v4": ((2092, 76, 7546, 876, 867), (2795, 61, 7073, 716, 731)),
}
QUICK = {"codex-s", "wn18rr", "yago4-19k"}


def leaks_of(report: SplitReport) -> dict[str, int]:
    return {f"{o.split}/{o.other}": o.triples for o in report.overlaps if o.triples}


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in PUBLISHED],
)
def test_published_figures_of_a_benchmark_are_found(benchmarks: Path, name: str) -> None:
    entities, relations, sizes, unseen, reversed_share = PUBLISHED[name]
    kg = read_folder(benchmarks / name)
    report = check_splits(kg)
    assert (kg.n_entities, kg.n_relations) == (entities, relations)
    assert tuple(size.rows for size in report.sizes) == sizes
    assert tuple(one.triples for one in report.unseen) == unseen
    assert round(100 * report.reversed[1].share, 1) == reversed_share
    leaks = {"test/train": 411, "valid/train": 439} if name == "yago4-19k" else {}
    assert leaks_of(report) == leaks


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAIL)
def test_published_figures_of_an_inductive_split_are_found(benchmarks: Path, name: str) -> None:
    for folder, figures in zip((name, f"{name}_ind"), GRAIL[name], strict=True):
        kg = read_folder(benchmarks / "inductive" / folder)
        report = check_splits(kg)
        sizes = tuple(size.rows for size in report.sizes)
        assert (kg.n_entities, kg.n_relations, *sizes) == figures
        assert [one.triples for one in report.unseen] == [0, 0]
        assert 23 <= round(100 * report.reversed[1].share) <= 68
        assert leaks_of(report) == {}


@pytest.mark.slow
def test_fb15k_237_is_checked_within_two_seconds(benchmarks: Path) -> None:
    kg = read_folder(benchmarks / "fb15k-237")
    start = time.process_time()
    check_splits(kg)
    assert time.process_time() - start < 2.0

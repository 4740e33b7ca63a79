"""``hybridkg compare``: one table in five formats, each with its protocol and tie policy."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from hybridkg.report.tables import latex_text, markdown_table, markdown_text, spell_number

NAMES = ("a_1", "a_2", "b|c & d")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    rng = np.random.default_rng(1)
    paths = []
    for name in NAMES:
        lines = ["head\trelation\ttail\ttarget\toptimistic\tpessimistic\tcandidates"]
        for i in range(20):
            for target in ("tail", "head"):
                low = int(rng.integers(1, 9))
                lines.append(f"h{i}\tr{i % 2}\tt\t{target}\t{low}\t{low + 1}\t{10 + i}")
        path = tmp_path / f"{name}.tsv"
        path.write_text("\n".join(lines) + "\n")
        paths.append(path)
    return paths


@pytest.fixture
def compare(files, hybridkg_command):
    def call(*arguments: object) -> str:
        code, out, err = hybridkg_command("compare", *files, *arguments)
        assert code == 0, err
        return out

    return call


def test_the_plain_table_has_the_usual_columns_and_chance(compare) -> None:
    out = compare()
    header, _, chance, *rows = out.splitlines()[3:]
    assert re.split(r"\s{2,}", header) == [
        "instance", "MRR", "Hits@1", "Hits@3", "Hits@10", "MR", "AMRI", "tied", "coverage",
    ]  # fmt: skip
    assert chance.startswith("(chance)")
    assert [row.split("  ")[0] for row in rows] == list(NAMES)
    assert out.startswith("protocol: unstated")
    assert "\n\nties: expected\n" in out
    # Neither intervals nor a breakdown where nobody asks.
    assert "[" not in out
    assert "bootstrap" not in out


def test_groups_intervals_and_order_stand_in_the_table(compare) -> None:
    out = compare("--group", "both=a_1,a_2", "--ci", "90", "--sort", "mrr", "--metrics", "mrr,amri",
                  "--resamples", "200")  # fmt: skip
    number = r"-?\d\.\d{4}"
    assert re.search(rf"both \(n=2\) +{number} ± {number} \[{number}, {number}\]", out)
    assert len(re.findall(rf"{number} \[{number}, {number}\]", out)) == 2 * (3 + 1)
    assert "90 % intervals: percentile bootstrap over 20 test triples, 200 resamples" in out
    lines = [line for line in out.splitlines() if line.startswith(NAMES)]
    values = [float(re.search(number, line)[0]) for line in lines]
    assert values == sorted(values, reverse=True)
    assert compare("--ci", "90", "--resamples", "200") == compare(
        "--ci", "90", "--resamples", "200", "--seed", "0"
    )
    assert compare("--ci", "90") != compare("--ci", "90", "--seed", "1")


def test_the_four_foreign_and_own_policies_print_one_table_each(compare) -> None:
    out = compare("--ties", "all,rounded_mean,absent_zero_pessimistic")
    assert re.findall(r"^ties: (\w+)$", out, flags=re.MULTILINE) == [
        "expected", "optimistic", "pessimistic", "realistic", "rounded_mean",
        "absent_zero_pessimistic",
    ]  # fmt: skip
    assert out.count("protocol: ") == 1


def test_differences_to_one_instance_stand_below(compare, files) -> None:
    out = compare("--against", "a_1", "--metrics", "mrr", "--sort", "name")
    title, header, _, *rows = out.splitlines()[10:15]
    assert title.startswith("difference to a_1 (instance minus this one")
    assert header.split() == ["instance", "metric", "difference", "low", "high", "p"]
    assert [row.split("  ")[0] for row in rows] == ["a_2", "b|c & d"]
    document = json.loads(compare("--against", "a_1", "--metrics", "mrr", "--json"))
    (comparison,) = document["comparisons"]
    by_name = {row["name"]: row["mrr"] for row in comparison["instances"]}
    for row in comparison["against"]["differences"]:
        assert row["difference"] == pytest.approx(by_name[row["instance"]] - by_name["a_1"])


def test_csv_is_plain_and_holds_every_value_with_its_convention(compare) -> None:
    options = ("--ties", "expected,pessimistic", "--by", "relation,target", "--against", "a_1",
               "--ci", "95", "--metrics", "mrr,z_mrr", "--group", "both=a_1,a_2")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(compare(*options, "--format", "csv"))))
    document = json.loads(compare(*options, "--format", "json"))
    assert {row["ties"] for row in rows} == {"expected", "pessimistic"}
    assert {row["dataset"] for row in rows} == {"unstated"}
    assert not any(None in row for row in rows)
    for comparison in document["comparisons"]:
        mine = [row for row in rows if row["ties"] == comparison["ties"]]
        for one in comparison["instances"]:
            (found,) = [r for r in mine if (r["section"], r["name"], r["metric"])
                        == ("metrics", one["name"], "mrr")]  # fmt: skip
            assert float(found["value"]) == one["mrr"]
            assert float(found["low"]) == one["intervals"]["mrr"]["low"]
            assert (found["level"], found["resamples"], found["seed"]) == ("0.95", "1000", "0")
        (group,) = [r for r in mine if r["kind"] == "group" and r["section"] == "metrics"
                    and r["metric"] == "z_mrr"]  # fmt: skip
        assert float(group["sd"]) == comparison["groups"][0]["sd"]["z_mrr"]
        compared = [r for r in mine if r["section"] == "differences"]
        assert [float(r["p"]) for r in compared] == [
            one["p"] for one in comparison["against"]["differences"]
        ]
        strata = [r for r in mine if r["section"] == "breakdown" and r["metric"] == "mrr"]
        assert [(r["relation"], r["target"], float(r["value"])) for r in strata] == [
            (one["relation"], one["target"], one["mrr"]) for one in comparison["breakdown"]["rows"]
        ]


def test_markdown_keeps_one_cell_a_column_whatever_the_names(compare) -> None:
    out = compare(
        "--format", "markdown", "--by", "relation", "--against", "a_1", "--metrics", "mrr"
    )
    assert out.startswith("protocol: ")
    assert "\n\nties: expected\n\n" in out
    assert r"b\|c & d" in out
    tables = [block for block in out.split("\n\n") if block.startswith("|")]
    assert len(tables) == 3
    for block in tables:
        assert len({len(re.split(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_latex_escapes_and_states_its_convention_in_each_caption(compare) -> None:
    out = compare("--format", "latex", "--ci", "95", "--metrics", "mrr,amri,hits_at_1",
                  "--group", "g_1=a_1,a_2", "--by", "macro",
                  "--ties", "expected,realistic")  # fmt: skip
    captions = re.findall(r"\\caption\{(.*)\}\n", out)
    assert len(captions) == 4
    for caption, ties in zip(captions, ["expected"] * 2 + ["realistic"] * 2, strict=True):
        assert f"ties: {ties}" in caption
        assert "protocol: unstated" in caption
        assert r"95 \% intervals" in caption
    for words in (r"\toprule", r"\midrule", r"\bottomrule", r"g\_1 (n=2)", r"b\textbar{}c \& d",
                  r"$\pm$", "booktabs"):  # fmt: skip
        assert words in out
    body = [line for line in out.splitlines() if line.endswith(r"\\")]
    assert not any(re.search(r"(?<!\\)[_%#]", line) for line in body)
    assert out.count(r"\begin{table}") == out.count(r"\end{table}") == 4


def test_out_writes_the_format_whole_or_not_at_all(
    tmp_path, compare, files, hybridkg_command
) -> None:
    printed = compare("--format", "csv")
    target = tmp_path / "new" / "table.csv"
    assert compare("--format", "csv", "--out", target) == ""
    assert target.read_text() == printed
    document = json.loads(compare("--json", "--format", "latex", "--out", tmp_path / "t.tex"))
    assert document["comparisons"]
    assert r"\toprule" in (tmp_path / "t.tex").read_text()
    code, out, _ = hybridkg_command("compare", *files, "--metrics", "mmr", "--out", target)
    assert (code, out) == (2, "")
    assert target.read_text() == printed
    assert not [p for p in target.parent.iterdir() if p != target]


def test_json_keeps_its_keys_and_has_null_for_what_is_not_defined(
    tmp_path, hybridkg_command
) -> None:
    path = tmp_path / "one.tsv"
    path.write_text("head\trelation\ttail\ttarget\trank\nh\tr\tt\ttail\t2\nh\tr\tt\thead\t4\n")
    code, out, _ = hybridkg_command("compare", path, "--json", "--ci", "95")
    assert code == 0
    (comparison,) = json.loads(out)["comparisons"]
    assert {"protocol", "protocol_sentence", "ties", "n_queries", "chance", "instances",
            "models"} <= set(comparison)  # fmt: skip
    (row,) = comparison["instances"]
    assert {"name", "model", "seed", "mrr", "hits_at_1", "hits_at_3", "hits_at_10", "mean_rank",
            "tied", "coverage", "notes"} <= set(row)  # fmt: skip
    assert row["mrr"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert (row["amri"], row["intervals"]["amri"]["low"], comparison["chance"]) == (None,) * 3
    code, out, _ = hybridkg_command("compare", path)
    assert re.search(r"^one .* 3\.0000 +- ", out, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--metrics", "mmr"), "unknown metric 'mmr'; did you mean 'mrr'? known: mrr, hits_at_1"),
        (("--metrics", "mrr,,amri"), "expected names separated by commas"),
        (("--sort", "best"), "a sort goes by a metric, by name, or none"),
        (("--by", "colour"), "expected some of relation,cardinality,target, or macro alone"),
        (("--by", "cardinality"), "the ranks carry no cardinality classes"),
        (("--ci", "0.95"), "expected a percentage from 1 to below 100"),
        (("--ci", "nan"), "expected a percentage from 1 to below 100"),
        (("--ci", "95", "--resamples", "0"), "expected a number from 1 to 100,000"),
        (("--ci", "95", "--seed", "-1"), "--seed -1; expected 0 or more"),
        (("--seed", "1"), "--seed without --ci or --against would change nothing"),
        (("--against", "a_3"), "unknown instance 'a_3'; did you mean 'a_"),
        (("--group", "all=a_1"), "group name 'all' is taken"),
        (("--group", "x=a_1", "--group", "x=a_2"), "group name 'x' is taken"),
        (("--group", "x=a_9"), "unknown instance 'a_9'"),
        (("--format", "html"), "expected one of text, markdown, latex, csv, json"),
        (("--json", "--format", "csv"), "both say what to print"),
        (("--ties", "expected,fair"), "expected all or one of expected"),
    ],
)
def test_bad_values_are_one_sentence(files, hybridkg_command, options, words) -> None:
    code, out, err = hybridkg_command("compare", *files, *options)
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert out == "" or "--json" in options


def test_cells_cannot_leave_their_format() -> None:
    assert spell_number(-1e-9) == "0.0000"
    assert spell_number(math.nan) == spell_number(None) == "-"
    assert markdown_text("a|b\\|<i>\n*x*`") == r"a\|b\\\|\<i>\\x0a\*x\*\`"
    assert latex_text("50% of a_b ~ {x} \\ $1 & #2 ^ <|>") == (
        r"50\% of a\_b \textasciitilde{} \{x\} \textbackslash{} \$1 \& \#2 \textasciicircum{} "
        r"\textless{}\textbar{}\textgreater{}"
    )
    assert latex_text("-0.5 ± 0.1 [-1.0, -0.2]") == r"$-$0.5 $\pm$ 0.1 [$-$1.0, $-$0.2]"
    assert latex_text("a-1") == "a-1"
    assert markdown_table(["n"], [[1], [None]]).splitlines()[1:] == ["| ---: |", "| 1 |", "| - |"]

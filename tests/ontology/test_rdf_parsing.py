"""What is said of broken RDF, and which DOCTYPE is refused before anything is spelled out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hybridkg.errors import OntologyError
from hybridkg.ontology.load import read_ontology

ROOT = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:l="http://lab.example/">'
    '<rdf:Description rdf:about="{about}"><l:uses rdf:resource="http://lab.example/oven"/>'
    "</rdf:Description></rdf:RDF>"
)


def lab(folder: Path, text: str, name: str = "lab.rdf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_namespaces_in_a_doctype_are_spelled_out(tmp_path: Path) -> None:
    declared = '<!DOCTYPE rdf:RDF [ <!ENTITY lab "http://lab.example/" > <!ENTITY a "x &amp; y"> ]>'
    path = lab(tmp_path, '<?xml version="1.0"?>\n' + declared + ROOT.format(about="&lab;ann"))
    lab_name = "http://lab.example/"
    assert read_ontology(path).facts == ((lab_name + "ann", lab_name + "uses", lab_name + "oven"),)


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ('[<!ENTITY x SYSTEM "file:///etc/hostname">]', "declares an external entity 'x'"),
        ('[<!ENTITY x PUBLIC "-//x" "http://x.example/x">]', "declares an external entity 'x'"),
        ('SYSTEM "lab.dtd"', "names an external DTD 'lab.dtd'"),
        ('[<!ENTITY % p "x">]', "declares a parameter entity 'p'"),
        (
            '[<!ENTITY x "y"><!ENTITY z "&x;&x;">]',
            "declares an entity 'z' that refers to other entities",
        ),
        (
            '[<!ENTITY x "y"><!ENTITY z "&#38;x;">]',
            "declares an entity 'z' that refers to other entities",
        ),
        (f'[<!ENTITY x "{"y" * 1_001}">]', "declares an entity 'x' of 1,001 characters"),
    ],
)
def test_a_doctype_that_asks_for_more_than_names_is_refused(
    tmp_path: Path, declared: str, words: str
) -> None:
    text = f'<?xml version="1.0"?><!-- [ --><!DOCTYPE r {declared}>' + ROOT.format(about="ann")
    path = lab(tmp_path, text)
    with pytest.raises(OntologyError, match=words) as caught:
        read_ontology(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_entities_inside_entities_are_refused_at_once(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    text = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e0 "x">{levels}]>'
    start = time.process_time()
    with pytest.raises(OntologyError, match="'e1' that refers to other entities"):
        read_ontology(lab(tmp_path, text + ROOT.format(about="&e12;")))
    assert time.process_time() - start < 1


def test_entities_inside_entities_are_refused_in_owl_xml_too(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    text = f"""<?xml version="1.0"?><!DOCTYPE Ontology [<!ENTITY e0 "x">{levels}]>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://x"><Import>&e12;</Import>
</Ontology>"""
    with pytest.raises(OntologyError, match="'e1' that refers to other entities"):
        read_ontology(lab(tmp_path, text, "lab.owx"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("@prefix : <http://l/> .\n\n:a :b :c .\n:a :b \n\n", 4, "unexpected end in ':a :b'"),
        ("@prefix : <http://l/> .\n:a :b :ö ;\n  q:c :d .\n", 3, "the prefix 'q:' is not declared"),
        (
            '@prefix : <http://l/> .\n:a :b "open\n" .\n',
            2,
            "line jumps are not allowed in string literals, use \\n in ':a :b \"open'",
        ),
    ],
)
def test_broken_turtle_is_shown_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    path = lab(tmp_path, text, "lab.ttl")
    with pytest.raises(OntologyError) as caught:
        read_ontology(path)
    said = str(caught.value)
    assert said.startswith(f"{path}:{line}: expected Turtle; ")
    assert words in said
    for leftover in ("b'@", "<>", "at line"):
        assert leftover not in said


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("lab.jsonld", '{"@id":\n bad', "lab.jsonld:2: expected JSON-LD; Expecting value"),
        (
            "lab.nq",
            "<http://a> <http://r> <http://b> <http://g> .\n<http://a> <http://r> .\n",
            "lab.nq:2: expected N-Triples; the object of a triple must be",
        ),
        (
            "lab.rdf",
            '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            '\n<rdf:Description rdf:ID="a" rdf:about="b"/></rdf:RDF>',
            "lab.rdf:3: expected RDF/XML; Can have at most one of rdf:ID",
        ),
    ],
)
def test_other_syntaxes_are_named_with_the_place(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    with pytest.raises(OntologyError, match=words):
        read_ontology(lab(tmp_path, text, name))

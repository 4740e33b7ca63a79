"""Find what an ontology imports in local files; nothing is ever fetched."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from hybridkg.errors import OntologyError
from hybridkg.graph.doctype import refuse_doctype
from hybridkg.graph.owl_syntax import add_owl_document
from hybridkg.graph.rdf import add_document, sniff
from hybridkg.graph.statements import StatementBuilder
from hybridkg.ontology.owl_terms import OWL

#: The file in which Protégé notes where imports lie.
CATALOG = "catalog-v001.xml"
_SUFFIXES = (".owl", ".ttl", ".rdf", ".owx", ".ofn", ".xml", ".nt", ".nq", ".trig", ".jsonld")
_PACKINGS = ("", ".gz", ".xz", ".bz2")


def add_with_imports(
    builder: StatementBuilder, path: str | Path, *, given: Collection[Path] = ()
) -> dict[str, str]:
    """Add a file and, as further documents, the local files of what it imports.

    Args:
        builder: takes the statements.
        path: the file.
        given: resolved paths of files that count as imported without being read here.

    Returns:
        IRI of each import that was found -> the file.

    Raises:
        DataError: a file cannot be read or unpacked.
        OntologyError: a file is broken or of a syntax that is not read.
    """
    root = Path(path).resolve().parent
    waiting: list[str | Path] = [path]
    passed = {Path(path).resolve(), *given}
    imported: dict[str, str] = {}
    for one in waiting:
        mark = builder.mark()
        syntax = sniff(one)
        if syntax in ("OWL functional syntax", "OWL/XML"):
            add_owl_document(builder, one, syntax)
        else:
            add_document(builder, one, syntax)
        for iri in builder.objects_since(mark, OWL + "imports"):
            here = Path(one).parent
            found = local_file(iri, here)
            if found is None and here.resolve() != root:
                found = local_file(iri, Path(path).parent)
            if found is None:
                continue
            imported[iri] = str(found)
            if found.resolve() not in passed:
                passed.add(found.resolve())
                waiting.append(found)
    return imported


def local_file(iri: str, folder: Path) -> Path | None:
    """Return the file of a folder that an import's IRI stands for, None where there is none.

    Args:
        iri: as it stands in the importing file.
        folder: where that file lies; its catalog goes before names of files.

    Raises:
        OntologyError: the catalog is broken.
    """
    if iri.startswith("file:"):
        named = _path_of(iri)
        return named if named.is_file() else None
    for wanted, target in _catalog(folder):
        if wanted.rstrip("#/") == iri.rstrip("#/") and target.is_file():
            return target
    last = unquote(urlsplit(iri.rstrip("#/")).path.rsplit("/", 1)[-1])
    if not last or last in (".", ".."):
        return None
    stems = [last, *(last.removesuffix(suffix) for suffix in _SUFFIXES if last.endswith(suffix))]
    for stem in stems:
        for suffix in ("", *_SUFFIXES):
            for packing in _PACKINGS:
                candidate = folder / f"{stem}{suffix}{packing}"
                if candidate.is_file():
                    return candidate
    return None


def _catalog(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the IRIs of a folder's catalog with the local files that they stand for."""
    path = folder / CATALOG
    if not path.is_file():
        return
    content = path.read_bytes()
    refuse_doctype(content, path)
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise OntologyError(
            f"{path}:{error.position[0]}: expected a catalog in XML; {error}; mend or remove it"
        ) from error
    for element in root.iter():
        name, target = element.get("name"), element.get("uri")
        if element.tag.rsplit("}", 1)[-1] == "uri" and name and target:
            scheme = urlsplit(target).scheme
            if scheme == "file":
                yield name, _path_of(target)
            elif len(scheme) <= 1:
                yield name, folder / unquote(target)


def _path_of(iri: str) -> Path:
    return Path(unquote(urlsplit(iri).path))

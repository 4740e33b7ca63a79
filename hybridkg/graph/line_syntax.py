"""N-Triples and N-Quads in large blocks: plain lines by their bytes, all others by a parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from hybridkg.graph.statements import StatementBuilder
from hybridkg.types import BoolArray, ByteArray, IntArray, LongArray

#: Bytes that are looked at together; a term is spelled out once a block.
BLOCK = 1 << 24
_SPACE, _OPEN, _CLOSE, _OTHER, _END = 1, 2, 3, 4, 5
#: What stands in a plain line beside the characters of its IRIs, by number of terms.
_PATTERNS = {n: np.array([_OPEN, _CLOSE, _SPACE] * n + [_END], dtype=np.uint8) for n in (3, 4)}
_SCHEME = "^[A-Za-z][A-Za-z0-9+.-]*:"
_BROKEN_ESCAPE = "%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)"


def _byte_kinds() -> ByteArray:
    """(256,) 0 for bytes that may stand in an IRI, else what they are."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[: ord(" ")] = _OTHER
    kinds[[ord(one) for one in '"{}|^`\\\x7f']] = _OTHER
    kinds[[ord(" "), ord("\t")]] = _SPACE
    kinds[ord("<")], kinds[ord(">")], kinds[ord("\n")] = _OPEN, _CLOSE, _END
    return kinds


_KINDS = _byte_kinds()


def add_lines(builder: StatementBuilder, stream: IO[bytes], file: str) -> None:
    """Read N-Triples or N-Quads into a builder, with line numbers.

    Lines of plain IRIs, the bulk of large files, are cut at the places of their brackets for a
    whole block at once. Literals, blank nodes, escapes, comments and broken lines go to
    pyoxigraph.

    Args:
        builder: a builder with an open document.
        stream: the unpacked bytes.
        file: the document's name among the origins.

    Raises:
        SyntaxError: a line is broken; ``lineno`` is its number.
    """
    line = 1
    for block in _whole_lines(stream):
        line += _add_block(builder, block, file, line)


def _whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield blocks that end where a line ends, with LF line ends."""
    rest = b""
    while block := stream.read(BLOCK):
        # A file that was opened with an unpacker may give less than what was asked for.
        block = rest + block
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if cut:
            yield block[:cut].replace(b"\r\n", b"\n") if b"\r" in block else block[:cut]
    if rest:
        yield rest + b"\n"


def _add_block(builder: StatementBuilder, block: bytes, file: str, first_line: int) -> int:
    """Add the statements of a block, in order of their lines, and return its number of lines."""
    data = np.frombuffer(block, dtype=np.uint8)
    kinds = _KINDS[data]
    places = np.flatnonzero(kinds).astype(np.int32)
    codes = kinds[places]
    ends = np.flatnonzero(codes == _END)
    counts = np.diff(ends, prepend=-1)
    starts = np.append(0, places[ends[:-1]] + 1).astype(np.int32)
    plain = np.zeros(len(ends), dtype=np.bool_)
    for n_terms, pattern in _PATTERNS.items():
        rows = np.flatnonzero(counts == len(pattern))
        found = places[(ends[rows] - len(pattern) + 1)[:, None] + np.arange(len(pattern))]
        fits = _is_plain(data, found, kinds[found] == pattern, starts[rows])
        rows, found = rows[fits], found[fits]
        if len(rows):
            plain[rows[_add_plain(builder, block, found, rows + first_line, n_terms, file)]] = True
    _add_others(builder, block, file, starts, places[ends] + 1, ~plain, first_line)
    return len(ends)


def _is_plain(data: ByteArray, found: IntArray, fits: BoolArray, starts: IntArray) -> BoolArray:
    """Tell which lines are IRIs in brackets, one space apart, with a full stop at the end.

    Args:
        data: (n,) bytes of the block.
        found: (m, k) places of what is no character of an IRI.
        fits: (m, k) True where that is what a plain line has.
        starts: (m,) places of the first byte.
    """
    good: BoolArray = fits.all(axis=1) & (found[:, 0] == starts)
    for column in range(1, found.shape[1] - 1):
        gap = found[:, column] - found[:, column - 1]
        # An IRI has at least one character, all else follows at once.
        good &= gap > 1 if column % 3 == 1 else gap == 1
    last = found[:, -2] + 1
    good &= (found[:, -1] - found[:, -2] == 2) & (data[last] == ord("."))
    return good


def _add_plain(
    builder: StatementBuilder,
    block: bytes,
    found: IntArray,
    lines: LongArray,
    n_terms: int,
    file: str,
) -> BoolArray:
    """Add lines of plain IRIs; returns (m,) False where an IRI is none after all."""
    import pyarrow as pa

    edges = np.empty((len(found), 2 * n_terms), dtype=np.int32)
    edges[:, 0::2] = found[:, 0:-1:3] + 1
    edges[:, 1::2] = found[:, 1::3]
    # Every second piece between two edges is a term.
    offsets = np.append(edges.ravel(), len(block)).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block)]
    pieces = pa.Array.from_buffers(pa.binary(), edges.size, buffers)
    taken = pieces.take(pa.array(np.arange(0, edges.size, 2, dtype=np.int32)))
    encoded = taken.dictionary_encode()
    numbers = encoded.indices.to_numpy().reshape(-1, n_terms)
    bad = _no_iri(encoded.dictionary)
    good: BoolArray = ~bad[numbers].any(axis=1)
    if not good.all():
        numbers, lines = numbers[good], lines[good]
        used = np.unique(numbers)
    else:
        used = np.arange(len(bad))
    texts = encoded.dictionary.take(pa.array(used)).cast(pa.string()).to_pylist()
    ids = np.zeros(len(bad), dtype=np.int32)
    ids[used] = builder.intern(texts)
    columns = [ids[numbers[:, column]] for column in range(3)]
    sources: IntArray | int = builder.origin(file) if n_terms == 3 else 0
    if n_terms == 4:
        of_graph = np.zeros(len(bad), dtype=np.int32)
        for number in np.unique(numbers[:, 3]).tolist():
            name = encoded.dictionary[number].as_py().decode()
            of_graph[number] = builder.origin(file, name)
        sources = of_graph[numbers[:, 3]]
    builder.add(columns[0], columns[1], columns[2], sources, lines.astype(np.int32))
    return good


def _no_iri(terms: Any) -> BoolArray:
    """(n,) True where bytes in brackets are no absolute IRI; the parser says what is wrong."""
    import pyarrow.compute as pc

    try:
        texts = terms.cast("string")
    except ValueError:
        return np.array([not _is_utf8(one) for one in terms.to_pylist()], dtype=np.bool_)
    bad = ~pc.match_substring_regex(texts, _SCHEME).to_numpy(zero_copy_only=False)
    escaped = pc.match_substring(texts, "%").to_numpy(zero_copy_only=False)
    if escaped.any():
        bad |= pc.match_substring_regex(texts, _BROKEN_ESCAPE).to_numpy(zero_copy_only=False)
    return np.asarray(bad, dtype=np.bool_)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _add_others(
    builder: StatementBuilder,
    block: bytes,
    file: str,
    starts: IntArray,
    stops: IntArray,
    chosen: BoolArray,
    first_line: int,
) -> None:
    """Parse the lines that are not plain.

    Args:
        builder: takes the statements.
        block: whole lines.
        file: the document's name.
        starts: (n,) places where the lines start.
        stops: (n,) places behind their ends.
        chosen: (n,) True for the lines to parse.
        first_line: number of the first line of the block.
    """
    from pyoxigraph import RdfFormat, parse

    lines = np.flatnonzero(chosen)
    if not len(lines):
        return
    # Neighbouring lines are copied together.
    breaks = np.flatnonzero(np.diff(lines) != 1) + 1
    runs = zip(
        starts[lines[np.append(0, breaks)]].tolist(),
        stops[lines[np.append(breaks - 1, len(lines) - 1)]].tolist(),
        strict=True,
    )
    text = b"".join([block[start:stop] for start, stop in runs])
    numbers = lines + first_line
    try:
        n_read = builder.add_quads(parse(input=text, format=RdfFormat.N_QUADS), file)
    except SyntaxError as error:
        if error.lineno is not None:
            error.lineno = int(numbers[min(error.lineno, len(numbers)) - 1])
        raise
    firsts = np.frombuffer(block, dtype=np.uint8)[starts[lines]]
    content = numbers[(firsts != ord("#")) & (firsts != ord("\n"))].astype(np.int32)
    if len(content) == n_read:
        builder.number_lines(content)

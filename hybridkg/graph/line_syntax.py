"""N-Triples and N-Quads in large blocks: plain lines by their bytes, all others by a parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from hybridkg.graph.statements import StatementBuilder
from hybridkg.types import BoolArray, ByteArray, IntArray, LongArray

#: Bytes that are looked at together; a term is spelled out once a block.
BLOCK = 1 << 24
#: Distinct IRIs of blocks that wait for each other; each takes its bytes and few more.
_WAITING = 8_000_000
_SPACE, _OPEN, _CLOSE, _OTHER, _END = 1, 2, 3, 4, 5
#: What stands in a plain line beside the characters of its IRIs, for three and four terms.
_PATTERNS = tuple(np.array([_OPEN, _CLOSE, _SPACE] * n + [_END], dtype=np.uint8) for n in (3, 4))
_SCHEME = "^[A-Za-z][A-Za-z0-9+.-]*:"
_BROKEN_ESCAPE = "%(?:[^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)"


def _byte_kinds() -> bytes:
    """Return 256 bytes: 0 for bytes that may stand in an IRI, else what they are."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[: ord(" ")] = _OTHER
    kinds[[ord(one) for one in '"{}|^`\\\x7f']] = _OTHER
    kinds[[ord(" "), ord("\t")]] = _SPACE
    kinds[ord("<")], kinds[ord(">")], kinds[ord("\n")] = _OPEN, _CLOSE, _END
    return kinds.tobytes()


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
    plain = _PlainLines(builder, file)
    for block in _whole_lines(stream):
        line += _add_block(builder, plain, block, file, line)
    plain.flush()


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


def _add_block(
    builder: StatementBuilder, waiting: _PlainLines, block: bytes, file: str, first_line: int
) -> int:
    """Add the statements of a block and return its number of lines."""
    data = np.frombuffer(block, dtype=np.uint8)
    # Both steps read every byte, and these are the quickest forms of them.
    kinds = np.frombuffer(block.translate(_KINDS), dtype=np.uint8)
    places = np.flatnonzero(kinds != 0).astype(np.int32)
    codes = kinds[places]
    ends = np.flatnonzero(codes == _END)
    counts = np.diff(ends, prepend=-1)
    starts = np.append(0, places[ends[:-1]] + 1).astype(np.int32)
    plain = np.zeros(len(ends), dtype=np.bool_)
    for pattern in _PATTERNS:
        rows = np.flatnonzero(counts == len(pattern))
        found = places[(ends[rows] - len(pattern) + 1)[:, None] + np.arange(len(pattern))]
        fits = _is_plain(data, found, kinds[found] == pattern, starts[rows])
        rows, found = rows[fits], found[fits]
        if len(rows):
            plain[rows[waiting.add(block, found, rows + first_line)]] = True
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


class _PlainLines:
    """Lines of plain IRIs that wait until the IRIs of many blocks are spelled out together."""

    def __init__(self, builder: StatementBuilder, file: str) -> None:
        self._builder, self._file = builder, file
        #: for each block its distinct IRIs, (m, n_terms) positions among them, line numbers.
        self._blocks: list[tuple[Any, IntArray, IntArray]] = []
        self._n_waiting = 0

    def add(self, block: bytes, found: IntArray, lines: LongArray) -> BoolArray:
        """Take lines of plain IRIs; returns (m,) False where an IRI is none after all.

        Args:
            block: whole lines.
            found: (m, 3 * n_terms + 1) places of what is no character of an IRI.
            lines: (m,) line numbers.
        """
        import pyarrow as pa

        n_terms = found.shape[1] // 3
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
        terms = encoded.dictionary
        bad = _no_iri(terms)
        good: BoolArray = ~bad[numbers].any(axis=1)
        if not good.all():
            used, numbers = np.unique(numbers[good], return_inverse=True)
            terms, numbers = terms.take(pa.array(used)), numbers.reshape(-1, n_terms)
        columns = numbers.astype(np.int32, copy=False)
        self._blocks.append((terms.cast(pa.string()), columns, lines[good].astype(np.int32)))
        self._n_waiting += len(terms)
        if self._n_waiting > _WAITING:
            self.flush()
        return good

    def flush(self) -> None:
        """Add the lines that wait to the builder."""
        import pyarrow as pa

        if not self._blocks:
            return
        # Equal IRIs of all blocks meet before any becomes a text of Python.
        arrays = [
            pa.DictionaryArray.from_arrays(pa.array(np.arange(len(terms), dtype=np.int32)), terms)
            for terms, _, _ in self._blocks
        ]
        met = pa.chunked_array(arrays).unify_dictionaries()
        names = met.chunk(0).dictionary.to_pylist()
        ids = self._builder.intern(names)
        for number, (_, numbers, lines) in enumerate(self._blocks):
            positions = met.chunk(number).indices.to_numpy()
            columns = ids[positions]
            sources: IntArray | int
            if numbers.shape[1] == 4:
                graphs, inverse = np.unique(positions[numbers[:, 3]], return_inverse=True)
                origins = [self._builder.origin(self._file, names[one]) for one in graphs.tolist()]
                sources = np.array(origins, dtype=np.int32)[inverse.reshape(-1)]
            else:
                sources = self._builder.origin(self._file)
            s, p, o = (columns[numbers[:, column]] for column in range(3))
            self._builder.add(s, p, o, sources, lines)
        self._blocks, self._n_waiting = [], 0


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

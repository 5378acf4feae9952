"""Members of zip archives, read one by one and never beyond the limit of a file."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from bayescompare import _input
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._input import check_input_is_regular
from bayescompare.results.text import repeated_name_in_results

__all__ = ["member_names", "read_members"]

#: The method of Zstandard, which Python's zipfile knows from 3.14 on.
_ZSTANDARD = 93


def member_names(path: Path) -> list[str]:
    """Return the names of the files in an archive."""
    with _opened_archive(path) as archive:
        return archive.namelist()


def read_members(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the content of some files of an archive, decompressed.

    A small archive may unpack to a huge file: what the archive says of its sizes is added up
    first, and nothing is unpacked beyond what it says. Nothing is written to disk, so that a
    name such as ``../../etc/passwd`` is a name like any other. Of two files with one name, which
    programs disagree about, neither is read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log.zip"
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("header.json", "{}")
    >>> read_members(path, ["header.json"])
    {'header.json': b'{}'}
    """
    wanted = set(names)
    with _opened_archive(path) as archive:
        infos = [info for info in archive.infolist() if info.filename in wanted]
        twice = repeated_name_in_results(info.filename for info in infos)
        if twice is not None:
            raise BayescompareError(f"{twice!r} occurs twice in the archive.")
        if sum(info.file_size for info in infos) > _input.most_input_bytes():
            raise _input.input_too_large()
        return {info.filename: _content_in_archive(archive, info) for info in infos}


def _opened_archive(path: Path) -> zipfile.ZipFile:
    check_input_is_regular(path)
    try:
        return zipfile.ZipFile(path)
    except Exception as error:  # malformed bytes can fail anywhere
        raise BayescompareError(f"not a whole zip archive ({error}).") from None


def _content_in_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 0x1:
        raise BayescompareError(f"{info.filename!r} in the archive is encrypted.")
    try:
        if info.compress_type == _ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            return _unpacked_from_archive(archive, info)
        with archive.open(info) as file:
            # One more than the archive says; a larger content is not read.
            return file.read(info.file_size + 1)
    except BayescompareError:
        raise
    except Exception as error:  # of the archive, and of each way to compress
        raise BayescompareError(
            f"{info.filename!r} in the archive cannot be decompressed ({error_in_one_line(error)})."
        ) from None


def _unpacked_from_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack Zstandard, whose bytes are found behind the member's own header."""
    try:
        import zstandard
    except ImportError:
        raise BayescompareError(
            f"{info.filename!r} in the archive is compressed with Zstandard: "
            'pip install "bayescompare[zst]".'
        ) from None
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset)
    header = file.read(30)
    if len(header) < 30:
        raise BayescompareError("not a whole zip archive (a member is cut off).")
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(name + extra, 1)
    packed = file.read(info.compress_size)
    reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    content = bytes(reader.read(info.file_size + 1))
    if len(content) != info.file_size:
        raise BayescompareError(f"{info.filename!r} in the archive is not as long as it says.")
    if zlib.crc32(content) != info.CRC:
        raise BayescompareError(f"{info.filename!r} in the archive is damaged (bad checksum).")
    return content

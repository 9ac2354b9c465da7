"""Compiled stages on disk, shared by processes.

An entry holds the injected IR of a kernel, so that building it again skips planning and injection. (Native code
is made anew: it is of one processor, and takes its addresses from one process.) The key is a hash of the source IR
without locations, the target, the options and the content of the compiler's libraries: the same kernel has the
same key in each process and on each machine with the same compiler, whatever was built before.

    TILEPIPE_CACHE_DIR      where; default is tilepipe in $XDG_CACHE_HOME or ~/.cache
    TILEPIPE_CACHE_BYTES    entries used least recently go when there is more than this; default 256 MiB
    TILEPIPE_DISABLE_CACHE  1 turns the cache off
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from tilepipe._version import __version__

_MAGIC = b"tilepipe-entry-1"
_SUFFIX = ".entry"


@dataclass
class Statistics:
    """What this process asked of the cache. A ``store`` is a kernel that was planned and injected here."""

    hits: int = 0
    misses: int = 0
    stores: int = 0
    corrupt: int = 0


statistics = Statistics()
_counting = threading.Lock()


def _count(name: str) -> None:
    with _counting:
        setattr(statistics, name, getattr(statistics, name) + 1)


def content_hash(files: Iterable[pathlib.Path]) -> str:
    """A hash of what is in the files; not of their names, places and times."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _libraries() -> list[pathlib.Path]:
    from tilepipe._load import native

    found = {pathlib.Path(str(native.__file__))}
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps:
        paths = (line.split(maxsplit=5)[-1].strip() for line in maps)
        found |= {pathlib.Path(path) for path in paths if path.endswith("/libTilePipe.so")}
    return sorted(found, key=lambda path: path.name)


@functools.cache
def tool_version() -> str:
    """The version of the compiler: of the package, and of what its libraries contain."""
    return f"{__version__}-{content_hash(_libraries())[:16]}"


def make_key(source: str, target: str, options: str, version: str | None = None) -> str:
    """The key of a kernel: ``source`` is its IR without locations."""
    digest = hashlib.sha256()
    for part in (version or tool_version(), target, options, source):
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


class Cache:
    """A folder of entries. Never raises for what happens in the file system: then there is no entry."""

    def __init__(self, folder: str | os.PathLike[str], limit: int = 256 << 20) -> None:
        self.folder = pathlib.Path(folder)
        self.limit = limit

    def path(self, key: str) -> pathlib.Path:
        return self.folder / key[:2] / (key[2:] + _SUFFIX)

    def get(self, key: str) -> str | None:
        """The text under a key; None where there is none or it is damaged."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except OSError:
            _count("misses")
            return None
        head, _, payload = data.partition(b"\n")
        if head != _MAGIC + b" " + hashlib.sha256(payload).hexdigest().encode():
            self.discard(key)
            return None
        # The time of the last use decides which entries go first.
        with contextlib.suppress(OSError):
            os.utime(path)
        _count("hits")
        return payload.decode()

    def discard(self, key: str) -> None:
        """Removes an entry that turned out to be damaged."""
        _count("corrupt")
        with contextlib.suppress(OSError):
            self.path(key).unlink()

    def put(self, key: str, text: str) -> None:
        """Publishes an entry: others see all of it or nothing."""
        _count("stores")
        payload = text.encode()
        path = self.path(key)
        temporary = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                temporary = file.name
                file.write(_MAGIC + b" " + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            os.replace(temporary, path)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            return
        self.trim()

    def entries(self) -> list[pathlib.Path]:
        return list(self.folder.glob(f"??/*{_SUFFIX}"))

    def trim(self) -> None:
        """Removes the entries used least recently until the rest is within the limit."""
        known = []
        for path in self.entries():
            with contextlib.suppress(OSError):
                status = path.stat()
                known.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in known)
        for _, size, path in sorted(known):
            if total <= self.limit:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size


def default() -> Cache | None:
    """The cache that the environment asks for."""
    if os.environ.get("TILEPIPE_DISABLE_CACHE", "0") not in ("", "0"):
        return None
    folder = os.environ.get("TILEPIPE_CACHE_DIR")
    if not folder:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        folder = os.path.join(base, "tilepipe")
    try:
        limit = int(os.environ.get("TILEPIPE_CACHE_BYTES", 256 << 20))
    except ValueError:
        limit = 256 << 20
    return Cache(folder, limit)

#!/usr/bin/env python3
"""Makes an image in the layout of OCI, as a tar file, from folders with a base and archives with Java inside.

Equal inputs give equal bytes: entries are sorted, belong to root unless listed below, and have the time of --time.
Needs Python 3.9 alone.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import tarfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

HOME = "opt/varve"
USER = 10001
CACHE = "/var/cache/varve"
MODELS = "/models"

# Parts of an installation that a container does not need.
LEFT_OUT = {"docs", "docker", "kubernetes", "monitoring", "systemd", "share", "start", "README.md", "CHANGELOG.md"}

ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n"
    f"varve:x:{USER}:{USER}:Varve:/nonexistent:/usr/sbin/nologin\n",
    "etc/group": f"root:x:0:\nvarve:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
FOLDERS = {
    "proc": (0, 0o555),
    "sys": (0, 0o555),
    "dev": (0, 0o755),
    "etc": (0, 0o755),
    "opt": (0, 0o755),
    "root": (0, 0o700),
    "run": (0, 0o755),
    "tmp": (0, 0o1777),
    "var": (0, 0o755),
    "var/cache": (0, 0o755),
    CACHE.strip("/"): (USER, 0o700),
    MODELS.strip("/"): (USER, 0o755),
}

MEDIA = "application/vnd.oci.image."


class Layer:
    """Entries of one layer by name, until they are written in the order of their names."""

    def __init__(self, time: int):
        self._time = time
        self._entries: Dict[str, Tuple[tarfile.TarInfo, bytes]] = {}

    def folder(self, name: str, owner: int = 0, mode: int = 0o755) -> None:
        self._add(name, tarfile.DIRTYPE, mode, owner)

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        self._add(name, tarfile.REGTYPE, mode, 0, content)

    def tree(self, folder: Path, below: str = "", left_out: Tuple[str, ...] = ()) -> None:
        """Adds the contents of a folder, without some of its own entries."""
        for path in sorted(folder.iterdir()):
            if path.name not in left_out:
                self._add_path(path, f"{below}/{path.name}" if below else path.name)

    def _add_path(self, path: Path, name: str) -> None:
        mode = 0o755 if path.is_dir() or os.stat(path, follow_symlinks=False).st_mode & 0o100 else 0o644
        if path.is_symlink():
            self._add(name, tarfile.SYMTYPE, 0o777, 0, target=os.readlink(path))
        elif path.is_dir():
            self._add(name, tarfile.DIRTYPE, mode, 0)
            self.tree(path, name)
        elif path.is_file():
            self._add(name, tarfile.REGTYPE, mode, 0, path.read_bytes())
        else:
            raise SystemExit(f"image.py: {path}: expected a file, a folder or a link")

    def _add(self, name, kind, mode, owner, content=b"", target="") -> None:
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode, entry.uid, entry.gid = kind, mode, owner, owner
        entry.mtime, entry.size, entry.linkname = self._time, len(content), target
        self._entries[name] = (entry, content)

    def tar(self) -> bytes:
        return archive(self._entries[name] for name in sorted(self._entries))


def archive(entries: Iterator[Tuple[tarfile.TarInfo, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry, content in entries:
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


class Blobs:
    """Contents by digest."""

    def __init__(self):
        self.contents: Dict[str, bytes] = {}

    def add(self, content: bytes, media: str, **more) -> dict:
        """Adds a content and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.contents[digest] = content
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(content), **more}

    def add_json(self, value: dict, media: str, **more) -> dict:
        return self.add(encoded(value), media, **more)


def encoded(value: dict) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def base_layer(base: Path, time: int) -> Layer:
    layer = Layer(time)
    layer.tree(base)
    for name, (owner, mode) in FOLDERS.items():
        layer.folder(name, owner, mode)
    for name, content in ACCOUNTS.items():
        layer.file(name, content.encode())
    return layer


def java_layer(installation: Path, time: int) -> Layer:
    layer = Layer(time)
    layer.folder(HOME)
    layer.folder(f"{HOME}/jre")
    layer.tree(installation / "jre", f"{HOME}/jre")
    return layer


def varve_layer(installation: Path, time: int) -> Layer:
    layer = Layer(time)
    layer.folder(HOME)
    layer.tree(installation, HOME, (*LEFT_OUT, "jre"))
    return layer


def labels(version: str, created: str) -> Dict[str, str]:
    prefix = "org.opencontainers.image."
    return {
        prefix + "title": "Varve",
        prefix + "description": "A server of language models with plugins for families and devices",
        prefix + "version": version,
        prefix + "created": created,
        prefix + "licenses": "Apache-2.0",
        prefix + "url": "https://varve.dev",
        prefix + "source": "https://varve.dev/varve",
        prefix + "vendor": "The maintainers of Varve",
    }


def config(architecture: str, version: str, created: str, layers: List[Tuple[str, bytes]]) -> dict:
    return {
        "architecture": architecture,
        "os": "linux",
        "created": created,
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"8080/tcp": {}},
            "Env": [
                f"PATH=/{HOME}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                f"VARVE_CACHE={CACHE}",
                "LC_ALL=C.UTF-8",
            ],
            "Entrypoint": [f"/{HOME}/bin/varve"],
            "Cmd": ["serve"],
            "Volumes": {CACHE: {}, MODELS: {}},
            "WorkingDir": "/",
            "StopSignal": "SIGTERM",
            "Labels": labels(version, created),
        },
        "rootfs": {
            "type": "layers",
            "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest() for _, tar in layers],
        },
        "history": [{"created": created, "created_by": name} for name, _ in layers],
    }


def add_platform(blobs: Blobs, architecture: str, base: Path, installation: Path, version: str, time: int) -> dict:
    """Adds the image of one architecture, and returns the descriptor of its manifest."""
    created = datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layers = [
        ("Debian packages", base_layer(base, time).tar()),
        ("Java runtime", java_layer(installation, time).tar()),
        (f"Varve {version}", varve_layer(installation, time).tar()),
    ]
    manifest = {
        "schemaVersion": 2,
        "mediaType": MEDIA + "manifest.v1+json",
        "config": blobs.add_json(config(architecture, version, created, layers), MEDIA + "config.v1+json"),
        "layers": [blobs.add(gzip.compress(tar, 9, mtime=0), MEDIA + "layer.v1.tar+gzip") for _, tar in layers],
        "annotations": labels(version, created),
    }
    platform = {"architecture": architecture, "os": "linux"}
    return blobs.add_json(manifest, manifest["mediaType"], platform=platform)


def layout(blobs: Blobs, manifests: List[dict], version: str, time: int) -> bytes:
    """Returns the tar file of an image for all architectures, which tools find by its version."""
    index = {"schemaVersion": 2, "mediaType": MEDIA + "index.v1+json", "manifests": manifests}
    named = blobs.add_json(
        index, index["mediaType"], annotations={"org.opencontainers.image.ref.name": version}
    )
    files = Layer(time)
    files.folder("blobs")
    files.folder("blobs/sha256")
    files.file("oci-layout", encoded({"imageLayoutVersion": "1.0.0"}))
    files.file("index.json", encoded({**index, "manifests": [named]}))
    for digest, content in blobs.contents.items():
        files.file(f"blobs/sha256/{digest}", content)
    return files.tar()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--time", type=int, required=True, help="of all files, in seconds since 1970")
    parser.add_argument(
        "--platform",
        action="append",
        nargs=3,
        required=True,
        metavar=("ARCHITECTURE", "BASE", "INSTALLATION"),
        help="amd64 or arm64, the folder root/ of base.sh, and an unpacked archive with Java; may be repeated",
    )
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    blobs = Blobs()
    manifests = [
        add_platform(blobs, architecture, Path(base), Path(installation), options.version, options.time)
        for architecture, base, installation in options.platform
    ]
    options.output.write_bytes(layout(blobs, manifests, options.version, options.time))


main()

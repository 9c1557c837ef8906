#!/usr/bin/env python3
"""Unpacks an image in the layout of OCI for one architecture, and checks all digests: the files into root/, and config.json.

usage: unpack.py IMAGE.tar ARCHITECTURE FOLDER
"""

import gzip
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path


def main() -> None:
    image, architecture, folder = sys.argv[1:]
    target = Path(folder)
    with tarfile.open(image) as files:

        def blob(descriptor: dict) -> bytes:
            algorithm, digest = descriptor["digest"].split(":")
            content = files.extractfile(f"blobs/{algorithm}/{digest}").read()
            require(hashlib.sha256(content).hexdigest(), digest, "digest")
            require(len(content), descriptor["size"], "size")
            return content

        require(json.load(files.extractfile("oci-layout")), {"imageLayoutVersion": "1.0.0"}, "oci-layout")
        index = json.loads(blob(json.load(files.extractfile("index.json"))["manifests"][0]))
        found = [each for each in index["manifests"] if each["platform"]["architecture"] == architecture]
        require(len(found), 1, f"images for {architecture}")
        manifest = json.loads(blob(found[0]))
        config = json.loads(blob(manifest["config"]))
        require(config["architecture"], architecture, "architecture")
        for layer, expected in zip(manifest["layers"], config["rootfs"]["diff_ids"]):
            tar = gzip.decompress(blob(layer))
            require("sha256:" + hashlib.sha256(tar).hexdigest(), expected, "digest of a layer")
            with tarfile.open(fileobj=io.BytesIO(tar)) as entries:
                entries.extractall(target / "root", numeric_owner=True)
    (target / "config.json").write_text(json.dumps(config, indent=2))


def require(found, expected, what: str) -> None:
    if found != expected:
        raise SystemExit(f"unpack.py: {what}: expected {expected}, found {found}")


main()

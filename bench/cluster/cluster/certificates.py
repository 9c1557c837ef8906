"""Certificates of the hosts for mTLS, made by openssl."""

import subprocess
from pathlib import Path
from typing import List


class Certificates:
    """An authority, and certificates that it signs; all are valid for a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.token = folder / "token"
        self.token.touch(mode=0o600)
        self.token.write_text("a secret of one run\n", encoding="utf-8")
        self._authority = self._self_signed("authority")

    def _self_signed(self, name: str) -> Path:
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"),
            *("-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate)),
        )
        return certificate

    def flags(self, name: str, address: str) -> List[str]:
        """Returns the flags of a server with a certificate of its own, which accepts those of the authority only."""
        key, request, certificate = (self._folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName=IP:{address}\n", encoding="utf-8")
        _openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}"),
            *("-keyout", str(key), "-out", str(request)),
        )
        _openssl(
            *("x509", "-req", "-in", str(request), "-CA", str(self._authority), "-days", "1", "-CAcreateserial"),
            *("-CAkey", str(self._authority.with_suffix(".key")), "-extfile", str(extensions), "-out", str(certificate)),
        )
        return [
            *("--shard-tls-cert", str(certificate), "--shard-tls-key", str(key)),
            *("--shard-tls-ca", str(self._authority), "--shard-token-file", str(self.token)),
        ]


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)

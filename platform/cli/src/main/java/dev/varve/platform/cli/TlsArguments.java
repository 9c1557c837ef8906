package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.http.tls.TlsSource;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

/** Options of the server's TLS certificate. */
final class TlsArguments {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description =
                    "Certificate of the server (PEM), followed by its intermediate certificates:"
                        + " the server uses HTTPS. Needs --tls-key. The server loads new files as"
                        + " soon as both are replaced.",
            order = 14)
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Private key of that certificate (PEM, without a password).",
            order = 14)
    private Optional<Path> key = Optional.empty();

    /**
     * Reads the files.
     *
     * @throws UsageException if only one of them was given
     * @throws dev.varve.api.VarveException if the files cannot be used
     */
    Optional<TlsSource> source() {
        if (certificate.isPresent() != key.isPresent()) {
            throw new UsageException(
                    "--tls-cert and --tls-key: expected both or none, found only "
                            + (key.isPresent() ? "the key" : "the certificate"));
        }
        return certificate.map(chain -> read(chain, key.orElseThrow()));
    }

    private static TlsSource read(Path certificate, Path key) {
        try {
            return TlsSource.read(certificate, key);
        } catch (VarveException e) {
            boolean ofKey = e.getMessage().startsWith(key + ": ");
            throw new VarveException(
                    e.kind(), (ofKey ? "--tls-key: " : "--tls-cert: ") + e.getMessage(), e);
        }
    }
}

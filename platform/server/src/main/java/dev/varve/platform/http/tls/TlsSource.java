package dev.varve.platform.http.tls;

import java.nio.file.Path;
import java.time.Instant;

/**
 * Files of a certificate and its key, which were read once and found to be right.
 *
 * <p>They may be replaced while the server runs.
 */
public final class TlsSource {
    private final Path certificate;
    private final Path key;
    private final FileStamps stamps;
    private final ServerIdentity identity;

    private TlsSource(Path certificate, Path key) {
        this.certificate = certificate;
        this.key = key;
        // First: what changes while it is read counts as changed.
        stamps = stampsNow();
        identity = read();
    }

    /**
     * Reads the files.
     *
     * @param certificate the server's certificate, and behind it those that vouch for it (PEM)
     * @param key its private key (PEM, without a password)
     * @throws dev.varve.api.VarveException that names the file which cannot be read, is no
     *     certificate or key, has expired, or does not belong to the other
     */
    public static TlsSource read(Path certificate, Path key) {
        return new TlsSource(certificate, key);
    }

    /** What the files are now. */
    FileStamps stampsNow() {
        return FileStamps.of(certificate, key);
    }

    /** Reads them again. */
    ServerIdentity read() {
        return ServerIdentity.read(certificate, key, Instant.now());
    }

    /** What the files were when they were first read. */
    FileStamps stamps() {
        return stamps;
    }

    /** What they held then. */
    ServerIdentity identity() {
        return identity;
    }
}

package dev.varve.platform.http.tls;

import java.nio.file.Path;
import java.time.Instant;

/**
 * Files of a certificate and its key, which were read once and are valid.
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
        // Taken first, so that a change during reading is detected.
        stamps = stampsNow();
        identity = read();
    }

    /**
     * Reads the files.
     *
     * @param certificate the server's certificate, followed by its issuers' (PEM)
     * @param key its private key (PEM, without a password)
     * @throws dev.varve.api.VarveException that names the file that cannot be read, is not a
     *     certificate or key, has expired, or does not match the other
     */
    public static TlsSource read(Path certificate, Path key) {
        return new TlsSource(certificate, key);
    }

    /** Returns the current stamps of the files. */
    FileStamps stampsNow() {
        return FileStamps.of(certificate, key);
    }

    /** Reads the files again. */
    ServerIdentity read() {
        return ServerIdentity.read(certificate, key, Instant.now());
    }

    /** Returns the stamps of the files when they were first read. */
    FileStamps stamps() {
        return stamps;
    }

    /** Returns the identity that was read first. */
    ServerIdentity identity() {
        return identity;
    }
}

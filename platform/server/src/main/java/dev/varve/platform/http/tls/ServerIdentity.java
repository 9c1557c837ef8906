package dev.varve.platform.http.tls;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.transport.PemKey;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.List;

/**
 * A certificate and its private key, checked to belong together.
 *
 * @param chain the server's certificate, followed by its issuers'
 */
record ServerIdentity(List<X509Certificate> chain, PrivateKey key) {
    private static final int MOST_BYTES = 1 << 20;
    private static final byte[] PROBE = "varve".getBytes(StandardCharsets.UTF_8);

    /**
     * Reads and checks both files.
     *
     * @throws VarveException that names the invalid file and the reason
     */
    static ServerIdentity read(Path certificate, Path key, Instant now) {
        List<X509Certificate> chain = certificates(certificate);
        X509Certificate own = chain.getFirst();
        checkTime(own, certificate, now);
        PrivateKey secret;
        try {
            secret = PemKey.parse(text(key), own.getPublicKey());
        } catch (GeneralSecurityException e) {
            // A message must not contain parts of a key, so other libraries' messages are not
            // repeated.
            String words =
                    e.getClass() == InvalidKeyException.class
                            ? e.getMessage()
                            : "found another kind, or an invalid key";
            throw corrupt(
                    key,
                    "expected a private key (PEM, without a password) of the kind "
                            + own.getPublicKey().getAlgorithm()
                            + ", like the certificate's: "
                            + words,
                    e);
        }
        if (!belong(secret, own.getPublicKey(), certificate)) {
            throw corrupt(
                    key,
                    "expected the key of the first of "
                            + chain.size()
                            + " certificates in "
                            + certificate
                            + ", found another key",
                    null);
        }
        return new ServerIdentity(chain, secret);
    }

    private static List<X509Certificate> certificates(Path file) {
        byte[] bytes = bytes(file);
        try {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(bytes));
            if (found.isEmpty()) {
                throw new CertificateException("found none");
            }
            return found.stream().map(X509Certificate.class::cast).toList();
        } catch (CertificateException e) {
            throw corrupt(file, "expected certificates (PEM), found none, or an invalid one", e);
        }
    }

    private static void checkTime(X509Certificate own, Path file, Instant now) {
        try {
            own.checkValidity(Date.from(now));
        } catch (CertificateExpiredException e) {
            throw corrupt(file, "the certificate expired on " + own.getNotAfter().toInstant(), e);
        } catch (CertificateException e) {
            throw corrupt(
                    file,
                    "the certificate is not valid before " + own.getNotBefore().toInstant(),
                    e);
        }
    }

    /** Returns whether the certificate verifies a signature of the key. */
    private static boolean belong(PrivateKey secret, PublicKey open, Path certificate) {
        String algorithm =
                switch (open.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    case "EdDSA" -> "EdDSA";
                    default ->
                            throw corrupt(
                                    certificate,
                                    "expected a key of the kind RSA, EC or EdDSA, found "
                                            + open.getAlgorithm(),
                                    null);
                };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(secret);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // Keys of different curves: the signature cannot be verified.
            return false;
        }
    }

    private static String text(Path file) {
        return new String(bytes(file), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw corrupt(file, "expected at most " + MOST_BYTES + " bytes", null);
            }
            return bytes;
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    private static VarveException corrupt(Path file, String words, Exception cause) {
        return new VarveException(VarveException.Kind.CORRUPT_FILE, file + ": " + words, cause);
    }

    /** Returns an in-memory key store with only this identity. */
    KeyStore keyStore(char[] password) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, password);
            store.setKeyEntry("server", key, password, chain.toArray(Certificate[]::new));
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError("every Java platform has in-memory key stores", e);
        }
    }

    /** Returns the certificate's subject and expiry. */
    String description() {
        X509Certificate own = chain.getFirst();
        return own.getSubjectX500Principal().getName()
                + ", valid until "
                + own.getNotAfter().toInstant();
    }

    /** Keeps the key out of logs. */
    @Override
    public String toString() {
        return description();
    }
}

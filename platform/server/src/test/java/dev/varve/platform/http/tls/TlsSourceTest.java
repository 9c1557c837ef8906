package dev.varve.platform.http.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** Which files are a certificate and its key, and what is said of others. */
class TlsSourceTest {
    @TempDir static Path folder;

    private static TestCertificates certificates;
    private static TestCertificates.Pair ec;
    private static TestCertificates.Pair rsa;

    @BeforeAll
    static void make() throws Exception {
        certificates = new TestCertificates(folder);
        ec = certificates.make("ec", "EC");
        rsa = certificates.make("rsa", "RSA");
    }

    @Test
    void keysOfAllKindsAreRead() throws Exception {
        TestCertificates.Pair edwards = certificates.make("edwards", "Ed25519");
        for (TestCertificates.Pair pair : new TestCertificates.Pair[] {ec, rsa, edwards}) {
            ServerIdentity identity = TlsSource.read(pair.certificate(), pair.key()).identity();

            assertEquals(pair.secret(), identity.key());
            assertEquals(pair.shown(), identity.chain().getFirst());
            assertTrue(identity.toString().startsWith("CN="), identity.toString());
        }
    }

    @Test
    void olderKeyFormatsAreReadToo() throws Exception {
        Path oldRsa = certificates.write("old-rsa", "RSA PRIVATE KEY", rsa.olderKey());
        Path oldEc = certificates.write("old-ec", "EC PRIVATE KEY", ec.olderKey());
        // As openssl writes it.
        Files.writeString(
                oldEc,
                "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
                        + Files.readString(oldEc));

        assertEquals(rsa.secret(), TlsSource.read(rsa.certificate(), oldRsa).identity().key());
        assertEquals(ec.secret(), TlsSource.read(ec.certificate(), oldEc).identity().key());
    }

    @Test
    void chainIsSentAsAWhole() throws Exception {
        Path chain =
                Files.writeString(
                        folder.resolve("chain.pem"),
                        "of the server\n"
                                + Files.readString(ec.certificate())
                                + Files.readString(rsa.certificate()));

        assertEquals(2, TlsSource.read(chain, ec.key()).identity().chain().size());
        assertFails(chain, rsa.key(), "rsa-key.pem: expected a private key");
    }

    @Test
    void faultyFileIsNamedWithTheReason() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "nothing of this kind");
        Path empty = Files.writeString(folder.resolve("empty"), "");
        Path missing = folder.resolve("missing");
        Path locked = folder.resolve("locked");
        Files.writeString(
                locked, Files.readString(ec.key()).replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"));
        Path cut = folder.resolve("cut");
        Files.writeString(cut, Files.readString(ec.key()).replaceFirst("(?s)\n.{20}", "\n"));

        assertFails(missing, ec.key(), "missing: cannot be read: no such file");
        assertFails(text, ec.key(), "text: expected certificates (PEM)");
        assertFails(empty, ec.key(), "empty: expected certificates (PEM)");
        assertFails(ec.certificate(), missing, "missing: cannot be read: no such file");
        assertFails(ec.certificate(), text, "text: expected a private key", "no PRIVATE KEY");
        assertFails(ec.certificate(), locked, "locked: expected", "encrypted");
        assertFails(ec.certificate(), cut, "cut: expected a private key", "invalid key");
        assertFails(ec.certificate(), rsa.key(), "rsa-key.pem: expected", "the kind EC");
    }

    @Test
    void mismatchedKeysAreRefused() throws Exception {
        TestCertificates.Pair other = certificates.make("other", "EC");
        TestCertificates.Pair curve = certificates.make("curve", "secp384r1");

        assertFails(
                ec.certificate(),
                other.key(),
                "other-key.pem: expected the key of the first",
                "ec.pem");
        assertFails(
                ec.certificate(),
                curve.key(),
                "curve-key.pem: expected the key of the first",
                "ec.pem");
    }

    @Test
    void certificateMustBeValidNow() throws Exception {
        TestCertificates.Pair old = certificates.makeValid("old", -3, 1);
        TestCertificates.Pair early = certificates.makeValid("early", 3, 9);

        assertFails(old.certificate(), old.key(), "old.pem: the certificate expired on ");
        assertFails(
                early.certificate(), early.key(), "early.pem: the certificate is not valid before");
    }

    private static void assertFails(Path certificate, Path key, String... words) {
        VarveException failure =
                assertThrows(VarveException.class, () -> TlsSource.read(certificate, key));
        for (String word : words) {
            assertTrue(failure.getMessage().contains(word), failure.getMessage());
        }
    }
}

package dev.varve.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates and authorities of a test, made in this process: the JDK's keytool takes a second
 * for each.
 */
public final class TestCertificates {
    private static final Duration VALIDITY = Duration.ofDays(90);
    private static final String HERE = "ip:127.0.0.1";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Tags of DER within a certificate. */
    private static final int NULL = 0x05;

    private static final int HOST_NAME = 0x82;
    private static final int ADDRESS = 0x87;
    private static final int VERSION = 0xA0;
    private static final int EXTENSIONS = 0xA3;

    private final Map<String, Made> authorities = new HashMap<>();
    private final Path folder;

    private record Made(X509Certificate shown, PrivateKey secret) {}

    /** A certificate, its key, and a file of each. */
    public record Pair(Path certificate, Path key, X509Certificate shown, PrivateKey secret) {
        /** TLS of a client that trusts it alone. */
        public SSLContext client() throws Exception {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("server", shown);
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        }

        /**
         * The key in the form that RSA and EC had before PKCS 8: the last element of the sequence
         * there.
         */
        public byte[] olderKey() {
            byte[] der = secret.getEncoded();
            int at = content(der, 0);
            at = end(der, at);
            at = end(der, at);
            return Arrays.copyOfRange(der, content(der, at), end(der, at));
        }

        private static int content(byte[] der, int at) {
            int first = der[at + 1] & 0xFF;
            return at + (first < 0x80 ? 2 : 2 + (first & 0x7F));
        }

        private static int end(byte[] der, int at) {
            int content = content(der, at);
            int length = 0;
            for (int i = content == at + 2 ? at + 1 : at + 2; i < content; i++) {
                length = length << 8 | der[i] & 0xFF;
            }
            return content + length;
        }
    }

    /**
     * Certificates whose files are in a folder.
     *
     * @param folder for a file of each certificate and of each key
     */
    public TestCertificates(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns a new self-signed certificate for 127.0.0.1.
     *
     * @param kind of its key: EC, RSA, Ed25519, or the name of a curve
     */
    public Pair make(String name, String kind) throws Exception {
        return written(
                name, selfSigned(name, kind, Instant.now(), VALIDITY, alternativeNames(HERE)));
    }

    /**
     * The same for a key of kind EC and a time that is not around now.
     *
     * @param begin days from now at which it becomes valid, negative before now
     * @param days for which it is valid then
     */
    public Pair makeValid(String name, int begin, int days) throws Exception {
        Instant from = Instant.now().plus(Duration.ofDays(begin));
        return written(
                name, selfSigned(name, "EC", from, Duration.ofDays(days), alternativeNames(HERE)));
    }

    /** A new authority. */
    public Pair authority(String name) throws Exception {
        byte[] constraints = DerOutput.sequence(DerOutput.yes());
        byte[] extension =
                DerOutput.sequence(
                        DerOutput.identifier("2.5.29.19"),
                        DerOutput.yes(),
                        DerOutput.octets(constraints));
        Made made = selfSigned(name, "EC", Instant.now(), VALIDITY, extension);
        authorities.put(name, made);
        return written(name, made);
    }

    /**
     * A new certificate that an authority signs.
     *
     * @param names names or addresses of its host, separated by commas, such as {@code
     *     dns:localhost}
     */
    public Pair signed(String name, String authority, String names) throws Exception {
        Made issuer = authorities.get(authority);
        KeyPair keys = keys("EC");
        Instant now = Instant.now();
        X509Certificate shown =
                signed(
                        issuer.secret(),
                        content(
                                algorithm(issuer.secret()),
                                named(authority),
                                validity(now, VALIDITY),
                                named(name),
                                keys.getPublic(),
                                alternativeNames(names)));
        return written(name, new Made(shown, keys.getPrivate()));
    }

    private static Made selfSigned(
            String name, String kind, Instant from, Duration time, byte[] extension)
            throws Exception {
        KeyPair keys = keys(kind);
        X509Certificate shown =
                signed(
                        keys.getPrivate(),
                        content(
                                algorithm(keys.getPrivate()),
                                named(name),
                                validity(from, time),
                                named(name),
                                keys.getPublic(),
                                extension));
        return new Made(shown, keys.getPrivate());
    }

    private static KeyPair keys(String kind) throws GeneralSecurityException {
        KeyPairGenerator generator;
        switch (kind) {
            case "RSA" -> {
                generator = KeyPairGenerator.getInstance(kind);
                generator.initialize(2048);
            }
            case "Ed25519" -> generator = KeyPairGenerator.getInstance(kind);
            default -> {
                generator = KeyPairGenerator.getInstance("EC");
                String curve = kind.equals("EC") ? "secp256r1" : kind;
                generator.initialize(new ECGenParameterSpec(curve));
            }
        }
        return generator.generateKeyPair();
    }

    private static byte[] algorithm(PrivateKey key) {
        return switch (key.getAlgorithm()) {
            case "EC" -> DerOutput.sequence(DerOutput.identifier("1.2.840.10045.4.3.2"));
            case "RSA" ->
                    DerOutput.sequence(
                            DerOutput.identifier("1.2.840.113549.1.1.11"), DerOutput.element(NULL));
            default -> DerOutput.sequence(DerOutput.identifier("1.3.101.112"));
        };
    }

    private static byte[] named(String name) {
        return DerOutput.sequence(
                DerOutput.set(
                        DerOutput.sequence(DerOutput.identifier("2.5.4.3"), DerOutput.text(name))));
    }

    private static byte[] validity(Instant from, Duration time) {
        return DerOutput.sequence(DerOutput.time(from), DerOutput.time(from.plus(time)));
    }

    private static byte[] alternativeNames(String names) throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (String each : names.split(",")) {
            String value = each.substring(each.indexOf(':') + 1);
            all.add(
                    each.startsWith("ip:")
                            ? DerOutput.element(ADDRESS, InetAddress.ofLiteral(value).getAddress())
                            : DerOutput.element(
                                    HOST_NAME, value.getBytes(StandardCharsets.US_ASCII)));
        }
        return DerOutput.sequence(
                DerOutput.identifier("2.5.29.17"),
                DerOutput.octets(DerOutput.sequence(all.toArray(byte[][]::new))));
    }

    /** Encodes the part of a certificate (version 3) that the issuer signs. */
    private static byte[] content(
            byte[] algorithm,
            byte[] issuer,
            byte[] validity,
            byte[] subject,
            PublicKey key,
            byte[] extension) {
        return DerOutput.sequence(
                DerOutput.element(VERSION, DerOutput.integer(BigInteger.TWO)),
                DerOutput.integer(new BigInteger(63, RANDOM).add(BigInteger.ONE)),
                algorithm,
                issuer,
                validity,
                subject,
                key.getEncoded(),
                DerOutput.element(EXTENSIONS, DerOutput.sequence(extension)));
    }

    private static X509Certificate signed(PrivateKey key, byte[] content) throws Exception {
        Signature signature =
                Signature.getInstance(
                        switch (key.getAlgorithm()) {
                            case "EC" -> "SHA256withECDSA";
                            case "RSA" -> "SHA256withRSA";
                            default -> "Ed25519";
                        });
        signature.initSign(key);
        signature.update(content);
        byte[] all = DerOutput.sequence(content, algorithm(key), DerOutput.bits(signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(all));
    }

    private Pair written(String name, Made made) throws Exception {
        return new Pair(
                write(name + ".pem", "CERTIFICATE", made.shown().getEncoded()),
                write(name + "-key.pem", "PRIVATE KEY", made.secret().getEncoded()),
                made.shown(),
                made.secret());
    }

    /** Writes a file of a name with content in PEM. */
    public Path write(String name, String type, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}

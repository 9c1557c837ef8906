package dev.varve.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates and authorities of a test, made with the JDK's keytool. */
public final class TestCertificates {
    private static final char[] PASSWORD = "of the test".toCharArray();

    /** Keys of other tests in this process, by their request: keytool takes a second. */
    private static final Map<List<String>, Made> MADE = new ConcurrentHashMap<>();

    /** Requests of this test; a repeated request gets another certificate. */
    private final Set<List<String>> asked = new HashSet<>();

    private final Path folder;
    private final Path store;

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

    public TestCertificates(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("keys.p12");
    }

    /**
     * Returns a new self-signed certificate for 127.0.0.1.
     *
     * @param kind of its key: EC, RSA or Ed25519
     * @param more options of keytool
     */
    public Pair make(String name, String kind, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of("-ext", "san=ip:127.0.0.1"));
        options.addAll(List.of(more));
        List<String> all = new ArrayList<>(List.of(name, kind));
        all.addAll(options);
        boolean first = asked.add(all);
        Made known = MADE.get(all);
        if (first && known != null) {
            return written(name, known);
        }
        Pair made = generate(name, kind, options);
        MADE.putIfAbsent(all, new Made(made.shown(), made.secret()));
        return made;
    }

    /** A new authority. */
    public Pair authority(String name) throws Exception {
        return generate(name, "EC", List.of("-ext", "bc:c"));
    }

    /**
     * A new certificate that an authority signs.
     *
     * @param names names or addresses of its host, such as {@code dns:localhost}
     */
    public Pair signed(String name, String authority, String names) throws Exception {
        return generate(name, "EC", List.of("-signer", authority, "-ext", "san=" + names));
    }

    private Pair generate(String name, String kind, List<String> options) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-J-XX:+UseSerialGC",
                                "-genkeypair",
                                "-keystore",
                                store.toString(),
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                new String(PASSWORD),
                                "-keyalg",
                                kind,
                                "-alias",
                                name,
                                "-dname",
                                "CN=" + name));
        if (kind.equals("RSA")) {
            // keytool's default of 3,072 bits takes seconds.
            command.addAll(List.of("-keysize", "2048"));
        }
        command.addAll(options);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool: " + output);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        X509Certificate shown = (X509Certificate) keys.getCertificateChain(name)[0];
        return written(name, new Made(shown, (PrivateKey) keys.getKey(name, PASSWORD)));
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

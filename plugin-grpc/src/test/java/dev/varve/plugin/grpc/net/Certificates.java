package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.TransportOptions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** Authorities and certificates of a test, made with the JDK's keytool. */
final class Certificates {
    private static final char[] PASSWORD = "of the test".toCharArray();

    private final Path folder;
    private final Path store;

    Certificates(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("keys.p12");
    }

    /** A new authority; returns the file of its certificate. */
    Path authority(String name) throws Exception {
        keytool(name, "-ext", "bc:c");
        return pem(name + ".pem", "CERTIFICATE", certificate(name)[0].getEncoded());
    }

    /** A new certificate that the authority signs, for a host at these names. */
    TransportOptions.Identity signed(String name, String authority, String names) throws Exception {
        keytool(name, "-signer", authority, "-ext", "san=" + names);
        return new TransportOptions.Identity(
                pem(name + ".pem", "CERTIFICATE", certificate(name)[0].getEncoded()),
                pem(name + "-key.pem", "PRIVATE KEY", keys().getKey(name, PASSWORD).getEncoded()));
    }

    private void keytool(String alias, String... more) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keystore",
                                store.toString(),
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                new String(PASSWORD),
                                "-keyalg",
                                "EC",
                                "-alias",
                                alias,
                                "-dname",
                                "CN=" + alias));
        command.addAll(Arrays.asList(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool: " + output);
        }
    }

    private KeyStore keys() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private Certificate[] certificate(String alias) throws Exception {
        return keys().getCertificateChain(alias);
    }

    private Path pem(String name, String type, byte[] content)
            throws IOException, GeneralSecurityException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}

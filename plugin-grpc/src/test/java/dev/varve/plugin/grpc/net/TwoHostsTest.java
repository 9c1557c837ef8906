package dev.varve.plugin.grpc.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Over a link between two network namespaces, as between two machines. */
@Timeout(120)
class TwoHostsTest {
    private static final String TOKEN = "swordfish";

    @TempDir static Path folder;

    private static Optional<Namespace> namespace = Optional.empty();
    private static Path authority;
    private static TransportOptions.Identity server;
    private static TransportOptions options;

    @BeforeAll
    static void makeLink() throws Exception {
        try {
            namespace = Optional.of(Namespace.open());
        } catch (IOException e) {
            Assumptions.abort("network namespaces cannot be made here: " + e.getMessage());
        }
        TestCertificates certificates = new TestCertificates(folder);
        authority = certificates.authority("ca").certificate();
        server = Identities.of(certificates.signed("server", "ca", "ip:" + Namespace.THERE));
        options =
                new TransportOptions(
                        Duration.ofSeconds(10),
                        Optional.of(
                                Identities.of(certificates.signed("client", "ca", "dns:client"))),
                        Optional.of(authority),
                        Optional.of(TOKEN),
                        false);
    }

    @AfterAll
    static void removeLink() {
        namespace.ifPresent(Namespace::close);
    }

    @Test
    void remoteShardIsReachedAndItsSilenceDetected() throws Exception {
        Process process =
                namespace
                        .orElseThrow()
                        .start(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-Xmx128m",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        EchoProcess.class.getName(),
                                        Namespace.THERE + ":0",
                                        server.certificate().toString(),
                                        server.key().toString(),
                                        authority.toString(),
                                        TOKEN));
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String target = lines.readLine().substring("grpc:".length());
            assertThrows(
                    IOException.class,
                    () -> new NetworkTransport().connect(target, options.withToken("wrong")));
            try (Connection connection = new NetworkTransport().connect(target, options)) {
                assertArrayEquals(words(), echo(connection));

                namespace.orElseThrow().cut();
                // Without keep-alive this would wait until the test's limit.
                IOException here =
                        assertThrows(
                                IOException.class, () -> connection.read(ByteBuffer.allocate(1)));

                assertTrue(
                        here.getMessage().startsWith("grpc:" + target + ": the connection broke: "),
                        here.getMessage());
                String there = lines.readLine();
                assertTrue(
                        there.startsWith("ended: grpc:" + Namespace.HERE)
                                && there.contains("broke"),
                        there);
                assertEquals(0, process.waitFor());
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private static byte[] words() {
        byte[] words = new byte[1 << 20];
        new Random(4711).nextBytes(words);
        return words;
    }

    private static byte[] echo(Connection connection) throws IOException {
        byte[] sent = words();
        byte[] received = new byte[sent.length];
        for (int at = 0; at < sent.length; at += 1024) {
            connection.write(ByteBuffer.wrap(sent, at, 1024));
            connection.read(ByteBuffer.wrap(received, at, 1024));
        }
        return received;
    }
}

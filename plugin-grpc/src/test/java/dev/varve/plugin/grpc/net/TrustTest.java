package dev.varve.plugin.grpc.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A listener and a client accept trusted peers only, and report why they refuse a connection. */
@Timeout(60)
class TrustTest {
    private static final String TOKEN = "swordfish, ünïcode";

    @TempDir static Path folder;

    private static TestCertificates certificates;
    private static TestCertificates.Pair pair;
    private static Path authority;
    private static Path otherAuthority;
    private static TransportOptions.Identity server;
    private static TransportOptions.Identity client;
    private static TransportOptions.Identity stranger;
    private static TransportOptions.Identity elsewhere;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new TestCertificates(folder);
        authority = certificates.authority("ca").certificate();
        otherAuthority = certificates.authority("other-ca").certificate();
        pair = certificates.signed("server", "ca", "ip:127.0.0.1,dns:localhost");
        server = Identities.of(pair);
        client = Identities.of(certificates.signed("client", "ca", "dns:client"));
        stranger = Identities.of(certificates.signed("stranger", "other-ca", "ip:127.0.0.1"));
        elsewhere = Identities.of(certificates.signed("elsewhere", "ca", "dns:elsewhere.example"));
    }

    private static TransportOptions options(
            Optional<TransportOptions.Identity> identity, Optional<Path> trusted) {
        return new TransportOptions(
                Duration.ofSeconds(10), identity, trusted, Optional.empty(), false);
    }

    private static final TransportOptions NOTHING = TransportOptions.defaults();

    private static TransportOptions identity(TransportOptions.Identity identity) {
        return options(Optional.of(identity), Optional.empty());
    }

    private static TransportOptions trusting(Path file) {
        return options(Optional.empty(), Optional.of(file));
    }

    private static TransportOptions mutual(TransportOptions.Identity identity, Path file) {
        return options(Optional.of(identity), Optional.of(file));
    }

    private static TransportOptions insecure() {
        return new TransportOptions(
                Duration.ofSeconds(10), Optional.empty(), Optional.empty(), Optional.empty(), true);
    }

    /** Why a client cannot connect; always with the address. */
    private static String refusal(TransportOptions listening, TransportOptions connecting)
            throws IOException {
        NetworkTransport transport = new NetworkTransport();
        try (Listener listener = transport.listen("127.0.0.1:0", listening)) {
            IOException e =
                    assertThrows(
                            IOException.class,
                            () -> transport.connect(Pair.target(listener), connecting).close());
            String start = listener.address() + ": ";
            assertTrue(e.getMessage().startsWith(start), e.getMessage());
            return e.getMessage().substring(start.length());
        }
    }

    private static void assertContains(String expected, String actual) {
        assertTrue(actual.contains(expected), actual);
    }

    @Test
    void plainTextWorksOnLoopback() throws Exception {
        try (Pair pair = Pair.open(NOTHING)) {
            assertTrue(pair.talks());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "localhost:0"})
    void clientThatTrustsTheAuthorityConnectsOverTls(String address) throws Exception {
        try (Pair pair = Pair.open(address, identity(server), trusting(authority))) {
            assertTrue(pair.talks());
        }
    }

    @Test
    void bothSidesShowCertificates() throws Exception {
        TransportOptions listening = mutual(server, authority).withToken(TOKEN);
        TransportOptions connecting = mutual(client, authority).withToken(TOKEN);

        try (Pair pair = Pair.open("127.0.0.1:0", listening, connecting)) {
            assertTrue(pair.talks());
        }
    }

    /** Keys in the default format of cert-manager and openssl. */
    @Test
    void olderKeyFormatsAreAccepted() throws Exception {
        Path key = certificates.write("old-key.pem", "EC PRIVATE KEY", pair.olderKey());
        TransportOptions.Identity older = new TransportOptions.Identity(server.certificate(), key);

        try (Pair both =
                Pair.open("127.0.0.1:0", mutual(older, authority), mutual(older, authority))) {
            assertTrue(both.talks());
        }
    }

    @Test
    void serverWithUntrustedCertificateIsRefused() throws Exception {
        assertContains(
                "not trusted (--shard-tls-ca)",
                refusal(identity(server), trusting(otherAuthority)));
    }

    @Test
    void systemAuthoritiesAreUsedByDefault() throws Exception {
        assertContains("not trusted (--shard-tls-ca)", refusal(identity(server), identity(client)));
    }

    @Test
    void certificateForAnotherHostIsRefused() throws Exception {
        assertContains("not trusted", refusal(identity(elsewhere), trusting(authority)));
    }

    @Test
    void clientWithUntrustedCertificateIsRefused() throws Exception {
        assertContains(
                "refused the certificate of this side",
                refusal(mutual(server, authority), mutual(stranger, authority)));
    }

    @Test
    void clientWithoutARequiredCertificateIsRefused() throws Exception {
        assertContains("--shard-tls-cert", refusal(mutual(server, authority), trusting(authority)));
    }

    @Test
    void wrongTokenIsRefused() throws Exception {
        assertContains(
                "token is wrong",
                refusal(NOTHING.withToken(TOKEN), NOTHING.withToken("swordfish")));
    }

    @Test
    void missingTokenIsRefused() throws Exception {
        assertContains("--shard-token-file", refusal(NOTHING.withToken(TOKEN), NOTHING));
    }

    @Test
    void rightTokenIsAccepted() throws Exception {
        try (Pair pair = Pair.open(NOTHING.withToken(TOKEN))) {
            assertTrue(pair.talks());
        }
    }

    @Test
    void plainTextTowardsTlsNamesTheFlag() throws Exception {
        assertContains("expect TLS (--shard-tls-ca)", refusal(identity(server), NOTHING));
    }

    @Test
    void tlsTowardsPlainTextNamesTls() throws Exception {
        assertContains("use TLS?", refusal(NOTHING, trusting(authority)));
    }

    @Test
    void plainTextListenerIsLoopbackOnly() {
        assertRefusedListener(
                NOTHING.withToken(TOKEN),
                "--shard-tls-cert",
                "--shard-tls-key",
                "--shard-tls-ca",
                "--shard-token-file",
                "--shard-insecure");
    }

    @Test
    void tlsListenerWithoutAuthenticationIsLoopbackOnly() {
        assertRefusedListener(
                identity(server), "--shard-tls-ca", "--shard-token-file", "--shard-insecure");
    }

    @Test
    void listenerThatRequiresCertificatesNeedsOne() {
        assertRefusedListener(trusting(authority), "--shard-tls-cert", "--shard-tls-key");
    }

    private static void assertRefusedListener(TransportOptions options, String... flags) {
        VarveException e =
                assertThrows(
                        VarveException.class,
                        () -> new NetworkTransport().listen("0.0.0.0:0", options).close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, e.kind());
        assertContains("grpc:0.0.0.0:0", e.getMessage());
        for (String flag : flags) {
            assertContains(flag, e.getMessage());
        }
    }

    @Test
    void plainTextTowardsOtherMachinesIsRefusedBeforeConnecting() {
        VarveException e =
                assertThrows(
                        VarveException.class,
                        () ->
                                new NetworkTransport()
                                        .connect("192.0.2.1:7700", NOTHING.withToken(TOKEN)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, e.kind());
        assertContains("grpc:192.0.2.1:7700: plain text must not leave", e.getMessage());
        assertContains("--shard-insecure", e.getMessage());
    }

    @Test
    void insecureListenerAcceptsOtherMachines() throws Exception {
        NetworkTransport transport = new NetworkTransport();
        try (Listener listener = transport.listen("0.0.0.0:0", insecure());
                var client =
                        transport.connect(
                                Pair.target(listener).replace("0.0.0.0", "127.0.0.1"), NOTHING);
                var accepted = listener.accept()) {
            Pair.send(client, "x");
            assertEquals("x", Pair.receive(accepted, 1));
        }
    }

    @Test
    void damagedKeyIsNamedWithoutItsContent() throws Exception {
        Path key = Files.writeString(folder.resolve("bad-key.pem"), "secret secret");
        TransportOptions options =
                identity(new TransportOptions.Identity(server.certificate(), key));

        VarveException e =
                assertThrows(
                        VarveException.class,
                        () -> new NetworkTransport().listen("127.0.0.1:0", options));

        assertEquals(VarveException.Kind.CORRUPT_FILE, e.kind());
        assertTrue(e.getMessage().startsWith(key + ": expected a private key"), e.getMessage());
    }

    @Test
    void missingCertificateIsNamed() {
        Path missing = folder.resolve("missing.pem");

        VarveException e =
                assertThrows(
                        VarveException.class,
                        () -> new NetworkTransport().connect("127.0.0.1:7700", trusting(missing)));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, e.kind());
        assertTrue(e.getMessage().startsWith(missing + ": "), e.getMessage());
    }

    @Test
    void refusedConnectionIsReported() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        IOException e =
                assertThrows(
                        IOException.class,
                        () -> new NetworkTransport().connect("127.0.0.1:" + port, NOTHING));

        assertEquals(
                "grpc:127.0.0.1:"
                        + port
                        + ": connection refused; no process listens at this address",
                e.getMessage());
    }

    @Test
    void unknownHostIsNamed() {
        IOException e =
                assertThrows(
                        IOException.class,
                        () -> new NetworkTransport().connect("no-such-host.invalid:1", NOTHING));

        assertContains(
                "grpc:no-such-host.invalid:1: unknown host no-such-host.invalid", e.getMessage());
    }

    @Test
    void silentHostTimesOut() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            TransportOptions impatient =
                    new TransportOptions(
                            Duration.ofMillis(300),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            false);
            IOException e =
                    assertThrows(
                            IOException.class,
                            () -> new NetworkTransport().connect(address, impatient));

            assertEquals("grpc:" + address + ": no response within 300 ms", e.getMessage());
        }
    }

    @Test
    void portInUseIsNamed() throws Exception {
        NetworkTransport transport = new NetworkTransport();
        try (Listener first = transport.listen("127.0.0.1:0", NOTHING)) {
            IOException e =
                    assertThrows(
                            IOException.class, () -> transport.listen(Pair.target(first), NOTHING));

            assertTrue(
                    e.getMessage().startsWith(first.address() + ": cannot listen: "),
                    e.getMessage());
        }
    }
}

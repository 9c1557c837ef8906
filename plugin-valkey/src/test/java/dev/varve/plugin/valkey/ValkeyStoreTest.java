package dev.varve.plugin.valkey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.testkit.Await;
import dev.varve.testkit.RedisServer;
import dev.varve.testkit.StallingProxy;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The store handles a server that is slow, down or full, that requires a password or TLS, or that
 * holds values of other kinds.
 */
@Timeout(60)
class ValkeyStoreTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final String SECRET = "open-sesame-4711";
    private static RedisServer server;
    private static RedisServer locked;

    @BeforeAll
    static void start() throws IOException {
        Assumptions.assumeTrue(
                RedisServer.program().isPresent(), "skipped: no redis-server is installed");
        server = RedisServer.start();
        locked = RedisServer.start("--requirepass", SECRET, "--maxmemory", "3mb");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            locked.close();
        }
    }

    private static SharedStore open(URI uri) {
        return new ValkeyProvider().open(Addresses.of(uri));
    }

    private static ByteBuffer value(int count) {
        return ByteBuffer.wrap(new byte[count]);
    }

    private static List<Integer> sizes(SharedStore store, String... keys) throws IOException {
        List<Integer> sizes = new ArrayList<>();
        store.get(List.of(keys), 1000, LIMIT, (index, value) -> sizes.add(value.remaining()));
        return sizes;
    }

    @Test
    void unresponsiveServerFailsWithinTheTimeoutAndRecovers() throws IOException {
        try (StallingProxy proxy = new StallingProxy(server.port());
                SharedStore store = open(URI.create("redis://127.0.0.1:" + proxy.port()))) {
            store.put("slow", value(3), LIMIT);
            sizes(store, "slow");
            proxy.stall();

            long begin = System.nanoTime();
            IOException get =
                    assertThrows(
                            IOException.class,
                            () -> store.get(List.of("slow"), 9, SHORT, (index, value) -> true));
            assertThrows(IOException.class, () -> store.put("slow", value(1), SHORT));
            assertThrows(IOException.class, () -> store.ping(SHORT));
            long millis = (System.nanoTime() - begin) / 1_000_000;

            assertTrue(millis < 30_000, millis + " ms");
            assertTrue(get.getMessage().contains("no response within 100 ms"), get.getMessage());
            proxy.resume();
            assertEquals(1, sizes(store, "slow").size());
        }
    }

    @Test
    void stoppedServerFailsAndRecovers() throws IOException {
        try (RedisServer mortal = RedisServer.start();
                SharedStore store = open(mortal.uri())) {
            store.put("a", value(3), LIMIT);

            mortal.kill();
            assertThrows(IOException.class, () -> sizes(store, "a"));
            assertThrows(IOException.class, () -> store.ping(LIMIT));
            mortal.restart();

            Await.until(
                    "it is of use",
                    () -> {
                        try {
                            store.put("a", value(4), LIMIT);
                            return true;
                        } catch (IOException e) {
                            return false;
                        }
                    });
            assertEquals(List.of(4, 0), sizes(store, "a", "b"));
        }
    }

    @Test
    void passwordIsRequiredAndNeverShown() throws IOException {
        URI stranger = locked.uri();
        URI wrong = URI.create("redis://:guess-4712@127.0.0.1:" + locked.port());
        try (SharedStore known =
                        new ValkeyProvider().open(Addresses.with(stranger, Optional.of(SECRET)));
                SharedStore inAddress =
                        open(URI.create("redis://:" + SECRET + "@127.0.0.1:" + locked.port()));
                SharedStore none = open(stranger);
                SharedStore mistaken = open(wrong)) {
            known.put("secret", value(5), LIMIT);
            assertEquals(List.of(5), sizes(inAddress, "secret"));

            IOException refused = assertThrows(IOException.class, () -> none.ping(LIMIT));
            IOException guessed = assertThrows(IOException.class, () -> mistaken.ping(LIMIT));

            assertTrue(refused.getMessage().contains("NOAUTH"), refused.getMessage());
            assertFalse(guessed.getMessage().contains("4712"), guessed.getMessage());
            assertFalse(Addresses.of(wrong).toString().contains("4712"));
        }
    }

    @Test
    void serverWithUntrustedCertificateIsRefused(@TempDir Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Path authority = certificates.authority("ca").certificate();
        Path stranger = certificates.authority("other-ca").certificate();
        try (RedisServer here =
                        RedisServer.startWithTls(
                                certificates.signed("here", "ca", "ip:127.0.0.1"));
                RedisServer elsewhere =
                        RedisServer.startWithTls(
                                certificates.signed("elsewhere", "ca", "dns:elsewhere.example"));
                SharedStore trusted = trusting(here.tlsUri(), Optional.of(authority));
                SharedStore unknown = trusting(here.tlsUri(), Optional.empty());
                SharedStore other = trusting(here.tlsUri(), Optional.of(stranger));
                SharedStore misplaced = trusting(elsewhere.tlsUri(), Optional.of(authority));
                SharedStore plain =
                        trusting(
                                URI.create("rediss://127.0.0.1:" + here.port()),
                                Optional.of(authority))) {
            trusted.put("secret", value(900), LIMIT);
            assertEquals(List.of(900), sizes(trusted, "secret"));

            for (SharedStore each : List.of(unknown, other, misplaced, plain)) {
                assertThrows(IOException.class, () -> each.ping(LIMIT));
            }
        }
    }

    private static SharedStore trusting(URI uri, Optional<Path> authority) {
        SharedStoreAddress address = Addresses.of(uri);
        return new ValkeyProvider()
                .open(
                        new SharedStoreAddress(
                                uri,
                                Optional.empty(),
                                authority,
                                address.connectLimit(),
                                address.ttl()));
    }

    @Test
    void fullServerIsReportedAndStillReadable() throws IOException {
        try (SharedStore store =
                new ValkeyProvider().open(Addresses.with(locked.uri(), Optional.of(SECRET)))) {
            store.put("small", value(5), LIMIT);

            IOException full =
                    assertThrows(
                            IOException.class,
                            () -> {
                                for (int i = 0; i < 8; i++) {
                                    store.put("large" + i, value(1 << 20), LIMIT);
                                }
                            });

            assertTrue(full.getMessage().contains("OOM"), full.getMessage());
            assertEquals(List.of(5), sizes(store, "small"));
        }
    }

    @Test
    void valuesExpire() throws IOException {
        try (SharedStore store =
                new ValkeyProvider()
                        .open(
                                new SharedStoreAddress(
                                        server.uri(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Duration.ofSeconds(5),
                                        Duration.ofMillis(1)))) {
            store.put("brief", value(5), LIMIT);
            store.mark("mark", 3, LIMIT);

            Await.until("they are gone", () -> gone(store));
        }
    }

    private static boolean gone(SharedStore store) {
        try {
            return store.has(List.of("brief", "mark"), LIMIT).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Keys are not ours alone. */
    @Test
    void valuesOfOtherTypesAreIgnored() throws IOException {
        try (SharedStore store = open(server.uri())) {
            RawCommands.send(server.port(), "LPUSH list x", "SET text hello", "SADD set y");

            assertEquals(List.of(0, 5, 0), sizes(store, "list", "text", "set"));
            IOException refused =
                    assertThrows(IOException.class, () -> store.mark("list", 1, LIMIT));
            assertTrue(refused.getMessage().contains("WRONGTYPE"), refused.getMessage());
            store.put("list", value(2), LIMIT);
            assertEquals(List.of(2), sizes(store, "list"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:nothing",
                "redis://host/some",
                "redis://host/1?x=y",
                "redis://host/1#x",
                "redis:///1"
            })
    void invalidAddressesAreRefused(String address) {
        VarveException refused =
                assertThrows(VarveException.class, () -> open(URI.create(address)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
    }
}

package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.dist.ChatClient.Answer;
import dev.varve.testkit.Await;
import dev.varve.testkit.RedisServer;
import dev.varve.testkit.StallingProxy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Two servers share a prefix cache and report its contents to routers. */
@Timeout(180)
class SharedCacheIT {
    private static final String SECRET = "open-sesame-4711";
    private static final ChatClient CLIENT = new ChatClient();
    private static RedisServer store;

    @TempDir static Path home;

    @BeforeAll
    static void start() throws IOException {
        Assumptions.assumeTrue(
                RedisServer.program().isPresent(), "skipped: no redis-server is installed");
        store = RedisServer.start("--requirepass", SECRET);
        Files.writeString(home.resolve("password"), SECRET + "\n");
    }

    @AfterAll
    static void stop() {
        CLIENT.close();
        if (store != null) {
            store.close();
        }
    }

    private static Varve.Server serve(int port, Object... more) throws IOException {
        Stream<Object> shared =
                Stream.of(
                        "--shared-cache",
                        "redis://127.0.0.1:" + port + "/0",
                        "--shared-cache-password-file",
                        home.resolve("password"));
        return DemoServer.startFamily(
                new Varve(Varve.INSTALLATION, home),
                "qwen35",
                Stream.concat(shared, Stream.of(more)).toArray());
    }

    @Test
    void secondServerResumesFromThePrefixOfTheFirst() throws Exception {
        try (Varve.Server first = serve(store.port());
                StallingProxy proxy = new StallingProxy(store.port());
                Varve.Server second =
                        serve(
                                proxy.port(),
                                "--target-devices",
                                "cpu:0,cpu:0",
                                "--shared-cache-timeout",
                                "2s")) {
            Answer cold = CLIENT.ask(first, 11, 1);
            assertEquals(0, cold.cached());
            // The server writes all pending cache entries before it ends.
            first.terminate();
            assertTrue(first.ends());

            Answer warm = CLIENT.ask(second, 11, 1);

            assertEquals("shared", warm.source());
            assertEquals(cold.text(), warm.text());
            assertTrue(warm.cached() >= cold.prompt() - 16, warm + " of " + cold);

            proxy.stall();
            Answer alone = CLIENT.ask(second, 12, 1);
            assertEquals(0, alone.cached());
            assertEquals(CLIENT.askCold(second, 12, 1).text(), alone.text());
            assertEquals(0, CLIENT.metric(second, "varve_prefix_shared_up"));
            proxy.resume();
            Await.until(
                    "the store is up", () -> CLIENT.metric(second, "varve_prefix_shared_up") > 0);
        }
    }

    @Test
    @Tag("nightly")
    void serverStartsWithoutItsStoreAndPublishesCacheEvents() throws Exception {
        int gone;
        int events;
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            gone = one.getLocalPort();
            events = other.getLocalPort();
        }
        try (Varve.Server server = serve(gone, "--kv-events", "tcp://127.0.0.1:" + events)) {
            assertEquals(0, CLIENT.ask(server, 11, 1).cached());
            assertEquals(0, CLIENT.metric(server, "varve_prefix_shared_up"));
            try (Socket router = new Socket(InetAddress.getLoopbackAddress(), events)) {
                assertEquals(0xFF, router.getInputStream().read(), "the greeting of ZMTP");
            }
        }
    }

    @Test
    @Tag("nightly")
    void unknownStoreSchemeIsRefusedWithoutShowingThePassword() throws Exception {
        Varve.Outcome outcome =
                new Varve(Varve.INSTALLATION, home)
                        .run(
                                "serve",
                                "--port",
                                0,
                                "--shared-cache",
                                "nowhere://u:" + SECRET + "@h");

        assertEquals(1, outcome.status(), outcome.err());
        assertTrue(outcome.err().contains("nowhere"), outcome.err());
        assertFalse((outcome.out() + outcome.err()).contains(SECRET), outcome.err());
    }
}

package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.dist.ChatClient.Answer;
import dev.varve.testkit.Await;
import dev.varve.testkit.StallingProxy;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** A server has long prompts computed by another one, whose layers are split differently. */
@Timeout(240)
class HandOffIT {
    private static final ChatClient CLIENT = new ChatClient();

    @TempDir static Path home;

    private static Path authority;
    private static TestCertificates.Pair box;

    @BeforeAll
    static void makeCertificates() throws Exception {
        TestCertificates certificates = new TestCertificates(home);
        authority = certificates.authority("ca").certificate();
        box = certificates.signed("box", "ca", "ip:127.0.0.1");
    }

    @AfterAll
    static void stop() {
        CLIENT.close();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Varve.Server prefill(String model, int port) throws IOException {
        return DemoServer.startFamily(
                new Varve(Varve.INSTALLATION, home),
                model,
                "--role",
                "prefill",
                "--prefill-listen",
                "grpcs://127.0.0.1:" + port,
                "--shard-tls-cert",
                box.certificate(),
                "--shard-tls-key",
                box.key(),
                "--shard-token-file",
                token("open-sesame-4711"));
    }

    private static Varve.Server decode(int port, Object... more) throws IOException {
        return decode(port, token("open-sesame-4711"), more);
    }

    private static Varve.Server decode(int port, Path token, Object... more) throws IOException {
        Stream<Object> peer =
                Stream.of(
                        "--role",
                        "decode",
                        "--prefill-peer",
                        "grpcs://127.0.0.1:" + port,
                        "--shard-tls-ca",
                        authority,
                        "--shard-token-file",
                        token,
                        "--hand-off",
                        "always",
                        "--hand-off-min-tokens",
                        256,
                        "--hand-off-timeout",
                        "60s");
        return DemoServer.startFamily(
                new Varve(Varve.INSTALLATION, home),
                "qwen35",
                Stream.concat(peer, Stream.of(more)).toArray());
    }

    private static Path token(String secret) throws IOException {
        Path file = home.resolve(secret);
        if (!Files.exists(file)) {
            Files.writeString(file, secret + "\n");
            file.toFile().setReadable(false, false);
            file.toFile().setReadable(true, true);
            file.toFile().setWritable(false, false);
        }
        return file;
    }

    private static void awaitPeer(Varve.Server server) {
        Await.until("a peer is connected", () -> peers(server) > 0);
    }

    private static double peers(Varve.Server server) {
        try {
            return CLIENT.metric(server, "varve_hand_off_peers");
        } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    private static void awaitLog(Varve.Server server, String text) {
        Await.until("the log has: " + text, () -> hasLogged(server, text));
    }

    private static boolean hasLogged(Varve.Server server, String text) {
        try {
            return server.err().contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One server computes with two shards, the other one with one. */
    @Test
    void promptIsComputedByThePeerAndItsLossIsSurvived() throws Exception {
        int port = freePort();
        try (Varve.Server prefill = prefill("qwen35", port);
                StallingProxy proxy = new StallingProxy(port);
                Varve.Server decode = decode(proxy.port(), "--target-devices", "cpu:0,cpu:0")) {
            awaitPeer(decode);
            Answer local = CLIENT.askCold(decode, 11, 1);
            assertEquals(0, CLIENT.metric(prefill, "varve_prompt_tokens_total"));

            Answer handed = CLIENT.ask(decode, 11, 1);

            assertEquals("peer", handed.source(), handed::toString);
            assertEquals(local.text(), handed.text());
            assertTrue(handed.cached() >= handed.prompt() - 32, handed::toString);
            assertTrue(CLIENT.metric(prefill, "varve_prompt_tokens_total") >= handed.cached());
            assertTrue(CLIENT.metric(decode, "varve_hand_off_read_bytes_total") > 0);

            proxy.stallAfter(64 << 10);
            CompletableFuture<Answer> asked = CompletableFuture.supplyAsync(() -> ask(decode, 12));
            Await.until("the blocks are on their way", proxy::holdsData);
            prefill.kill();
            breakConnections(proxy);
            Answer alone = Await.result(asked);

            assertEquals(0, alone.cached(), alone::toString);
            assertEquals(CLIENT.askCold(decode, 12, 1).text(), alone.text());
            assertEquals(0, CLIENT.metric(decode, "varve_hand_off_peers"));
            assertEquals(2, CLIENT.metric(decode, "varve_hand_off_prompts_total"));
        }
    }

    private static void breakConnections(StallingProxy proxy) throws IOException {
        proxy.close();
    }

    private static Answer ask(Varve.Server server, int system) {
        try {
            return CLIENT.ask(server, system, 1);
        } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void promptStaysIfThePeerHasAnotherModel() throws Exception {
        int port = freePort();
        try (Varve.Server prefill = prefill("gemma4", port);
                Varve.Server decode = decode(port, "--log-level", "info")) {
            awaitLog(decode, "this prefill server has another model");

            Answer local = CLIENT.ask(decode, 11, 1);

            assertEquals(0, local.cached());
            assertEquals(CLIENT.askCold(decode, 11, 1).text(), local.text());
            assertEquals(0, CLIENT.metric(decode, "varve_hand_off_peers"));
            assertEquals(0, CLIENT.metric(prefill, "varve_prompt_tokens_total"));
        }
    }

    @Test
    void promptStaysIfThePeerHasAnotherToken() throws Exception {
        int port = freePort();
        try (Varve.Server prefill = prefill("qwen35", port);
                Varve.Server decode = decode(port, token("guessed-sesame"))) {
            awaitLog(decode, "the token is wrong or missing");

            Answer local = CLIENT.ask(decode, 11, 1);

            assertEquals(0, local.cached());
            assertEquals(0, CLIENT.metric(decode, "varve_hand_off_peers"));
            assertEquals(0, CLIENT.metric(prefill, "varve_prompt_tokens_total"));
        }
    }
}

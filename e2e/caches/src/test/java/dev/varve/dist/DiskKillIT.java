package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The test repeatedly kills a server with a disk cache. The next server continues with its cache.
 */
@Tag("nightly")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class DiskKillIT {
    private static final int KILLS = Integer.getInteger("varve.test.server.kills", 2);
    private static final long SEED = 4711;

    /** A prompt is written within some 100 ms of its answer, if the next one lets it. */
    private static final int MOST_MILLIS = 600;

    /** The head of the prompt that was written before the first kill. */
    private static final int OLDEST = 0;

    @TempDir Path folder;

    private final Random random = new Random(SEED);
    private final ChatClient chat = new ChatClient();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private int heads;
    private Varve varve;

    /** A server without a disk, and the time until it was ready. */
    private Varve.Server cold;

    private Duration coldStart;

    @BeforeEach
    void startCold() throws IOException {
        varve = new Varve(Varve.INSTALLATION, folder);
        long begin = System.nanoTime();
        cold = DemoServer.start(varve);
        coldStart = since(begin);
    }

    @AfterEach
    void stop() {
        cold.close();
        clients.close();
        chat.close();
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @Test
    void killLosesNoTokenAndNoStoredPrefix() throws Exception {
        List<Integer> asked;
        try (Varve.Server server = keeping()) {
            chat.ask(server, OLDEST, 0);
            chat.awaitWritten(server);
            asked = askUntilKilled(server);
        }
        for (int kills = 1; kills <= KILLS; kills++) {
            String when = "seed " + SEED + ", after kill " + kills;
            long begin = System.nanoTime();
            try (Varve.Server server = keeping()) {
                assertQuick(since(begin), when);
                assertEquals("disk", chat.ask(server, OLDEST, 0).source(), when);
                // One that was answered at least in part, and one that was under way.
                for (int head : List.of(asked.getFirst(), asked.getLast())) {
                    assertEquals(
                            chat.askCold(cold, head, 0).text(),
                            chat.ask(server, head, 0).text(),
                            when + ", head " + head);
                }

                if (kills < KILLS) {
                    asked = askUntilKilled(server);
                }
            }
        }
        Varve.Outcome verified =
                varve.run("cache", "verify", "--kv-cache-dir", folder.resolve("kept"));
        assertEquals(0, verified.status(), "seed " + SEED + ": " + verified);
    }

    /** Two seconds more than without a disk; much more on a machine that does other things too. */
    private void assertQuick(Duration start, String when) {
        assertTrue(
                start.compareTo(coldStart.multipliedBy(3).plusSeconds(2)) < 0,
                when + ": ready after " + start + ", without a disk after " + coldStart);
    }

    /** Its budget lets it begin another store now and then, and give up an old one. */
    private Varve.Server keeping() throws IOException {
        return DemoServer.start(
                varve, "--kv-cache-dir", folder.resolve("kept"), "--kv-cache-budget", "64M");
    }

    /**
     * Kills a server some time after it has begun to answer; returns the heads of what it was
     * asked.
     */
    private List<Integer> askUntilKilled(Varve.Server server) throws Exception {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        Future<List<Integer>> asked =
                clients.submit(() -> askUntilItEnds(server, () -> begun.complete(null)));
        begun.get(60, TimeUnit.SECONDS);

        boolean ended = server.endsWithin(Duration.ofMillis(random.nextInt(MOST_MILLIS)));
        assertFalse(ended, "it ended by itself, seed " + SEED + ": " + server.err());
        server.kill();

        return asked.get(60, TimeUnit.SECONDS);
    }

    private List<Integer> askUntilItEnds(Varve.Server server, Runnable atFirstToken)
            throws InterruptedException {
        List<Integer> asked = new ArrayList<>();
        try {
            while (true) {
                heads++;
                asked.add(heads);
                chat.stream(server, heads, 0, atFirstToken);
            }
        } catch (IOException | UncheckedIOException e) {
            return asked;
        }
    }
}

package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.dist.ChatClient.Answer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Servers that are killed while they write computed prompts to disk, again and again. */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class DiskKillIT {
    private static final int KILLS = Integer.getInteger("varve.test.server.kills", 2);

    /** Different heads, of which a store holds a few. */
    private static final int PROMPTS = 8;

    /** Later than any moment at which something is written. */
    private static final int LATEST_MILLIS = 800;

    /** By how much a store that has to be mended may delay a start. */
    private static final Duration DELAY = Duration.ofSeconds(2);

    private static final ChatClient CLIENT = new ChatClient();

    @TempDir static Path home;

    @TempDir static Path folder;

    private static final List<Answer> COLD = new ArrayList<>();

    /** The slowest start without a disk, of some. */
    private static Duration plainStart = Duration.ZERO;

    private record Started(Varve.Server server, Duration time) {}

    private static Started serve(Object... arguments) throws Exception {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        Varve.INSTALLATION.resolve("models/varve-demo-qwen35.gguf"),
                        "--threads",
                        1,
                        "--cache-ram",
                        "64M");
        long start = System.nanoTime();
        Varve.Server server =
                new Varve(Varve.INSTALLATION, home)
                        .serve(Stream.concat(common, Stream.of(arguments)).toArray());
        return new Started(server, Duration.ofNanos(System.nanoTime() - start));
    }

    @BeforeAll
    static void askWithoutADisk() throws Exception {
        for (int start = 0; start < 2; start++) {
            Started started = serve();
            try (Varve.Server server = started.server()) {
                for (int prompt = COLD.size(); prompt < PROMPTS; prompt++) {
                    COLD.add(CLIENT.ask(server, prompt, 1));
                }
            }
            if (started.time().compareTo(plainStart) > 0) {
                plainStart = started.time();
            }
        }
    }

    @AfterAll
    static void stop() {
        CLIENT.close();
    }

    @Test
    void whatAKilledServerLeavesIsRightAndSoonThere() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int fromDisk = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            String when = "kill " + kill + " of seed " + seed;
            // So little that older ones give way.
            Started started =
                    serve("--kv-cache-dir", folder.resolve("kept"), "--kv-cache-budget", "24M");
            Varve.Server server = started.server();
            try {
                assertTrue(
                        started.time().compareTo(plainStart.multipliedBy(3).plus(DELAY)) < 0,
                        when + ": ready after " + started.time() + ", usually " + plainStart);
                int known = random.nextInt(PROMPTS);
                Answer answer = CLIENT.ask(server, known, 1);
                assertEquals(COLD.get(known).text(), answer.text(), when + ": " + answer);
                fromDisk += answer.source().equals("disk") ? 1 : 0;

                CompletableFuture<?> next = CLIENT.submit(server, random.nextInt(PROMPTS), 1);
                new CompletableFuture<Void>()
                        .completeOnTimeout(
                                null, random.nextInt(LATEST_MILLIS), TimeUnit.MILLISECONDS)
                        .join();
                server.kill();
                next.handle((done, failure) -> done).join();
            } finally {
                server.close();
            }
        }
        // Some starts find what the one before had written, or the test tries nothing.
        assertTrue(fromDisk > KILLS / 20, fromDisk + " of " + KILLS + " from disk");
    }
}

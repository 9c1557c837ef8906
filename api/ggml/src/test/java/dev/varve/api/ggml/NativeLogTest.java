package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class NativeLogTest {
    private static final int DEBUG = 1;
    private static final int INFO = 2;
    private static final int WARN = 3;
    private static final int ERROR = 4;
    private static final int CONTINUED = 5;

    private final List<String> lines = new ArrayList<>();
    private final NativeLog log = new NativeLog((level, line) -> lines.add(level + " " + line));

    private void take(int level, String piece) {
        log.take(level, () -> piece);
    }

    @Test
    void firstFragmentSetsTheLevelOfALine() {
        take(WARN, "low on ");
        take(CONTINUED, "memory\n");
        take(INFO, "a\nb\n");
        take(DEBUG, "unseen ");
        take(CONTINUED, "too\n");

        assertEquals(List.of("WARNING low on memory", "DEBUG a", "DEBUG b"), lines);
    }

    @Test
    void unterminatedLineIsEndedByTheNextOne() {
        take(ERROR, "no end");
        take(DEBUG, "detail\n");
        take(WARN, "next\n");

        assertEquals(List.of("ERROR no end", "WARNING next"), lines);
    }

    @Test
    void lineOfAnotherThreadIsIndependent() throws InterruptedException {
        take(ERROR, "it failed: ");
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    take(WARN, "half of ");
                                    take(DEBUG, "chatter\n");
                                });
        other.join();
        take(CONTINUED, "no device\n");

        assertEquals(List.of("WARNING half of", "ERROR it failed: no device"), lines);
    }

    @Test
    void linesOfManyThreadsStayWhole() throws InterruptedException {
        ConcurrentLinkedQueue<String> whole = new ConcurrentLinkedQueue<>();
        NativeLog shared = new NativeLog((level, line) -> whole.add(level + " " + line));
        int threads = 4;
        int each = 2000;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                int level = thread % 2 == 0 ? WARN : DEBUG;
                pool.execute(
                        () -> {
                            for (int i = 0; i < each; i++) {
                                String end = " " + i + "\n";
                                shared.take(level, () -> "thread " + number);
                                shared.take(CONTINUED, () -> end);
                            }
                        });
            }
            pool.shutdown();
            assertTrue(pool.awaitTermination(60, TimeUnit.SECONDS));
        }

        Set<String> expected =
                IntStream.range(0, each)
                        .boxed()
                        .flatMap(i -> Stream.of("WARNING thread 0 " + i, "WARNING thread 2 " + i))
                        .collect(Collectors.toSet());
        assertEquals(expected.size(), whole.size());
        assertEquals(expected, Set.copyOf(whole));
    }
}

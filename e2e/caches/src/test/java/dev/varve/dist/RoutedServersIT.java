package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Two servers behind a client that sends each conversation where its beginning lies. */
@Tag("nightly")
@Timeout(1800)
class RoutedServersIT {
    private static final int CONVERSATIONS = Effort.of(10, 100);
    private static final int TURNS = Effort.of(4, 10);
    private static final int AT_ONCE = 4;
    private static final int TOKENS = 8;
    private static final int WORDS = 30;
    private static final List<String> ALPHABET =
            List.of("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta");
    private static final JsonMapper JSON = new JsonMapper();
    private static final ChatClient CLIENT = new ChatClient();

    @TempDir static Path home;

    @AfterAll
    static void close() {
        CLIENT.close();
    }

    private static Varve.Server serve(Varve varve, String hostCache) throws IOException {
        return varve.serve(
                "--model",
                DemoServer.MODEL,
                "--threads",
                1,
                "--cache-ram",
                hostCache,
                "--cache-type-k",
                "q8_0",
                "--cache-type-v",
                "q8_0");
    }

    /** All that was said, and how much of it was not computed. */
    private record Outcome(List<String> texts, long cached) {}

    private static String words(Random random) {
        return IntStream.range(0, WORDS)
                .mapToObj(i -> ALPHABET.get(random.nextInt(ALPHABET.size())))
                .collect(Collectors.joining(" "));
    }

    private static Outcome converse(RoutingClient router, Runnable atEachAnswer) throws Exception {
        String system = words(new Random(1));
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<Outcome>> all = new ArrayList<>();
            for (int i = 0; i < CONVERSATIONS; i++) {
                Random random = new Random(100 + i);
                all.add(threads.submit(() -> converse(router, system, random, atEachAnswer)));
            }
            List<String> texts = new ArrayList<>();
            long cached = 0;
            for (Future<Outcome> each : all) {
                texts.addAll(each.get().texts());
                cached += each.get().cached();
            }
            return new Outcome(texts, cached);
        }
    }

    private static Outcome converse(
            RoutingClient router, String system, Random random, Runnable atEachAnswer)
            throws InterruptedException {
        ArrayNode messages = JSON.createArrayNode();
        messages.add(ChatClient.message("system", system));
        List<String> texts = new ArrayList<>();
        long cached = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            messages.add(ChatClient.message("user", words(random)));
            ChatClient.Answer answer = router.ask(messages, TOKENS);
            texts.add(answer.text());
            cached += answer.cached();
            atEachAnswer.run();
        }
        return new Outcome(texts, cached);
    }

    @Test
    void twoServersHitLikeOneAndSurviveALoss() throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, home);
        Outcome alone;
        try (Varve.Server only = serve(varve, "2G")) {
            alone = converse(new RoutingClient(CLIENT, List.of(only)), () -> {});
        }
        assertEquals(CONVERSATIONS * TURNS, alone.texts().size());
        try (Varve.Server left = serve(varve, "1G");
                Varve.Server right = serve(varve, "1G")) {
            Outcome both = converse(new RoutingClient(CLIENT, List.of(left, right)), () -> {});

            assertEquals(alone.texts(), both.texts());
            assertTrue(
                    both.cached() >= 0.9 * alone.cached(), both.cached() + " of " + alone.cached());
            for (Varve.Server each : List.of(left, right)) {
                assertTrue(CLIENT.metric(each, "varve_requests_total") > CONVERSATIONS, each.url());
            }

            AtomicInteger answers = new AtomicInteger();
            Outcome survived =
                    converse(
                            new RoutingClient(CLIENT, List.of(left, right)),
                            () -> {
                                if (answers.incrementAndGet() == CONVERSATIONS) {
                                    left.kill();
                                }
                            });

            assertEquals(alone.texts(), survived.texts());
        }
    }
}

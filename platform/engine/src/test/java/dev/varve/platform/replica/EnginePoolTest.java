package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.AdapterFile;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Tests a pool of two engines, and its requests when one of them fails. */
class EnginePoolTest {
    private static final int ANSWER = 40;

    private final PlainReplicas replicas =
            new PlainReplicas(PlainReplicas.options(4, 4 * PlainReplicas.CONTEXT / 256));

    private static ReplicaStatus replica(EnginePool pool, int id) {
        return pool.status().replicas().get(id);
    }

    private static Answer ask(EnginePool pool, GenerationRequest request) {
        Answer answer = new Answer();
        pool.submit(request, answer);
        return answer;
    }

    private static GenerationRequest request(int seed) {
        int[] prompt = PlainReplicas.text(seed, 100 + seed);
        return seed % 2 == 0
                ? PlainReplicas.greedy(prompt, ANSWER)
                : PlainReplicas.drawn(prompt, ANSWER, seed);
    }

    /** Holds all batches of a shard until the test releases them. */
    private static CountDownLatch hold(PlainReplicas.Shard shard) {
        CountDownLatch gate = new CountDownLatch(1);
        shard.trap(batch -> Await.latch(gate));
        return gate;
    }

    @Test
    void replicaThatIsLoadedAgainHasTheCurrentAdapters(@TempDir Path folder) {
        AdapterChange.Add kept = AdapterFile.add(folder, 1);
        AdapterChange removed = new AdapterChange.Remove(0);
        try (EnginePool pool = replicas.pool(2)) {
            pool.adapt(AdapterFile.add(folder, 0)).join();
            pool.adapt(kept).join();
            pool.adapt(removed).join();

            pool.restart(0);
            Await.until("it was loaded again", () -> replica(pool, 0).moves().restarts() == 1);

            assertEquals(List.of(removed, kept), replicas.shard(2).changes);
            assertEquals(removed, replicas.shard(1).changes.getLast());
        }
    }

    @Test
    void promptIsRoutedToItsCachedPrefix() {
        try (EnginePool pool = replicas.pool(2)) {
            int[] first = PlainReplicas.text(1, 200);
            int[] second = PlainReplicas.text(2, 200);
            ask(pool, PlainReplicas.greedy(first, 1)).await();
            ask(pool, PlainReplicas.greedy(second, 1)).await();

            int[] more = PlainReplicas.text(3, 40);
            int cached = 0;
            for (int[] begun : List.of(first, second)) {
                Answer next = ask(pool, PlainReplicas.greedy(PlainReplicas.join(begun, more), 1));
                cached += next.end().tokens().cached();
            }

            assertEquals(400, cached);
            // Figures are published after a step.
            Await.until(
                    "all prompts are counted",
                    () -> pool.status().counts().tokens().prompt() == 880);
            for (int id = 0; id < 2; id++) {
                assertEquals(440, replica(pool, id).tokens().prompt(), "replica " + id);
                assertEquals(200, replica(pool, id).tokens().cachedPrompt(), "replica " + id);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestsOfALostReplicaContinueWithTheSameTokens(boolean lost) {
        List<GenerationRequest> requests =
                IntStream.range(0, 8).mapToObj(EnginePoolTest::request).toList();
        List<List<Integer>> expected = requests.stream().map(PlainReplicas::alone).toList();
        try (EnginePool pool = replicas.pool(2)) {
            CountDownLatch begun = new CountDownLatch(1);
            // Fails in the middle of responses of this replica, while its queue is not empty.
            PlainReplicas.Shard victim = replicas.shard(0);
            int[] batches = {0};
            victim.trap(
                    batch -> {
                        if (++batches[0] == 12) {
                            begun.countDown();
                            if (lost) {
                                victim.lose("the test took it");
                            } else {
                                pool.restart(0);
                            }
                        }
                    });

            List<Answer> answers = requests.stream().map(each -> ask(pool, each)).toList();
            Await.latch(begun);

            for (int i = 0; i < requests.size(); i++) {
                assertEquals(expected.get(i), answers.get(i).await(), "request " + i);
                assertEquals(1, answers.get(i).starts(), "starts of request " + i);
            }
            ReplicaStatus left = replica(pool, 0);
            assertTrue(left.moves().movedRequests() > 0, left.toString());
            Await.until(
                    "each token is counted once",
                    () -> pool.status().counts().tokens().generated() == 8 * ANSWER);
        }
    }

    @Test
    void lostReplicaGetsRequestsAfterRecovery() {
        try (EnginePool pool = replicas.pool(2)) {
            PlainReplicas.Shard victim = replicas.shard(0);
            victim.lose("the test took it");
            // Both replicas have the same cost at first, so one of these requests detects the loss.
            List<Answer> answers =
                    IntStream.range(0, 4).mapToObj(i -> ask(pool, request(i))).toList();
            answers.forEach(Answer::await);
            ReplicaStatus away =
                    Await.value(
                            "the replica is away",
                            () -> replica(pool, 0),
                            status -> status.state() == ReplicaStatus.State.RECOVERING);
            assertTrue(pool.status().canCompute(), "one of two is there");
            assertEquals(1, replicas.shard(1).health().restarts() + 1, away.toString());

            victim.comeBack();

            Await.until("it is back", () -> replica(pool, 0).isReady());
            long before = replica(pool, 0).tokens().prompt();
            answers = IntStream.range(10, 14).mapToObj(i -> ask(pool, request(i))).toList();
            answers.forEach(Answer::await);
            assertTrue(replica(pool, 0).tokens().prompt() > before, "it gets requests");
        }
    }

    @Test
    void brokenReplicaIsReloadedAndKeepsItsCounters() {
        try (EnginePool pool = replicas.pool(2)) {
            List<Answer> answers =
                    IntStream.range(0, 4).mapToObj(i -> ask(pool, request(i))).toList();
            answers.forEach(Answer::await);
            // Figures are published after their step.
            EngineStatus before =
                    Await.value(
                            "all is counted",
                            pool::status,
                            status ->
                                    status.load().running() == 0
                                            && status.counts().tokens().generated() == 4 * ANSWER);

            assertTrue(pool.restart(1));

            Await.until("it was loaded again", () -> replica(pool, 1).moves().restarts() == 1);
            EngineStatus after = Await.value("all are there", pool::status, status -> both(status));
            assertEquals(3, replicas.opened());
            assertEquals(before.counts(), after.counts());
            assertEquals(0, replica(pool, 1).load().running());
            assertEquals(before.slots().total(), after.slots().total());
            assertEquals(8, after.load().parallel());
        }
    }

    @Test
    void shardsKeepNumbersAndCountersWhileTheirReplicaIsDown() {
        try (EnginePool pool = replicas.pool(2)) {
            List<Answer> answers =
                    IntStream.range(0, 4).mapToObj(i -> ask(pool, request(i))).toList();
            answers.forEach(Answer::await);
            EngineStatus before =
                    Await.value(
                            "all is counted",
                            pool::status,
                            status ->
                                    status.load().running() == 0
                                            && status.counts().tokens().generated() == 4 * ANSWER);
            replicas.refuse(new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room"));

            pool.restart(0);

            EngineStatus down =
                    Await.value(
                            "the engine is gone",
                            pool::status,
                            status -> status.load().parallel() == 4);
            assertEquals(2, down.shards().size());
            assertFalse(down.shards().getFirst().isReady());
            assertEquals(
                    "the engine stopped: a restart of the replica was requested",
                    down.shards().getFirst().health().reason().orElse(""));
            assertTrue(down.shards().getLast().isReady());
            assertEquals(forwards(before), forwards(down));
            assertEquals(1, down.shardsOfReplica());
            replicas.resume();
            EngineStatus after = Await.value("all are there", pool::status, status -> both(status));
            assertEquals(List.of(), after.missingShards());
            assertEquals(forwards(before), forwards(after));
        }
    }

    private static List<Long> forwards(EngineStatus status) {
        return status.shards().stream().map(shard -> shard.work().forwards()).toList();
    }

    @Test
    void withoutAnyShardThePoolIsNotReadyAndRequestsWait() {
        try (EnginePool pool = replicas.pool(2)) {
            replicas.shard(0).lose("the test took it");
            replicas.shard(1).lose("the test took it");

            Answer answer = ask(pool, request(1));

            Await.until("requests wait", () -> pool.status().outage().isPresent());
            assertFalse(pool.status().canCompute());
            replicas.shard(0).comeBack();
            replicas.shard(1).comeBack();
            assertEquals(ANSWER, answer.await().size());
            Await.until("all are there", () -> both(pool.status()));
            assertTrue(pool.status().outage().isEmpty());
        }
    }

    private static boolean both(EngineStatus status) {
        return status.replicas().stream().allMatch(ReplicaStatus::isReady);
    }

    @Test
    void repeatedlyFailingStepsTakeAReplicaDownWithoutLosingRequests() {
        GenerationRequest request = request(2);
        List<Integer> expected = PlainReplicas.alone(request);
        try (EnginePool pool = replicas.pool(2)) {
            replicas.shard(0)
                    .trap(
                            batch -> {
                                throw new IllegalStateException("made for the test");
                            });

            for (int i = 0; i < 12 && replicas.opened() == 2; i++) {
                assertEquals(expected, ask(pool, request).await(), "try " + i);
                assertTrue(ask(pool, request(2 * i + 20)).await().size() == ANSWER, "other " + i);
            }

            Await.until("it was loaded again", () -> replicas.opened() == 3);
            Await.until("all are there", () -> both(pool.status()));
        }
    }

    @Test
    void requestThatFailsOnAllReplicasEndsWithItsReason() {
        try (EnginePool pool = replicas.pool(2)) {
            int[] poison = PlainReplicas.text(77, 64);
            for (int i = 0; i < 2; i++) {
                replicas.shard(i)
                        .trap(
                                batch -> {
                                    boolean bad =
                                            batch.chunks().stream()
                                                    .anyMatch(
                                                            chunk ->
                                                                    chunk.tokens().length >= 64
                                                                            && chunk.tokens()[0]
                                                                                    == poison[0]
                                                                            && chunk.tokens()[1]
                                                                                    == poison[1]);
                                    if (bad) {
                                        throw new IllegalStateException("made for the test");
                                    }
                                });
            }

            Answer bad = ask(pool, PlainReplicas.greedy(poison, ANSWER));
            Answer good = ask(pool, request(4));

            VarveException failure =
                    assertInstanceOf(VarveException.class, Await.failure(bad.future()));
            assertEquals(VarveException.Kind.BACKEND_FAILED, failure.kind());
            assertEquals(PlainReplicas.alone(request(4)), good.await());
        }
    }

    @Test
    void withoutReplicasRequestsAreRefusedAndThePoolIsBroken() {
        try (EnginePool pool = replicas.pool(2)) {
            ask(pool, request(1)).await();
            replicas.refuse(
                    new VarveException(VarveException.Kind.OUT_OF_MEMORY, "made for the test"));

            pool.restart(0);
            Await.until("one is out", () -> !replica(pool, 0).isReady());
            assertTrue(pool.status().canCompute());
            assertEquals(ANSWER, ask(pool, request(2)).await().size());
            assertFalse(pool.broken().isDone());
            pool.restart(1);

            VarveException reason = Await.result(pool.broken());
            assertTrue(reason.getMessage().contains("made for the test"), reason.getMessage());
            assertFalse(pool.status().canCompute());
            VarveException refused =
                    assertThrows(VarveException.class, () -> ask(pool, request(3)));
            assertEquals(VarveException.Kind.UNAVAILABLE, refused.kind());
        }
    }

    @Test
    void movedRequestCanBeCancelled() {
        try (EnginePool pool = replicas.pool(2)) {
            CountDownLatch gate = new CountDownLatch(1);
            CountDownLatch held = new CountDownLatch(1);
            replicas.shard(1)
                    .trap(
                            batch -> {
                                held.countDown();
                                Await.latch(gate);
                            });
            int[] batches = {0};
            replicas.shard(0)
                    .trap(
                            batch -> {
                                if (++batches[0] == 4) {
                                    pool.restart(0);
                                }
                            });
            Answer answer = new Answer();
            GenerationHandle generation = pool.submit(request(0), answer);

            Await.latch(held);
            generation.cancel();
            gate.countDown();

            VarveException end =
                    assertInstanceOf(VarveException.class, Await.failure(answer.future()));
            assertEquals(VarveException.Kind.CANCELLED, end.kind());
        }
    }

    @Test
    void drainWaitsForRequestsOnAllReplicas() {
        try (EnginePool pool = replicas.pool(2)) {
            CountDownLatch gate = hold(replicas.shard(0));
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(ask(pool, request(i)));
            }

            assertFalse(pool.drain(Duration.ofMillis(1)), "some are held");
            assertThrows(VarveException.class, () -> ask(pool, request(9)));
            gate.countDown();

            assertTrue(pool.drain(Await.LIMIT));
            answers.forEach(answer -> assertTrue(answer.future().isDone()));
        }
    }

    @Test
    void clearingClearsAllReplicas() {
        try (EnginePool pool = replicas.pool(2)) {
            for (int i = 0; i < 4; i++) {
                ask(pool, request(i)).await();
            }

            Await.result(pool.clearCache());

            assertEquals(0, ask(pool, request(0)).end().tokens().cached());
            assertEquals(List.of(), Await.result(pool.cacheEntries()));
        }
    }
}

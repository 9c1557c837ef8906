package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ReplicaStatus.State;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Tests the drain of replicas: their requests continue on other ones. */
class ReplicaDrainTest {
    private static final int ANSWER = 40;

    private final PlainReplicas replicas =
            new PlainReplicas(PlainReplicas.options(4, 4 * PlainReplicas.CONTEXT / 256));

    private static GenerationRequest request(int seed) {
        int[] prompt = PlainReplicas.text(seed, 100 + seed);
        return seed % 2 == 0
                ? PlainReplicas.greedy(prompt, ANSWER)
                : PlainReplicas.drawn(prompt, ANSWER, seed);
    }

    private static Answer ask(EnginePool pool, GenerationRequest request) {
        Answer answer = new Answer();
        pool.submit(request, answer);
        return answer;
    }

    private static ReplicaControl control(EnginePool pool) {
        return pool.replicaControl().orElseThrow();
    }

    private static ReplicaStatus replica(EnginePool pool, int id) {
        return pool.status().replicas().get(id);
    }

    @Test
    void requestsOfADrainedReplicaContinueElsewhereAfterOneStep() {
        List<GenerationRequest> requests =
                IntStream.range(0, 8).mapToObj(ReplicaDrainTest::request).toList();
        List<List<Integer>> expected = requests.stream().map(PlainReplicas::alone).toList();
        try (EnginePool pool = replicas.pool(2)) {
            CompletableFuture<Void> drained = new CompletableFuture<>();
            AtomicInteger batches = new AtomicInteger();
            CountDownLatch submitted = new CountDownLatch(1);
            replicas.shard(1).trap(batch -> Await.latch(submitted));
            // In the middle of the responses of this replica.
            replicas.shard(0)
                    .trap(
                            batch -> {
                                Await.latch(submitted);
                                if (batches.incrementAndGet() == 12) {
                                    control(pool).drain(0).thenRun(() -> drained.complete(null));
                                }
                            });

            List<Answer> answers = requests.stream().map(each -> ask(pool, each)).toList();
            submitted.countDown();
            Await.result(drained);
            int steps = batches.get();

            for (int i = 0; i < requests.size(); i++) {
                assertEquals(expected.get(i), answers.get(i).await(), "request " + i);
                assertEquals(1, answers.get(i).starts(), "starts of request " + i);
            }
            assertEquals(12, steps, "steps of the drained replica");
            ReplicaStatus left = replica(pool, 0);
            assertEquals(State.DRAINED, left.state(), left.toString());
            assertEquals("an operator drained it", left.reason().orElse(""));
            assertTrue(left.moves().movedRequests() > 0, left.toString());
            assertTrue(pool.status().canCompute());
            Await.until(
                    "each token is counted once",
                    () -> pool.status().counts().tokens().generated() == 8 * ANSWER);
        }
    }

    @Test
    void rollingDrainUnderLoadFailsNoRequest() throws InterruptedException {
        List<GenerationRequest> requests =
                IntStream.range(0, 6).mapToObj(ReplicaDrainTest::request).toList();
        List<List<Integer>> expected = requests.stream().map(PlainReplicas::alone).toList();
        try (EnginePool pool = replicas.pool(2)) {
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger wrong = new AtomicInteger();
            AtomicInteger right = new AtomicInteger();
            List<Thread> clients =
                    IntStream.range(0, requests.size())
                            .mapToObj(
                                    i ->
                                            Thread.ofVirtual()
                                                    .start(
                                                            () -> {
                                                                while (!over.get()) {
                                                                    boolean same =
                                                                            isAnswered(
                                                                                    pool,
                                                                                    requests.get(i),
                                                                                    expected.get(
                                                                                            i));
                                                                    (same ? right : wrong)
                                                                            .incrementAndGet();
                                                                }
                                                            }))
                            .toList();

            for (int round = 0; round < 6; round++) {
                int before = right.get();
                Await.until("clients are served", () -> right.get() + wrong.get() > before + 3);
                Await.result(control(pool).drain(round % 2));
                Await.result(control(pool).resume(round % 2));
            }
            over.set(true);
            for (Thread client : clients) {
                client.join();
            }

            assertEquals(0, wrong.get(), "wrong or failed responses beside " + right);
            assertEquals(8, replicas.opened());
            assertTrue(
                    replica(pool, 0).moves().movedRequests()
                                    + replica(pool, 1).moves().movedRequests()
                            > 0);
        }
    }

    private static boolean isAnswered(
            EnginePool pool, GenerationRequest request, List<Integer> expected) {
        try {
            return ask(pool, request).await().equals(expected);
        } catch (VarveException | AssertionError e) {
            return false;
        }
    }

    @Test
    void drainedReplicaGetsRequestsAgainAfterItIsResumed() {
        try (EnginePool pool = replicas.pool(2)) {
            IntStream.range(0, 4)
                    .mapToObj(i -> ask(pool, request(i)))
                    .toList()
                    .forEach(Answer::await);
            EngineStatus before =
                    Await.value(
                            "all is counted",
                            pool::status,
                            status ->
                                    status.load().running() == 0
                                            && status.counts().tokens().generated() == 4 * ANSWER);
            Await.result(control(pool).drain(1));
            EngineStatus drained = pool.status();
            long others = replica(pool, 1).tokens().prompt();
            IntStream.range(4, 8)
                    .mapToObj(i -> ask(pool, request(i)))
                    .toList()
                    .forEach(Answer::await);
            assertEquals(others, replica(pool, 1).tokens().prompt(), "it gets none");
            assertEquals(before.counts(), drained.counts());
            assertEquals(4, drained.load().parallel());

            Await.result(control(pool).resume(1));

            assertEquals(State.READY, replica(pool, 1).state());
            assertEquals(1, replica(pool, 1).moves().restarts());
            IntStream.range(8, 12)
                    .mapToObj(i -> ask(pool, request(i)))
                    .toList()
                    .forEach(Answer::await);
            Await.until("it gets requests", () -> replica(pool, 1).tokens().prompt() > others);
        }
    }

    @Test
    void lastReplicaThatAcceptsRequestsIsNotDrained() {
        try (EnginePool pool = replicas.pool(2)) {
            CompletableFuture<Void> first = control(pool).drain(0);

            VarveException refused =
                    assertThrows(VarveException.class, () -> control(pool).drain(1));
            Await.result(first);

            assertEquals(VarveException.Kind.UNAVAILABLE, refused.kind());
            assertEquals(
                    "replica 1 cannot be drained: no other replica accepts requests at the moment",
                    refused.getMessage());
            assertEquals(first, control(pool).drain(0), "drained already");
            assertEquals(ANSWER, ask(pool, request(1)).await().size());
        }
    }

    @Test
    void requestsEndOnADrainedReplicaIfNoOtherOneAcceptsThem() {
        GenerationRequest request = request(3);
        List<Integer> expected = PlainReplicas.alone(request);
        try (EnginePool pool = replicas.pool(2)) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch gate = new CountDownLatch(1);
            replicas.shard(0)
                    .trap(
                            batch -> {
                                held.countDown();
                                Await.latch(gate);
                            });
            Answer answer = ask(pool, request);
            Await.latch(held);
            CompletableFuture<Void> drained = control(pool).drain(0);
            assertThrows(VarveException.class, () -> control(pool).resume(0), "it is not drained");
            replicas.refuse(new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room"));
            pool.restart(1);
            Await.until("the other one is down", () -> !replica(pool, 1).isReady());
            assertFalse(drained.isDone());

            gate.countDown();

            assertEquals(expected, answer.await());
            Await.result(drained);
            assertEquals(0, replica(pool, 0).moves().movedRequests());
        }
    }

    @Test
    void failureToLoadAResumedReplicaIsReportedAndTriedAgain() {
        try (EnginePool pool = replicas.pool(2)) {
            Await.result(control(pool).drain(0));
            replicas.refuse(new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room"));

            Throwable failure = Await.failure(control(pool).resume(0));

            assertEquals(
                    "replica 0 cannot be loaded, which is tried again: no room",
                    assertInstanceOf(VarveException.class, failure).getMessage());
            assertEquals(State.DOWN, replica(pool, 0).state());
            replicas.resume();
            Await.until("it is back", () -> replica(pool, 0).isReady());
            Await.result(control(pool).resume(0));
        }
    }

    @Test
    void failedReplicaIsNotLoadedWhileItIsDrained() {
        try (EnginePool pool = replicas.pool(2)) {
            replicas.refuse(new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room"));
            pool.restart(0);
            Await.until("it is down", () -> replica(pool, 0).state() == State.DOWN);

            Await.result(control(pool).drain(0));
            replicas.resume();
            Await.result(control(pool).resume(0));

            assertEquals(3, replicas.opened());
            assertTrue(replica(pool, 0).isReady());
        }
    }

    @Test
    void errorWhileAResumedReplicaIsLoadedIsReported() {
        AtomicBoolean fails = new AtomicBoolean();
        PlainReplicas failing =
                new PlainReplicas(
                        () -> {
                            if (fails.get()) {
                                throw new NoClassDefFoundError("a driver");
                            }
                            return PlainReplicas.options(4, 4);
                        });
        try (EnginePool pool = failing.pool(2)) {
            Await.result(control(pool).drain(0));
            fails.set(true);

            Throwable failure = Await.failure(control(pool).resume(0));

            assertEquals(
                    "replica 0 cannot be loaded, which is tried again: a driver",
                    assertInstanceOf(VarveException.class, failure).getMessage());
            fails.set(false);
            Await.until("it is back", () -> replica(pool, 0).isReady());
        }
    }

    @Test
    void drainEndsAResumptionThatWaitsForAnotherOne() {
        AtomicBoolean blocks = new AtomicBoolean();
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        PlainReplicas slow =
                new PlainReplicas(
                        () -> {
                            if (blocks.get()) {
                                loading.countDown();
                                Await.latch(gate);
                            }
                            return PlainReplicas.options(4, 4);
                        });
        try (EnginePool pool = slow.pool(3)) {
            Await.result(control(pool).drain(0));
            Await.result(control(pool).drain(1));
            blocks.set(true);
            CompletableFuture<Void> other = control(pool).resume(1);
            Await.latch(loading);
            CompletableFuture<Void> resumed = control(pool).resume(0);

            CompletableFuture<Void> drained = control(pool).drain(0);

            assertEquals(
                    "replica 0 was drained again before it was loaded",
                    assertInstanceOf(VarveException.class, Await.failure(resumed)).getMessage());
            gate.countDown();
            Await.result(other);
            Await.result(drained);
            assertEquals(4, slow.opened());
        }
    }

    @Test
    void closedPoolRefusesOrders() {
        EnginePool pool = replicas.pool(2);
        Await.result(control(pool).drain(0));
        pool.close();

        VarveException refused = assertThrows(VarveException.class, () -> control(pool).resume(0));

        assertEquals(VarveException.Kind.UNAVAILABLE, refused.kind());
        assertThrows(VarveException.class, () -> control(pool).drain(0));
    }

    @Test
    void unknownReplicaIsRefused() {
        try (EnginePool pool = replicas.pool(2)) {
            VarveException refused =
                    assertThrows(VarveException.class, () -> control(pool).drain(2));

            assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
            assertEquals("expected a replica from 0 to 1, found 2", refused.getMessage());
        }
    }

    @Test
    void closingThePoolEndsADrain() {
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<Void> drained;
        try (EnginePool pool = replicas.pool(2)) {
            CountDownLatch held = new CountDownLatch(1);
            replicas.shard(0)
                    .trap(
                            batch -> {
                                held.countDown();
                                Await.latch(gate);
                            });
            ask(pool, request(1));
            Await.latch(held);
            drained = control(pool).drain(0);
            Thread.ofVirtual()
                    .start(() -> drained.exceptionally(e -> null).thenRun(gate::countDown));
        }

        assertInstanceOf(VarveException.class, Await.failure(drained));
    }
}

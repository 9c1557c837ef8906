package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.preemption.PreemptionPoint;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

@Timeout(60)
class RequestWorkersTest {
    private static final int SHORT = 100;
    private static final int LONG = RequestWorkers.LONG_BYTES;

    /** Cores of a machine that gives requests one turn at a time. */
    private static final int ONE_TURN = 2;

    @Test
    void workRunsOnADedicatedPlatformThread() throws Exception {
        try (RequestWorkers workers = new RequestWorkers(8)) {
            Thread worker = workers.run("a", SHORT, Thread::currentThread);

            assertFalse(worker.isVirtual());
            assertTrue(worker.getName().startsWith("varve-work"), worker.getName());
        }
    }

    @Test
    void shortBodiesDoNotWaitForLongOnes() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(8);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> slow = callers.submit(() -> workers.run("a", LONG, () -> await(end)));

            assertEquals("done", workers.run("a", SHORT, () -> "done"));

            assertFalse(slow.isDone());
            end.countDown();
            assertTrue(slow.get());
        }
    }

    @Test
    void engineKeepsACore() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (RequestWorkers workers = new RequestWorkers(ONE_TURN);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int bytes = i % 3 == 0 ? LONG : SHORT;
                Object owner = i % 7;
                all.add(
                        callers.submit(
                                () ->
                                        workers.run(
                                                owner,
                                                bytes,
                                                () -> {
                                                    most.accumulateAndGet(
                                                            running.incrementAndGet(), Math::max);
                                                    return running.decrementAndGet();
                                                })));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }

        assertEquals(1, most.get());
    }

    /** Each of the slow ones ends only when the quick one has: one turn must be enough for all. */
    @Test
    void longWorkYieldsWithinATurn() throws Exception {
        AtomicBoolean quickIsDone = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(12);
        try (RequestWorkers workers = new RequestWorkers(ONE_TURN);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> slow = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Object owner = i;
                slow.add(
                        callers.submit(
                                () ->
                                        workers.run(
                                                owner,
                                                SHORT,
                                                () -> {
                                                    begun.countDown();
                                                    while (!quickIsDone.get()) {
                                                        PreemptionPoint.reach();
                                                    }
                                                    return true;
                                                })));
            }
            begun.await();

            workers.run(
                    "quick",
                    SHORT,
                    () -> {
                        quickIsDone.set(true);
                        return true;
                    });

            for (Future<Boolean> each : slow) {
                assertTrue(each.get());
            }
        }
    }

    @Test
    void workGetsItsWaitingTime() throws Exception {
        AtomicLong clock = new AtomicLong();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch queued = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(ONE_TURN, clock::get);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Long> slow =
                    callers.submit(
                            () ->
                                    workers.run(
                                            "slow",
                                            SHORT,
                                            () -> {
                                                begun.countDown();
                                                await(queued);
                                                clock.addAndGet(RequestWorkers.TURN_NANOS);
                                                long waited = 0;
                                                while (waited == 0) {
                                                    waited = PreemptionPoint.reach();
                                                    clock.addAndGet(RequestWorkers.TURN_NANOS);
                                                }
                                                return waited;
                                            }));
            begun.await();
            Future<Long> other =
                    callers.submit(
                            () ->
                                    workers.run(
                                            "other", SHORT, () -> clock.addAndGet(1_000_000_000)));
            queued.countDown();

            assertTrue(slow.get() >= 1_000_000_000, "waited " + slow.get());
            assertTrue(other.get() > 0);
        }
    }

    @Test
    void anyNumberOfRequestsIsAccepted() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(ONE_TURN);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> first =
                    callers.submit(
                            () ->
                                    workers.run(
                                            "a",
                                            SHORT,
                                            () -> {
                                                begun.countDown();
                                                return await(end);
                                            }));
            begun.await();
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 4500; i++) {
                int number = i;
                all.add(callers.submit(() -> workers.run(number % 5, SHORT, () -> number)));
            }

            end.countDown();

            assertTrue(first.get());
            for (int i = 0; i < all.size(); i++) {
                assertEquals(i, all.get(i).get());
            }
        }
    }

    @Test
    void turnIsNotLostOnAStackOverflow() throws Exception {
        try (RequestWorkers workers =
                new RequestWorkers(ONE_TURN, new AtomicLong()::getAndIncrement)) {
            for (int i = 0; i < 20; i++) {
                assertThrows(
                        StackOverflowError.class,
                        () -> workers.run("deep", SHORT, RequestWorkersTest::deeper));
            }

            assertEquals("done", workers.run("other", SHORT, () -> "done"));
        }
    }

    private static int deeper() {
        PreemptionPoint.reach();
        return 1 + deeper();
    }

    @Test
    void waitingWorkIsRefusedAtShutdown() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            RequestWorkers workers = new RequestWorkers(ONE_TURN);
            Future<Boolean> running =
                    callers.submit(
                            () ->
                                    workers.run(
                                            "a",
                                            SHORT,
                                            () -> {
                                                begun.countDown();
                                                await(end);
                                                PreemptionPoint.reach();
                                                return true;
                                            }));
            begun.await();
            Future<Boolean> waiting = callers.submit(() -> workers.run("b", SHORT, () -> true));

            workers.close();
            end.countDown();

            for (Future<Boolean> each : List.of(running, waiting)) {
                ExecutionException failure = assertThrows(ExecutionException.class, each::get);
                assertEquals(503, ((IngressException) failure.getCause()).status());
            }
            assertThrows(IngressException.class, () -> workers.run("c", SHORT, () -> true));
        }
    }

    @Test
    void failureReachesItsCallerOnly() throws Exception {
        RuntimeException failure = new IllegalArgumentException("no");
        try (RequestWorkers workers = new RequestWorkers(8)) {
            assertSame(
                    failure,
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    workers.run(
                                            "a",
                                            SHORT,
                                            () -> {
                                                throw failure;
                                            })));
            IngressException memory =
                    assertThrows(
                            IngressException.class,
                            () ->
                                    workers.run(
                                            "a",
                                            SHORT,
                                            () -> {
                                                throw new OutOfMemoryError("a test");
                                            }));

            assertEquals(503, memory.status());
            assertEquals("done", workers.run("a", SHORT, () -> "done"));
        }
    }

    private static boolean await(CountDownLatch latch) throws InterruptedException {
        latch.await();
        return true;
    }
}

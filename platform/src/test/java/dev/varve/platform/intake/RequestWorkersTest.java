package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

@Timeout(60)
class RequestWorkersTest {
    private static final int SHORT = 100;
    private static final int LONG = RequestWorkers.LONG_BYTES;

    @Test
    void workRunsOnAPlatformThreadOfItsOwn() throws Exception {
        try (RequestWorkers workers = new RequestWorkers(Duration.ofSeconds(30), 8)) {
            Thread worker = workers.run(SHORT, Thread::currentThread);

            assertFalse(worker.isVirtual());
            assertTrue(worker.getName().startsWith("varve-work"), worker.getName());
        }
    }

    @Test
    void shortBodiesDoNotWaitForLongOnes() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(Duration.ofSeconds(30), 8);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> slow = callers.submit(() -> workers.run(LONG, () -> await(end)));

            assertEquals("done", workers.run(SHORT, () -> "done"));

            assertFalse(slow.isDone());
            end.countDown();
            assertTrue(slow.get());
        }
    }

    @Test
    void longBodiesAreWorkedOnOneAtATime() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(Duration.ofMillis(50), 8);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> first =
                    callers.submit(
                            () ->
                                    workers.run(
                                            LONG,
                                            () -> {
                                                begun.countDown();
                                                return await(end);
                                            }));
            begun.await();

            IntakeException refusal =
                    assertThrows(IntakeException.class, () -> workers.run(LONG, () -> true));

            assertEquals(503, refusal.status());
            assertTrue(refusal.isPassing());
            end.countDown();
            assertTrue(first.get());
            assertTrue(workers.run(LONG, () -> true), "withdrawn work still blocks the lane");
        }
    }

    @Test
    void theEngineKeepsACore() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (RequestWorkers workers = new RequestWorkers(Duration.ofMillis(50), 2);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> slow =
                    callers.submit(
                            () ->
                                    workers.run(
                                            LONG,
                                            () -> {
                                                begun.countDown();
                                                return await(end);
                                            }));
            begun.await();

            assertThrows(IntakeException.class, () -> workers.run(SHORT, () -> true));

            end.countDown();
            assertTrue(slow.get());
            assertTrue(workers.run(SHORT, () -> true));
        }
    }

    @Test
    void whatFailsFailsForItsCallerAlone() throws Exception {
        RuntimeException failure = new IllegalArgumentException("no");
        try (RequestWorkers workers = new RequestWorkers(Duration.ofSeconds(30), 8)) {
            assertSame(
                    failure,
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    workers.run(
                                            SHORT,
                                            () -> {
                                                throw failure;
                                            })));
            IntakeException memory =
                    assertThrows(
                            IntakeException.class,
                            () ->
                                    workers.run(
                                            SHORT,
                                            () -> {
                                                throw new OutOfMemoryError("a test");
                                            }));

            assertEquals(503, memory.status());
            assertEquals("done", workers.run(SHORT, () -> "done"));
        }
    }

    private static boolean await(CountDownLatch latch) throws InterruptedException {
        latch.await();
        return true;
    }
}

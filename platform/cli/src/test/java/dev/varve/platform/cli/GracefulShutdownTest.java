package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The first signal drains a server, the second cancels its requests, the third halts it. */
@Timeout(60)
class GracefulShutdownTest {
    private static final int INT = 2;
    private static final int TERM = 15;

    private final List<String> said = new ArrayList<>();

    @Test
    void firstSignalDrainsTheSecondCancelsAndTheThirdHalts() {
        List<String> done = new ArrayList<>();
        try (StopSignals signals =
                new StopSignals(
                        new StopSignals.Reactions(
                                status -> done.add("stop " + status),
                                () -> done.add("hurry"),
                                status -> done.add("halt " + status)))) {
            signals.receive(TERM);
            signals.receive(INT);
            signals.receive(INT);
            signals.receive(TERM);
        }

        assertEquals(List.of("stop 143", "hurry", "halt 130", "halt 143"), done);
    }

    @Test
    void hurriedDrainWaitsForNoRequest() throws Exception {
        GracefulShutdown stop = new GracefulShutdown();
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch requests = new CountDownLatch(1);
        Thread second =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    await(draining);
                                    stop.endDrain();
                                });

        stop.drain(
                limit -> {
                    draining.countDown();
                    requests.await();
                    return true;
                },
                said::add);

        requests.countDown();
        second.join();
        assertTrue(said.getLast().startsWith("second signal"), said.toString());
    }

    @Test
    void drainReportsCancelledRequests() {
        new GracefulShutdown().drain(limit -> true, said::add);
        assertEquals(1, said.size(), said.toString());

        new GracefulShutdown().drain(limit -> false, said::add);
        assertEquals(3, said.size(), said.toString());
        assertTrue(said.getLast().contains("were cancelled"), said.toString());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicLong;

class RequestClockTest {
    private static final long MILLI = 1_000_000;

    private final AtomicLong now = new AtomicLong(77);
    private final RequestClock clock = new RequestClock(now::get);

    private void pass(long millis) {
        now.addAndGet(millis * MILLI);
    }

    @Test
    void eachPhaseOfAGenerationHasItsTime() {
        pass(5);
        clock.start();
        pass(20);
        clock.firstToken();
        pass(300);

        assertEquals(new GenerationEnd.Times(5, 20, 300), clock.end());
    }

    /** A preempted request leaves the queue twice. */
    @Test
    void onlyTheFirstStartCounts() {
        pass(5);
        clock.start();
        pass(7);

        clock.start();

        clock.firstToken();
        assertEquals(new GenerationEnd.Times(5, 7, 0), clock.end());
    }

    @Test
    void skippedPhasesTakeNoTime() {
        pass(9);

        assertEquals(new GenerationEnd.Times(9, 0, 0), clock.end());
    }
}

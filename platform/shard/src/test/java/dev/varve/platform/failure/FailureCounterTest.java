package dev.varve.platform.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.ShardLostException;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** Failures are counted and stay within their work; only repeated ones degrade an engine. */
class FailureCounterTest {
    private long now;
    private final FailureCounter failures = new FailureCounter(() -> now);

    private void fail(String reason) {
        failures.guard(
                "a prefix could not be copied",
                () -> {
                    throw new IllegalStateException(reason);
                });
    }

    @Test
    void failureGivesTheFallbackAndIsCounted() {
        assertEquals(7, failures.guard("test", () -> Integer.parseInt("no number"), 7).intValue());
        assertEquals(8, failures.guard("test", () -> 8, 7).intValue());
        assertFalse(
                failures.guard(
                        "test",
                        () -> {
                            throw new StackOverflowError();
                        }));
        assertTrue(failures.guard("test", () -> {}));

        assertEquals(new FailureCounter.Report(2, 0, Optional.empty()), failures.report());
    }

    @Test
    void shardLossIsPropagatedAndIsNoFailure() {
        assertThrows(
                ShardLostException.class,
                () ->
                        failures.guard(
                                "test",
                                () -> {
                                    throw new ShardLostException("made for the test");
                                }));

        assertEquals(FailureCounter.Report.NONE, failures.report());
    }

    @Test
    void threeFailuresWithinTenMinutesDegradeAndTheReasonNamesTheLatest() {
        fail("first");
        failures.countStep(new IllegalStateException("second"));
        assertEquals(Optional.empty(), failures.report().reason());

        now += Duration.ofMinutes(9).toNanos();
        fail("third");

        String reason = failures.report().reason().orElseThrow();
        assertTrue(reason.contains("a prefix could not be copied"), reason);
        assertTrue(reason.contains("third"), reason);
        now += Duration.ofMinutes(1).toNanos();
        assertEquals(new FailureCounter.Report(2, 1, Optional.empty()), failures.report());
    }

    @Test
    void reportsOfReplicasAddUp() {
        FailureCounter.Report sum =
                new FailureCounter.Report(1, 2, Optional.empty())
                        .plus(new FailureCounter.Report(10, 20, Optional.of("why")));

        assertEquals(new FailureCounter.Report(11, 22, Optional.of("why")), sum);
    }
}

package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.ShardHealth;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tests how long requests wait for lost shards, with a simulated clock. */
class ShardRecoveryTimeoutTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final ShardHealth READY = ShardHealth.ready();

    private long seconds = 1_000;
    private final ShardRecoveryTimeout patience =
            new ShardRecoveryTimeout(LIMIT, () -> Duration.ofSeconds(seconds).toNanos());

    private static ShardHealth lost(long steps) {
        return new ShardHealth(
                ShardHealth.State.LOADING,
                Optional.of("killed"),
                0,
                Optional.of(new ShardHealth.Recovery(10 * steps, 1000, steps)));
    }

    private boolean isOverAfter(long more, ShardHealth... shards) {
        seconds += more;
        return patience.isOver(List.of(shards));
    }

    @Test
    void stalledShardIsAwaitedUntilTheLimit() {
        assertFalse(isOverAfter(0, READY, lost(0)));
        assertFalse(isOverAfter(30, READY, lost(0)));
        assertTrue(isOverAfter(1, READY, lost(0)));
    }

    @Test
    void timeBeforeTheFirstObservationCounts() {
        assertTrue(isOverAfter(31, lost(0)));
    }

    @Test
    void progressingShardIsAwaited() {
        for (int step = 1; step <= 100; step++) {
            assertFalse(isOverAfter(29, READY, lost(step)), "step " + step);
        }
        assertFalse(isOverAfter(30, READY, lost(100)));
        assertTrue(isOverAfter(1, READY, lost(100)), "the limit counts from the last step");
    }

    @Test
    void progressOfAnEarlierLossDoesNotCount() {
        assertFalse(isOverAfter(0, lost(17)));
        assertTrue(isOverAfter(31, lost(17)));
    }

    @Test
    void progressAfterTheLimitLetsRequestsWaitAgain() {
        assertFalse(isOverAfter(0, lost(0)));
        assertTrue(isOverAfter(40, lost(0)));

        assertFalse(isOverAfter(10, lost(1)));
        assertFalse(isOverAfter(30, lost(1)));
        assertTrue(isOverAfter(1, lost(1)));
    }

    @Test
    void hangingShardIsNotHiddenByALoadingOne() {
        assertFalse(isOverAfter(0, lost(0), lost(0)));
        assertFalse(isOverAfter(20, lost(0), lost(1)));
        assertTrue(isOverAfter(11, lost(0), lost(2)));
    }

    @Test
    void readyShardHasNoTimeout() {
        assertFalse(isOverAfter(0, READY, lost(0)));
        assertFalse(isOverAfter(100, READY, READY));
        assertFalse(isOverAfter(5, lost(0), READY), "it was lost just now");
    }
}

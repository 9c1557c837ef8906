package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

class ShardConditionTest {
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final ShardCondition condition = new ShardCondition(clock::get);

    private ShardCondition readyAndLost(String why) {
        condition.reached();
        condition.ready();
        condition.lost(why);
        return condition;
    }

    @Test
    void firstStartIsNoRestart() {
        condition.reached();
        condition.ready();

        assertTrue(condition.isReady());
        assertEquals(ShardHealth.ready(), condition.health());
    }

    @Test
    void everyRecoveryIsARestart() {
        readyAndLost("killed");
        condition.ready();
        condition.lost("killed again");
        condition.ready();

        assertEquals(
                ShardHealth.ready(2)
                        .with(
                                Optional.of(
                                        new ShardHealth.Loss(
                                                "killed again",
                                                Duration.ZERO,
                                                Optional.of(Duration.ZERO)))),
                condition.health());
    }

    @Test
    void failedRecoveryIsMissingForTheLatestReasonAndLostForTheFirst() {
        readyAndLost("killed");

        condition.failed("no socket");

        assertEquals(State.MISSING, condition.health().state());
        assertEquals(Optional.of("no socket"), condition.health().reason());
        assertEquals("killed", condition.loss());
    }

    @Test
    void startingProcessIsLoadingUntilItIsOverdue() {
        readyAndLost("killed").starts();
        assertEquals(State.LOADING, condition.health().state());
        assertEquals(Optional.of("its process starts"), condition.health().reason());

        // The clock may pass its largest number.
        clock.addAndGet(ShardCondition.START_LIMIT.toNanos());
        assertEquals(State.LOADING, condition.health().state());
        clock.incrementAndGet();

        assertEquals(State.MISSING, condition.health().state());
        assertFalse(condition.isReady());
    }

    @Test
    void reachedProcessIsNeverOverdue() {
        readyAndLost("killed").starts();
        condition.reached();

        clock.addAndGet(2 * ShardCondition.START_LIMIT.toNanos());

        assertEquals(State.LOADING, condition.health().state());
        assertEquals(Optional.of("it loads its weights"), condition.health().reason());
    }

    @Test
    void healthReportsTheLoadedBytes() {
        readyAndLost("killed").reached();
        long before = condition.health().loading().orElseThrow().steps();

        condition.loaded(3, 10);

        assertEquals(
                Optional.of(new ShardHealth.Recovery(3, 10, before + 1)),
                condition.health().loading());
    }
}

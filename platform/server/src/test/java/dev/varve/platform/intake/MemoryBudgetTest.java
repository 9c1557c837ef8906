package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100);
    private final MemoryBudget.Claim first = budget.open();
    private final MemoryBudget.Claim second = budget.open();
    private final MemoryBudget.Claim third = budget.open();

    @Test
    void oneReservationMayExceedTheCapacity() {
        assertTrue(first.tryTake(90));
        assertTrue(second.tryTake(50));

        assertFalse(third.tryTake(1));

        second.release();
        assertTrue(third.tryTake(10));
    }

    @Test
    void growingReservationsDoNotDeadlock() {
        assertTrue(first.tryTake(50));
        assertTrue(second.tryTake(50));

        assertTrue(first.tryTake(50));
        assertFalse(second.tryTake(50));

        first.release();
        assertTrue(second.tryTake(50));
    }

    @Test
    void reservationsAreFirstInFirstOut() {
        assertTrue(first.tryTake(200));
        assertFalse(second.tryTake(20));
        first.release();

        assertFalse(third.tryTake(20));
        assertTrue(second.tryTake(20));
        assertTrue(third.tryTake(20));
    }

    @Test
    void cancelledReservationLeavesTheQueue() {
        assertTrue(first.tryTake(200));
        assertFalse(second.tryTake(20));
        second.release();
        first.release();

        assertTrue(third.tryTake(20));
    }
}

package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100);

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        assertTrue(budget.tryTake(60, 0));
        assertTrue(budget.tryTake(40, 0));
        assertFalse(budget.tryTake(1, 0));

        budget.giveBack(60);

        assertTrue(budget.tryTake(60, 0));
    }

    @Test
    void whoIsAloneGetsMoreThanThereIs() {
        assertTrue(budget.tryTake(150, 0));
        assertTrue(budget.tryTake(50, 150));
        assertFalse(budget.tryTake(1, 0));
        budget.giveBack(200);
        assertTrue(budget.tryTake(100, 0));
    }

    @Test
    void nothingIsGivenBackTwice() {
        assertTrue(budget.tryTake(10, 0));

        assertThrows(IllegalStateException.class, () -> budget.giveBack(11));
    }
}

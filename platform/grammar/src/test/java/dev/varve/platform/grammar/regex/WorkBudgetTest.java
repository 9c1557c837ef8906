package dev.varve.platform.grammar.regex;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.preemption.PreemptionPoint;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

class WorkBudgetTest {
    private static final long UNITS = 1_000_000;
    private static final WorkBudget.CpuLimit SECOND =
            new WorkBudget.CpuLimit(UNITS / 4, Duration.ofSeconds(1));

    private final AtomicLong cpu = new AtomicLong();
    private final WorkBudget budget = new WorkBudget(cpu::get);

    private void spend(long units, long nanosPerUnit) {
        for (long spent = 0; spent < units; spent += 100) {
            budget.spend(100);
            cpu.addAndGet(100 * nanosPerUnit);
        }
    }

    @Test
    void workBeyondTheUnitsIsRefused() {
        budget.allow("compiling it", UNITS, SECOND);
        spend(UNITS, 1);

        GrammarLimitException refused =
                assertThrows(GrammarLimitException.class, () -> budget.spend(1));

        assertEquals(
                "the grammar is too complex: compiling it took more than 1000000 units of work",
                refused.getMessage());
    }

    @Test
    void workBeyondTheCpuTimeIsRefused() {
        budget.allow("compiling it", UNITS, SECOND);

        GrammarLimitException refused =
                assertThrows(GrammarLimitException.class, () -> spend(UNITS, 5_000));

        assertEquals(
                "the grammar is too complex: compiling it took more than 1000 ms of CPU time",
                refused.getMessage());
    }

    @Test
    void minimumUnitsAreGuaranteedOnSlowMachines() {
        budget.allow("compiling it", UNITS, SECOND);

        assertDoesNotThrow(() -> spend(UNITS / 4, 1_000_000));
    }

    @Test
    void stepHasNoCpuTimeLimit() {
        budget.allow("compiling it", UNITS, SECOND);
        spend(UNITS / 2, 10);
        budget.allow(UNITS);

        assertDoesNotThrow(() -> spend(UNITS, 1_000_000));
    }

    @Test
    void otherWorkRunsInBetween() throws Exception {
        AtomicInteger points = new AtomicInteger();
        budget.allow(UNITS);

        PreemptionPoint.schedule(
                () -> points.incrementAndGet(),
                () -> {
                    spend(UNITS, 1);
                    return null;
                });

        assertEquals(UNITS / 4100, points.get(), 3);
    }
}

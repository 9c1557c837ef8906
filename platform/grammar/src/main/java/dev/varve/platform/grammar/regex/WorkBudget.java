package dev.varve.platform.grammar.regex;

import dev.varve.platform.preemption.PreemptionPoint;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What computing states of a grammar may still cost, counted in visited expressions and items, so
 * that a hostile grammar can hold up nobody. Every {@value #UNITS_PER_LOOK} units the work reaches
 * a {@link PreemptionPoint}. For one thread at a time.
 */
public final class WorkBudget {
    /** Some tenths of a millisecond. */
    private static final long UNITS_PER_LOOK = 4096;

    private final LongSupplier cpuNanos;
    private String work = "a step of it";
    private long left;
    private long given;
    private long nextLook;
    private Optional<CpuLimit> limit = Optional.empty();

    /** CPU time of the thread when it was first looked at since {@link #allow}; below 0 before. */
    private long cpuBegin = -1;

    /**
     * How much CPU time work may take whatever its units are: a processor that is slow, or code
     * that is not compiled yet, makes them dear.
     *
     * @param certainUnits so many may be spent however long they take, so that what people write
     *     does not depend on the machine
     * @param most CPU time of the thread in all, beyond those
     */
    public record CpuLimit(long certainUnits, Duration most) {
        /** Checks that nothing is missing. */
        public CpuLimit {
            Objects.requireNonNull(most);
        }
    }

    /** Measures the CPU time of the calling thread, where Java can. */
    public WorkBudget() {
        this(ThreadCpu::nanos);
    }

    /**
     * @param cpuNanos CPU time of the calling thread
     */
    WorkBudget(LongSupplier cpuNanos) {
        this.cpuNanos = cpuNanos;
    }

    /** So much may be spent in a step until this is called again. */
    public void allow(long units) {
        allow("a step of it", units, Optional.empty());
    }

    /** So much may be spent, and so much CPU time, until this is called again. */
    public void allow(String what, long units, CpuLimit cpu) {
        allow(what, units, Optional.of(cpu));
    }

    private void allow(String what, long units, Optional<CpuLimit> cpu) {
        work = what;
        left = units;
        given = units;
        limit = cpu;
        cpuBegin = -1;
        nextLook = Math.max(0, units - UNITS_PER_LOOK);
    }

    /** What was spent since {@link #allow}. */
    public long spent() {
        return given - left;
    }

    /**
     * Spends some.
     *
     * @throws GrammarLimitException if there is not that much left
     */
    public void spend(long units) {
        left -= units;
        if (left < nextLook) {
            look();
        }
    }

    private void look() {
        if (left < 0) {
            throw tooComplex(given + " units of work");
        }
        nextLook = Math.max(0, left - UNITS_PER_LOOK);
        PreemptionPoint.reach();
        limit.ifPresent(this::checkCpu);
    }

    private void checkCpu(CpuLimit cpu) {
        // The first look at this time costs as much as compiling most grammars.
        if (spent() < cpu.certainUnits() / 2) {
            return;
        }
        long now = cpuNanos.getAsLong();
        if (cpuBegin < 0) {
            cpuBegin = now;
        }
        if (spent() > cpu.certainUnits() && now - cpuBegin > cpu.most().toNanos()) {
            throw tooComplex(cpu.most().toMillis() + " ms of CPU time");
        }
    }

    private GrammarLimitException tooComplex(String limitPassed) {
        return new GrammarLimitException(
                "the grammar is too complex: " + work + " took more than " + limitPassed);
    }
}

package dev.varve.platform.grammar.regex;

import dev.varve.platform.preemption.PreemptionPoint;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Remaining work for computing states of a grammar, counted in visited expressions and items, so
 * that a hostile grammar cannot block other requests. Every {@value #UNITS_PER_CHECK} units the
 * work reaches a {@link PreemptionPoint}. For one thread at a time.
 */
public final class WorkBudget {
    /** Some tenths of a millisecond. */
    private static final long UNITS_PER_CHECK = 4096;

    private final LongSupplier cpuNanos;
    private String work = "a step of it";
    private long remaining;
    private long given;
    private long nextCheck;
    private Optional<CpuLimit> limit = Optional.empty();

    /** CPU time of the thread when it was first read since {@link #allow}; below 0 before. */
    private long cpuBegin = -1;

    /**
     * Limit of the CPU time of work, independent of its units: units take longer on a slow
     * processor, or before code is compiled.
     *
     * @param certainUnits units that may always be spent, however long they take, so that ordinary
     *     sources do not depend on the machine
     * @param most total CPU time of the thread, if more units are spent
     */
    public record CpuLimit(long certainUnits, Duration most) {
        /** Refuses null. */
        public CpuLimit {
            Objects.requireNonNull(most);
        }
    }

    /** Measures the CPU time of the calling thread, if Java can. */
    public WorkBudget() {
        this(ThreadCpu::nanos);
    }

    /**
     * @param cpuNanos CPU time of the calling thread
     */
    WorkBudget(LongSupplier cpuNanos) {
        this.cpuNanos = cpuNanos;
    }

    /** Sets the units that may be spent until the next call. */
    public void allow(long units) {
        allow("a step of it", units, Optional.empty());
    }

    /** Sets the units and the CPU time that may be spent until the next call. */
    public void allow(String what, long units, CpuLimit cpu) {
        allow(what, units, Optional.of(cpu));
    }

    private void allow(String what, long units, Optional<CpuLimit> cpu) {
        work = what;
        remaining = units;
        given = units;
        limit = cpu;
        cpuBegin = -1;
        nextCheck = Math.max(0, units - UNITS_PER_CHECK);
    }

    /** Units that were spent since {@link #allow}. */
    public long spent() {
        return given - remaining;
    }

    /**
     * Spends units.
     *
     * @throws GrammarLimitException if fewer are left
     */
    public void spend(long units) {
        remaining -= units;
        if (remaining < nextCheck) {
            reachPreemptionPoint();
        }
    }

    private void reachPreemptionPoint() {
        if (remaining < 0) {
            throw tooComplex(given + " units of work");
        }
        nextCheck = Math.max(0, remaining - UNITS_PER_CHECK);
        PreemptionPoint.reach();
        limit.ifPresent(this::checkCpu);
    }

    private void checkCpu(CpuLimit cpu) {
        // The first measurement of CPU time costs as much as compiling most grammars.
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

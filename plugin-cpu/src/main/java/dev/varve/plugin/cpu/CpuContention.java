package dev.varve.plugin.cpu;

import java.util.OptionalDouble;

/**
 * Detects contention for the cores, and lowers the number of threads accordingly. ggml's threads
 * synchronize after every operator and spin until the last of them arrives: a thread without a core
 * delays all others, hundreds of times in a step.
 *
 * <p>The number is halved while the computing thread waits for a core. It is doubled again, as a
 * trial, after the thread has not waited for a while and enough cores were idle. A failed trial
 * delays the next one.
 */
final class CpuContention {
    /** Fraction of its time that a thread may wait for a core; longer waits accumulate. */
    private static final double MAX_DELAY_SHARE = 0.2;

    /** Accumulated wait that counts as contention: some steps, or a single long delay. */
    private static final long CONTENTION_NANOS = 25_000_000;

    /** The same during a trial, which has a lower limit because there was contention before. */
    private static final long FAILED_NANOS = 12_000_000;

    /** Computing time that is evaluated together. */
    private static final long SPAN_NANOS = 60_000_000;

    /** Fraction up to which there is no contention. */
    private static final double MAX_IDLE_DELAY_SHARE = 0.05;

    /**
     * Fraction of the additional cores that must be idle before a trial. Not more: threads of this
     * process that do not compute need cores as well, and so do own shards in other processes,
     * which compute their part of each step while this one waits.
     */
    private static final double MIN_IDLE_SHARE = 0.3;

    private static final long FIRST_PAUSE_NANOS = 250_000_000;
    private static final long LONGEST_PAUSE_NANOS = 4_000_000_000L;

    private final IdleCores idle;
    private int halvings;

    /** Wait beyond the tolerated fraction; it decreases while threads wait less. */
    private double excess;

    private long computed;
    private long delayed;
    private long pause = FIRST_PAUSE_NANOS;
    private long changedAt;

    /** Whether the number was doubled and the trial has not succeeded yet. */
    private boolean trying;

    /** Whether idle cores are counted since {@link #changedAt}. */
    private boolean countingIdleCores;

    CpuContention(IdleCores idle) {
        this.idle = idle;
    }

    /** Returns the number of threads to use. */
    int threads(int wanted) {
        return threads(wanted, halvings);
    }

    private static int threads(int wanted, int halvings) {
        return Math.max(1, wanted >> halvings);
    }

    /**
     * Records the computation of a graph.
     *
     * @param wanted threads that it has on an idle machine
     * @param nanos time that it took
     * @param delay part of it that the computing thread waited for a core
     * @param now a clock in nanoseconds
     */
    void computed(int wanted, long nanos, long delay, long now) {
        excess = Math.max(0, excess + delay - MAX_DELAY_SHARE * nanos);
        if (excess > (trying ? FAILED_NANOS : CONTENTION_NANOS)) {
            useFewerThreads(wanted, now);
        }
        computed += nanos;
        delayed += delay;
        if (computed >= SPAN_NANOS) {
            if (delayed < MAX_IDLE_DELAY_SHARE * computed) {
                onLowDelay(wanted, now);
            }
            computed = 0;
            delayed = 0;
        }
    }

    private void useFewerThreads(int wanted, long now) {
        if (threads(wanted) > 1) {
            halvings++;
            pause = trying ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : pause;
        }
        trying = false;
        countingIdleCores = false;
        excess = 0;
        changedAt = now;
    }

    private void onLowDelay(int wanted, long now) {
        if (halvings == 0) {
            if (now - changedAt >= pause) {
                trying = false;
                pause = FIRST_PAUSE_NANOS;
                changedAt = now;
            }
        } else if (countingIdleCores) {
            checkIdleCores(wanted, now);
        } else if (now - changedAt >= pause) {
            idle.sinceLast(now);
            trying = false;
            countingIdleCores = true;
            changedAt = now;
        }
    }

    private void checkIdleCores(int wanted, long now) {
        if (now - changedAt < FIRST_PAUSE_NANOS) {
            return;
        }
        int more = threads(wanted, halvings - 1) - threads(wanted);
        OptionalDouble cores = idle.sinceLast(now);
        changedAt = now;
        // If the number of idle cores is unknown, only a trial can show it.
        if (cores.isEmpty() || cores.getAsDouble() >= MIN_IDLE_SHARE * more) {
            halvings--;
            trying = true;
            excess = 0;
            countingIdleCores = false;
        }
    }
}

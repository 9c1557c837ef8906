package dev.varve.plugin.cpu;

import java.util.OptionalDouble;

/**
 * Whether others want the cores, and how far that makes the number of threads go down. ggml's
 * threads meet behind every operator and spin until the last of them is there: one that has no core
 * at the moment holds up all others, hundreds of times in a step.
 *
 * <p>The number is halved while the computing thread waits for a core, and doubled again, for a
 * try, when it has not waited for a while and as many cores were idle. A try that fails makes the
 * next one come later.
 */
final class CpuContention {
    /** Part of its time that a thread may wait for a core; more adds up. */
    private static final double BEARABLE = 0.2;

    /** What added up is a crowd: some steps, or one that was held up long. */
    private static final long CROWD_NANOS = 25_000_000;

    /** Likewise in a try: somebody was in the way before. */
    private static final long FAILED_NANOS = 12_000_000;

    /** Time of computing that is looked at together. */
    private static final long SPAN_NANOS = 60_000_000;

    /** Part of it up to which nobody is in the way. */
    private static final double CALM = 0.05;

    /** Part of the cores wanted that are to be idle: the rest is what comes and goes. */
    private static final double ROOM = 0.7;

    private static final long FIRST_PAUSE_NANOS = 250_000_000;
    private static final long LONGEST_PAUSE_NANOS = 4_000_000_000L;

    private final IdleCores idle;
    private int halvings;

    /** Time waited beyond what is bearable; it goes down again in calm times. */
    private double excess;

    private long computed;
    private long delayed;
    private long pause = FIRST_PAUSE_NANOS;
    private long changedAt;

    /** Whether the number was doubled, and nobody has shown yet that there is room for that. */
    private boolean trying;

    /** Whether idle cores are counted since {@link #changedAt}. */
    private boolean looking;

    CpuContention(IdleCores idle) {
        this.idle = idle;
    }

    /** Threads of those that are wanted. */
    int threads(int wanted) {
        return threads(wanted, halvings);
    }

    private static int threads(int wanted, int halvings) {
        return Math.max(1, wanted >> halvings);
    }

    /**
     * Takes note of a graph.
     *
     * @param wanted threads that it has on an idle machine
     * @param nanos time that it took
     * @param delay how much of that the computing thread waited for a core
     * @param now a clock in nanoseconds
     */
    void computed(int wanted, long nanos, long delay, long now) {
        excess = Math.max(0, excess + delay - BEARABLE * nanos);
        if (excess > (trying ? FAILED_NANOS : CROWD_NANOS)) {
            giveWay(wanted, now);
        }
        computed += nanos;
        delayed += delay;
        if (computed >= SPAN_NANOS) {
            if (delayed < CALM * computed) {
                calm(wanted, now);
            }
            computed = 0;
            delayed = 0;
        }
    }

    private void giveWay(int wanted, long now) {
        if (threads(wanted) > 1) {
            halvings++;
            pause = trying ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : pause;
        }
        trying = false;
        looking = false;
        excess = 0;
        changedAt = now;
    }

    private void calm(int wanted, long now) {
        if (halvings == 0) {
            if (now - changedAt >= pause) {
                trying = false;
                pause = FIRST_PAUSE_NANOS;
                changedAt = now;
            }
        } else if (looking) {
            look(wanted, now);
        } else if (now - changedAt >= pause) {
            idle.sinceLast(now);
            trying = false;
            looking = true;
            changedAt = now;
        }
    }

    private void look(int wanted, long now) {
        if (now - changedAt < FIRST_PAUSE_NANOS) {
            return;
        }
        int more = threads(wanted, halvings - 1) - threads(wanted);
        OptionalDouble cores = idle.sinceLast(now);
        changedAt = now;
        // Where nobody knows, the try tells.
        if (cores.isEmpty() || cores.getAsDouble() >= ROOM * more) {
            halvings--;
            trying = true;
            excess = 0;
            looking = false;
        }
    }
}

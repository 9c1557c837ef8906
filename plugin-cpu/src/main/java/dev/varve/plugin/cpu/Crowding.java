package dev.varve.plugin.cpu;

/**
 * Whether others want the cores, and how far that makes the number of threads go down. ggml's
 * threads meet behind every operator and spin until the last of them is there: one that has no core
 * at the moment holds up all others, hundreds of times in a step.
 *
 * <p>The number is halved while the computing thread waits for a core, and doubled again, for a
 * try, when it has not waited for a while. A try that fails makes the next one come later.
 */
final class Crowding {
    /** Time of computing that is looked at together: a moment without a core is no crowd. */
    private static final long SPAN_NANOS = 60_000_000;

    /** Part of it that a thread waited for a core, from which on it is crowded, if it lasts. */
    private static final double CROWDED = 0.2;

    /** Likewise, where there is nothing to wait for. */
    private static final double FULL = 0.5;

    /** Part of it up to which there is room. */
    private static final double CALM = 0.05;

    private static final long FIRST_PAUSE_NANOS = 250_000_000;
    private static final long LONGEST_PAUSE_NANOS = 4_000_000_000L;

    private int halvings;
    private long computed;
    private long delayed;
    private long pause = FIRST_PAUSE_NANOS;
    private long changedAt;

    /** Whether the last span was crowded. */
    private boolean crowded;

    /** Whether the number was doubled, and nobody has shown yet that there is room for that. */
    private boolean trying;

    /** Threads of those that are wanted. */
    int threads(int wanted) {
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
        computed += nanos;
        delayed += delay;
        if (computed < SPAN_NANOS) {
            return;
        }
        double share = (double) delayed / computed;
        computed = 0;
        delayed = 0;
        boolean lasts = crowded || trying;
        crowded = share > CROWDED;
        if (share > FULL || crowded && lasts) {
            giveWay(wanted, now);
        } else if (share < CALM && now - changedAt >= pause) {
            comeBack(now);
        }
    }

    private void giveWay(int wanted, long now) {
        if (threads(wanted) > 1) {
            halvings++;
            pause = trying ? Math.min(2 * pause, LONGEST_PAUSE_NANOS) : pause;
        }
        trying = false;
        crowded = false;
        changedAt = now;
    }

    private void comeBack(long now) {
        trying = halvings > 0;
        if (trying) {
            halvings--;
        } else {
            pause = FIRST_PAUSE_NANOS;
        }
        changedAt = now;
    }
}

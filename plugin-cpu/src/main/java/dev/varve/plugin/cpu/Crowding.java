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

    /** Part of it that a thread waited for a core, from which on it is crowded. */
    private static final double CROWDED = 0.2;

    /** Part of it up to which there is room. */
    private static final double CALM = 0.05;

    private static final long FIRST_PAUSE_NANOS = 250_000_000;
    private static final long LONGEST_PAUSE_NANOS = 4_000_000_000L;

    private int halvings;
    private long computed;
    private long delayed;
    private long pause = FIRST_PAUSE_NANOS;
    private long changedAt;

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
        if (share > CROWDED) {
            giveWay(wanted, now);
        } else if (share < CALM && now - changedAt >= pause) {
            comeBack(now);
        }
    }

    private void giveWay(int wanted, long now) {
        if (threads(wanted) > 1) {
            halvings++;
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
        changedAt = now;
    }

    private void comeBack(long now) {
        if (halvings > 0) {
            halvings--;
        } else {
            pause = FIRST_PAUSE_NANOS;
        }
        changedAt = now;
    }
}

package dev.varve.platform.shard.streaming;

import java.util.Arrays;

/**
 * Decides from the time of layers whether it pays to read experts ahead. Wrong guesses compete with
 * reads that a layer waits for, so what pays depends on the disk and on the model: now and then,
 * some layers are computed in the other way. Both ways alternate in a trial, so that a cache that
 * fills meanwhile favours neither. Thread-safe.
 */
public final class PrefetchGain {
    /** Layers of each way whose times are compared. */
    static final int WINDOW = 512;

    /** Layers from one trial to the next. */
    static final int PERIOD = 32 * WINDOW;

    /** Layers that are computed in the same way in a row during a trial. */
    private static final int BLOCK = 32;

    /** Longest times that do not count: pauses of other processes. */
    private static final int DROPPED = WINDOW / 16;

    /** Time with reads ahead, as a share of that without, from which on they pay. */
    private static final double LEAST = 0.95;

    private final long[] with = new long[WINDOW];
    private final long[] without = new long[WINDOW];
    private boolean pays;
    private long layers;

    /** Creates an object that begins without reading ahead. */
    PrefetchGain() {}

    /** Returns whether to read ahead in the next layer. */
    public synchronized boolean isWorthIt() {
        int phase = phase();
        return isTrial(phase) ? phase / BLOCK % 2 == 1 : pays;
    }

    private int phase() {
        return (int) (layers % PERIOD);
    }

    private static boolean isTrial(int phase) {
        return phase < 2 * WINDOW;
    }

    /** Records the time of a layer that was computed as {@link #isWorthIt} said. */
    public synchronized void record(long nanos) {
        int phase = phase();
        if (isTrial(phase)) {
            long[] times = isWorthIt() ? with : without;
            times[phase / (2 * BLOCK) * BLOCK + phase % BLOCK] = nanos;
        }
        layers++;
        if (phase() == 2 * WINDOW) {
            pays = sum(with) < LEAST * sum(without);
        }
    }

    /** Returns the sum of all but the longest times: the median of few misses would be coarse. */
    private static double sum(long[] times) {
        return Arrays.stream(times).sorted().limit(WINDOW - DROPPED).sum();
    }
}

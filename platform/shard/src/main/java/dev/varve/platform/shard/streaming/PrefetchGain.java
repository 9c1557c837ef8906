package dev.varve.platform.shard.streaming;

import java.util.Arrays;

/**
 * Decides from the time of layers whether it pays to read experts ahead. Wrong guesses compete with
 * reads that a layer waits for, so what pays depends on the disk and on the model: now and then, a
 * few layers are computed in the other way. Thread-safe.
 */
public final class PrefetchGain {
    /** Layers whose times are compared. */
    static final int WINDOW = 128;

    /** Layers from one trial to the next. */
    static final int PERIOD = 32 * WINDOW;

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
        return isTrial() != pays;
    }

    private boolean isTrial() {
        long phase = layers % PERIOD;
        return phase >= WINDOW && phase < 2 * WINDOW;
    }

    /** Records the time of a layer that was computed as {@link #isWorthIt} said. */
    public synchronized void record(long nanos) {
        long[] times = isWorthIt() ? with : without;
        times[(int) (layers % WINDOW)] = nanos;
        layers++;
        if (layers % PERIOD == 2 * WINDOW) {
            pays = median(with) < LEAST * median(without);
        }
    }

    private static long median(long[] times) {
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        return sorted[WINDOW / 2];
    }
}

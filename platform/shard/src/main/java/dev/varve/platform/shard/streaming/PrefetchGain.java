package dev.varve.platform.shard.streaming;

/**
 * Decides from the share of experts that were read ahead and then needed whether it pays to read
 * ahead. Wrong reads delay right ones and evict other experts, so a poor guess is only tried now
 * and then. For one thread.
 */
final class PrefetchGain {
    /** Weight of the latest layer in the average. */
    private static final double NEWEST = 0.05;

    /** Share of right guesses from which on reading ahead pays. */
    private static final double LEAST = 0.4;

    /** Layers between two trials while it does not pay. */
    private static final int TRIAL = 64;

    private double share = 1;
    private int skipped;

    /** Returns whether to read ahead for the next layer. */
    boolean isWorthIt() {
        if (share >= LEAST) {
            return true;
        }
        skipped = (skipped + 1) % TRIAL;
        return skipped == 0;
    }

    /** Records how many experts were read ahead for a layer, and how many of them it needed. */
    void record(int read, int needed) {
        if (read > 0) {
            share += NEWEST * ((double) needed / read - share);
        }
    }
}

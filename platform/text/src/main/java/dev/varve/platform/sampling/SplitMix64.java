package dev.varve.platform.sampling;

/**
 * The SplitMix64 generator, implemented here so that a seed results in the same tokens on every
 * Java version.
 *
 * @see <a href="https://doi.org/10.1145/2714064.2660195">Steele, Lea, Flood: Fast splittable
 *     pseudorandom number generators</a>
 */
final class SplitMix64 {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    SplitMix64(long seed) {
        this.state = seed;
    }

    /** Returns a generator that continues with the same numbers. */
    SplitMix64 copy() {
        return new SplitMix64(state);
    }

    long nextLong() {
        state += GOLDEN_GAMMA;
        long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a multiple of 2^-53, at least 0 and below 1. */
    double nextUniform() {
        return (nextLong() >>> 11) * 0x1p-53;
    }
}

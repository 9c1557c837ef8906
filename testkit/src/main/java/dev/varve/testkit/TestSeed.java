package dev.varve.testkit;

/**
 * The seed of a test run: it changes the weights of all random models and the random texts, but
 * neither the shapes of the models nor the cases that a test tries. No result may depend on it.
 */
public final class TestSeed {
    /** Far apart, so that the seeds of two runs never meet: tests count theirs from 1. */
    private static final long STRIDE = 1_000_003;

    private TestSeed() {}

    /** Returns a test's own seed in the first run, seed 0, and another one in each other run. */
    public static long of(long seed) {
        return seed + STRIDE * Long.getLong("varve.test.seed", 0);
    }
}

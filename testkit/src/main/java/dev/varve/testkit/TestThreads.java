package dev.varve.testkit;

/**
 * Threads of models and of their oracles in tests. Both have as many: the division of the work
 * changes the last bits.
 */
public final class TestThreads {
    /** Two, or one where tests run side by side and would wait for each other's cores. */
    public static final int COUNT = Integer.getInteger("varve.test.threads", 2);

    private TestThreads() {}
}

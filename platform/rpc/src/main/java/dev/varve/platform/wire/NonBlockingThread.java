package dev.varve.platform.wire;

/**
 * Threads that must never wait for a connection to take bytes: a reader, or the clock. What is sent
 * on one, by the continuation of a future for example, is written by another thread.
 */
final class NonBlockingThread {
    private static final ScopedValue<Boolean> CURRENT = ScopedValue.newInstance();

    private NonBlockingThread() {}

    static Thread unstarted(String name, Runnable task) {
        return Thread.ofPlatform()
                .name(name)
                .daemon(true)
                .unstarted(() -> ScopedValue.where(CURRENT, true).run(task));
    }

    /** Whether the caller is such a thread. */
    static boolean isCurrent() {
        return CURRENT.isBound();
    }
}

package dev.varve.platform.wire;

/**
 * Marks threads that must never wait for a connection to accept bytes: a reader, or the timer. A
 * message that is sent on such a thread, for example by the continuation of a future, is written by
 * another thread.
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

    /** Whether the current thread is marked. */
    static boolean isCurrent() {
        return CURRENT.isBound();
    }
}

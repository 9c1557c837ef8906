package dev.varve.platform.shard;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Turns on a device, in the order of arrival. A lock of Java's language may be given to the same
 * thread again and again while another one waits; long work that releases the device between its
 * parts needs a queue, so that shards compute in between.
 */
public final class DeviceTurn {
    private static final Map<Object, ReentrantLock> QUEUES =
            Collections.synchronizedMap(new WeakHashMap<>());

    private DeviceTurn() {}

    /**
     * Runs work with a device's lock, after all work that waits already. Must not be called with
     * the lock held.
     *
     * @param lock {@link dev.varve.api.backend.ComputeDevice#lock}
     */
    public static <T> T take(Object lock, Supplier<T> work) {
        ReentrantLock queue = QUEUES.computeIfAbsent(lock, any -> new ReentrantLock(true));
        queue.lock();
        try {
            synchronized (lock) {
                return work.get();
            }
        } finally {
            queue.unlock();
        }
    }

    /** Returns the number of threads that wait for a device, an estimate. */
    static int waiting(Object lock) {
        ReentrantLock queue = QUEUES.get(lock);
        return queue == null ? 0 : queue.getQueueLength();
    }
}

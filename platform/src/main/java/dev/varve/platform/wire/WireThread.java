package dev.varve.platform.wire;

/**
 * A thread that must never wait for a connection to take bytes: a reader, or the clock. What is
 * sent on it, by the continuation of a future for example, is written by another thread.
 */
final class WireThread extends Thread {
    WireThread(String name, Runnable task) {
        super(task, name);
        setDaemon(true);
    }
}

package dev.varve.embedded;

/**
 * Current load of a model, and counters since it was opened.
 *
 * @param running responses that are computed
 * @param waiting responses in the queue
 * @param maxRunning most responses that are computed together
 * @param retried responses that were computed again after a lost process or a failed step
 * @param available whether the model accepts requests and has all its processes
 * @since 0.1.0
 */
public record ModelLoad(
        int running, int waiting, int maxRunning, long retried, boolean available) {}

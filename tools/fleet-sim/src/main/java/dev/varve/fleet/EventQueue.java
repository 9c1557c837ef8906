package dev.varve.fleet;

import java.util.PriorityQueue;

/** Simulated time: events in the order of their times, and of their creation if these are equal. */
final class EventQueue {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long created;

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /** Returns the simulated time in ns. */
    long now() {
        return now;
    }

    /**
     * Adds an event.
     *
     * @param at its time in ns, not in the past
     */
    void at(long at, Runnable action) {
        if (at < now) {
            throw new IllegalArgumentException("event at " + at + " ns is before " + now + " ns");
        }
        events.add(new Event(at, created++, action));
    }

    /** Runs the next event; returns whether there was one. */
    boolean runNext() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = next.at();
        next.action().run();
        return true;
    }
}

package dev.varve.testkit.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Implements {@code synchronized}, {@code wait} and {@code notify} in simulated code: a thread that
 * waits for a real monitor is woken by a thread of the JVM, at a time that no seed chooses.
 */
final class SimulatedMonitors {
    private final Map<Object, Monitor> monitors = new IdentityHashMap<>();

    /** The state of one object's monitor, kept for the whole run. */
    private static final class Monitor {
        private Thread owner;
        private int entries;
        private final List<Parking> entering = new ArrayList<>();
        private final List<Waiter> waiting = new ArrayList<>();
    }

    /** A thread in {@code wait}. */
    private static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private boolean notified;
    }

    void enter(Object object) {
        Monitor monitor = monitors.computeIfAbsent(object, any -> new Monitor());
        take(monitor, 1);
    }

    private static void take(Monitor monitor, int entries) {
        Thread me = Thread.currentThread();
        while (monitor.owner != null && monitor.owner != me) {
            Parking parking = new Parking(me);
            monitor.entering.add(parking);
            parking.park();
        }
        monitor.owner = me;
        monitor.entries += entries;
    }

    void exit(Object object) {
        Monitor monitor = require(object);
        monitor.entries--;
        if (monitor.entries == 0) {
            free(monitor);
        }
    }

    private Monitor require(Object object) {
        Monitor monitor = monitors.get(object);
        if (monitor == null || monitor.owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException();
        }
        return monitor;
    }

    private void free(Monitor monitor) {
        monitor.owner = null;
        // All of them compete: which one comes first is the scheduler's choice.
        List<Parking> all = List.copyOf(monitor.entering);
        monitor.entering.clear();
        all.forEach(Parking::end);
    }

    /** Waits; a wait that is over by time returns as if it had been notified. */
    void await(Object object, long nanos) throws InterruptedException {
        Monitor monitor = require(object);
        int entries = monitor.entries;
        Waiter waiter = new Waiter();
        monitor.waiting.add(waiter);
        monitor.entries = 0;
        free(monitor);
        try {
            SimulatedCalls.timed(
                    nanos,
                    () -> {
                        while (!waiter.notified) {
                            LockSupport.park(waiter);
                            if (Thread.interrupted()) {
                                throw new InterruptedException();
                            }
                        }
                    });
        } finally {
            monitor.waiting.remove(waiter);
            take(monitor, entries);
        }
    }

    void wake(Object object, boolean all) {
        Monitor monitor = require(object);
        List<Waiter> waiting = monitor.waiting.stream().filter(waiter -> !waiter.notified).toList();
        for (Waiter waiter : all || waiting.isEmpty() ? waiting : waiting.subList(0, 1)) {
            waiter.notified = true;
            LockSupport.unpark(waiter.thread);
        }
    }
}

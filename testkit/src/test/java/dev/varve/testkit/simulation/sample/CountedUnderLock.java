package dev.varve.testkit.simulation.sample;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

/** Two threads that count in a volatile field, under the monitor of this object. */
public final class CountedUnderLock implements Scenario {
    private volatile int count;

    @Override
    public void run(Simulation simulation) throws Exception {
        Thread one = Thread.ofPlatform().start(this::count);
        Thread other = Thread.ofPlatform().start(this::count);
        awaitCount();
        one.join();
        other.join();
        if (count != 6) {
            throw new AssertionError("expected 6, found " + count);
        }
    }

    private void count() {
        for (int i = 0; i < 3; i++) {
            synchronized (this) {
                count++;
                notifyAll();
            }
        }
    }

    private synchronized void awaitCount() throws InterruptedException {
        while (count < 6) {
            wait();
        }
    }
}

package dev.varve.testkit.simulation.sample;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

/** Two threads that count in a volatile field, without a lock. */
public final class LostUpdate implements Scenario {
    private volatile int count;

    @Override
    public void run(Simulation simulation) throws Exception {
        Thread one = Thread.ofPlatform().name("one").start(this::count);
        Thread other = Thread.ofPlatform().name("other").start(this::count);
        one.join();
        other.join();
        simulation.event("counted " + count);
        if (count != 6) {
            throw new AssertionError("expected 6, found " + count);
        }
    }

    private void count() {
        for (int i = 0; i < 3; i++) {
            count++;
        }
    }
}

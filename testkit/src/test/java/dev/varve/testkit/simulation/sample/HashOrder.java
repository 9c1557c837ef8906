package dev.varve.testkit.simulation.sample;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.util.HashSet;
import java.util.Set;

/** A set that is walked in the order of its objects' identities. */
public final class HashOrder implements Scenario {
    /** Something without a hash of its own. */
    private static final class Thing {
        private final int number;

        Thing(int number) {
            this.number = number;
        }
    }

    @Override
    public void run(Simulation simulation) {
        Set<Thing> things = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            things.add(new Thing(i));
        }
        things.forEach(thing -> simulation.event("thing " + thing.number));
    }
}

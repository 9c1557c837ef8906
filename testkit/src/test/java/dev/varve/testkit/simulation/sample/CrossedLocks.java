package dev.varve.testkit.simulation.sample;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.util.concurrent.locks.ReentrantLock;

/** Two threads that take two locks in different orders. */
public final class CrossedLocks implements Scenario {
    private final ReentrantLock left = new ReentrantLock();
    private final ReentrantLock right = new ReentrantLock();

    @Override
    public void run(Simulation simulation) throws Exception {
        Thread one = Thread.ofPlatform().start(() -> take(left, right));
        Thread other = Thread.ofPlatform().start(() -> take(right, left));
        one.join();
        other.join();
    }

    private static void take(ReentrantLock first, ReentrantLock second) {
        first.lock();
        second.lock();
        second.unlock();
        first.unlock();
    }
}

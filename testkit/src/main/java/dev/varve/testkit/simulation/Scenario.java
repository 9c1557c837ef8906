package dev.varve.testkit.simulation;

/**
 * One part of the product with its fakes, and what must hold of it. A scenario is loaded by {@link
 * SimulatedLoader} and has a constructor without parameters.
 */
public interface Scenario {
    /**
     * Runs once, on a simulated thread. Whatever it starts must have ended when it returns.
     *
     * @throws Throwable if something does not hold
     */
    void run(Simulation simulation) throws Throwable;
}

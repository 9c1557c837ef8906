package dev.varve.testkit.simulation;

/**
 * One part of the product with its fakes, and the assertions on it. A scenario is loaded by {@link
 * SimulatedLoader} and has a constructor without parameters.
 */
public interface Scenario {
    /**
     * Runs once, on a simulated thread. All work that it starts must have ended when it returns.
     *
     * @throws Throwable if an assertion fails
     */
    void run(Simulation simulation) throws Throwable;
}

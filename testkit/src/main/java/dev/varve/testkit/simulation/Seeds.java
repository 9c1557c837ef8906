package dev.varve.testkit.simulation;

import java.util.stream.LongStream;

/** Runs a scenario with many seeds, or with the one that {@value #PROPERTY} names. */
public final class Seeds {
    /** The seed to run alone. */
    public static final String PROPERTY = "varve.test.simulation.seed";

    /** Number of seeds of each scenario in every build. */
    public static final int FEW = 200;

    /** Number of seeds of each scenario at night. */
    public static final int MANY = 10_000;

    private Seeds() {}

    /** Runs a scenario with the first seeds; stops at the first that fails, and names it. */
    public static void run(Class<? extends Scenario> scenario, int count) {
        Long alone = Long.getLong(PROPERTY);
        LongStream seeds = alone == null ? LongStream.range(0, count) : LongStream.of(alone);
        seeds.forEach(seed -> trace(scenario, seed));
    }

    /**
     * Runs a scenario whose threads switch only where they wait, so that its times are those that
     * its fakes take.
     */
    public static Simulation.Trace undisturbed(Class<? extends Scenario> scenario) {
        return Simulation.runUndisturbed(SimulatedLoader.scenario(scenario.getName()));
    }

    /** Runs a scenario with one seed. */
    public static Simulation.Trace trace(Class<? extends Scenario> scenario, long seed) {
        try {
            return Simulation.run(seed, SimulatedLoader.scenario(scenario.getName()));
        } catch (AssertionError e) {
            throw new SimulationFailure(
                    scenario.getSimpleName()
                            + " fails with seed "
                            + seed
                            + "; -D"
                            + PROPERTY
                            + "="
                            + seed
                            + " runs it alone: "
                            + e.getMessage(),
                    e);
        }
    }
}

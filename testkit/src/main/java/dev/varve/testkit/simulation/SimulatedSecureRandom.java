package dev.varve.testkit.simulation;

import java.security.SecureRandom;
import java.util.SplittableRandom;

/** Random bytes that the seed chooses. */
public final class SimulatedSecureRandom extends SecureRandom {
    private static final long serialVersionUID = 1;

    private final transient SplittableRandom random =
            new SplittableRandom(
                    Simulation.current().isInitialising()
                            ? 0
                            : Simulation.current().choices().nextLong());

    /** Stands for the constructor of the class that it extends. */
    public SimulatedSecureRandom() {
        super(null, null);
    }

    @Override
    public void nextBytes(byte[] bytes) {
        random.nextBytes(bytes);
    }

    @Override
    public String getAlgorithm() {
        return "simulated";
    }
}

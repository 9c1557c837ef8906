package dev.varve.platform.check;

/**
 * Receives each step of a check before the device computes it, since a faulty driver may end the
 * process there. Called from the thread that computes.
 */
public interface CheckSteps {
    /** Computes every step. */
    CheckSteps ALL =
            new CheckSteps() {
                @Override
                public boolean begin(String step) {
                    return true;
                }

                @Override
                public void end() {}
            };

    /**
     * A step begins.
     *
     * @param step operator with the types and extents of its operands
     * @return whether the device computes it; false if it ended an earlier process
     */
    boolean begin(String step);

    /** The device has computed the step that began last. */
    void end();
}

package dev.varve.platform.plan;

import java.util.OptionalDouble;
import java.util.function.Supplier;

/** Measures the share of the machine's cores that other processes use, from 0 to 1. */
public interface LoadMeter {
    /**
     * Begins a measurement.
     *
     * @return returns the share from the begin until its call; empty if the system does not report
     *     it
     */
    Supplier<OptionalDouble> begin();

    /** Returns the share of a short time, for which the call waits. */
    OptionalDouble now();
}

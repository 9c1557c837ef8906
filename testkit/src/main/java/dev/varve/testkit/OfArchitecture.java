package dev.varve.testkit;

/** A kind of random model. */
public interface OfArchitecture {
    /** {@code general.architecture} of its files. */
    String architecture();
}

package dev.varve.testkit;

/** Extent of a long test: a part of it in every build, all of it at night. */
public final class Effort {
    private static final boolean ALL = Boolean.getBoolean("varve.test.thorough");

    private Effort() {}

    /** Whether all of a long test is run. */
    public static boolean isFull() {
        return ALL;
    }

    /** Returns the number of repetitions in every build, or at night. */
    public static int of(int day, int night) {
        return ALL ? night : day;
    }
}

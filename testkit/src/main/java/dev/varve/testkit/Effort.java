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

    /**
     * Returns the number of repetitions that a system property asks for, otherwise that of every
     * build, or at night.
     *
     * @param property name of a system property with a positive number
     */
    public static int of(String property, int day, int night) {
        return Integer.getInteger(property, of(day, night));
    }
}

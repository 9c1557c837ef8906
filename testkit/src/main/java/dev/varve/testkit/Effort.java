package dev.varve.testkit;

/** How much of a long test is run: a part in every build, and all of it at night. */
public final class Effort {
    private static final boolean ALL = Boolean.getBoolean("varve.test.thorough");

    private Effort() {}

    /** Whether time does not matter. */
    public static boolean isFull() {
        return ALL;
    }

    /** How often something is tried by day, or at night. */
    public static int of(int day, int night) {
        return ALL ? night : day;
    }
}

package dev.varve.conformance;

import java.util.List;
import java.util.stream.Stream;

/** Cases of slow tests: some in every build, all of them in {@code .ci/run} and at night. */
final class Thorough {
    private static final boolean ALL = Boolean.getBoolean("varve.test.thorough");

    private Thorough() {}

    /** Whether time does not matter. */
    static boolean all() {
        return ALL;
    }

    /** The first cases of a test, or all. */
    static <T> Stream<T> first(int count, List<T> cases) {
        return cases.stream().limit(ALL ? cases.size() : count);
    }
}

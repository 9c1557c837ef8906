package dev.varve.conformance;

import dev.varve.testkit.Effort;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Cases of slow tests: some in every build, all of them at night. */
final class Thorough {
    private Thorough() {}

    /**
     * Whether a case of a product is tested: all are at night, else one of some. Each value of each
     * axis is combined with several of the others, as in a Latin square.
     *
     * @param some cases of which one is tested
     * @param places of the case's values on their axes, from 0
     */
    static boolean tries(int some, int... places) {
        return Effort.isFull() || IntStream.of(places).sum() % some == 0;
    }

    /** One of some cases of a test, beginning with the first, or all. */
    static <T> Stream<T> some(int of, List<T> cases) {
        return IntStream.range(0, cases.size())
                .filter(place -> tries(of, place))
                .mapToObj(cases::get);
    }

    /** The first cases of a test, or all. */
    static <T> Stream<T> first(int count, List<T> cases) {
        return cases.stream().limit(Effort.isFull() ? cases.size() : count);
    }
}

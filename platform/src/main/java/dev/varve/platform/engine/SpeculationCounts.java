package dev.varve.platform.engine;

import java.util.Arrays;
import java.util.List;

/**
 * What became of all guesses of an engine. Immutable.
 *
 * @param drafted guesses that were checked
 * @param accepted of these, the ones that were right
 * @param accepts by number of right guesses from 0 on, the checks of a sequence in a step
 * @param widths by number of guesses from 0 on, likewise
 */
public record SpeculationCounts(
        long drafted, long accepted, List<Long> accepts, List<Long> widths) {
    /** Nothing is guessed. */
    public static final SpeculationCounts NONE = new SpeculationCounts(0, 0, List.of(), List.of());

    /** Copies the lists. */
    public SpeculationCounts {
        accepts = List.copyOf(accepts);
        widths = List.copyOf(widths);
    }

    /** Checks of a sequence in a step. */
    public long verifySteps() {
        return accepts.stream().mapToLong(Long::longValue).sum();
    }

    /** Counts as they go on; for one thread. */
    static final class Running {
        private final long[] accepts;
        private final long[] widths;
        private long drafted;
        private long accepted;
        private SpeculationCounts told;

        /**
         * @param most guesses one after the other
         * @param columns guesses, whichever follow one another
         */
        Running(int most, int columns) {
            accepts = new long[most + 1];
            widths = new long[columns + 1];
            told = snapshot();
        }

        void verified(int guesses, int right) {
            drafted += guesses;
            accepted += right;
            widths[guesses]++;
            accepts[right]++;
        }

        /** The counts of this moment; the same ones as long as nothing was checked. */
        SpeculationCounts get() {
            if (told.drafted() != drafted) {
                told = snapshot();
            }
            return told;
        }

        private SpeculationCounts snapshot() {
            return new SpeculationCounts(drafted, accepted, list(accepts), list(widths));
        }

        private static List<Long> list(long[] values) {
            return Arrays.stream(values).boxed().toList();
        }
    }
}

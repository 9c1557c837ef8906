package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What became of all guesses of an engine. Immutable.
 *
 * @param drafted guesses that were checked
 * @param accepted of these, the ones that were right
 * @param accepts by number of right guesses from 0 on, the checks of a sequence in a step
 * @param widths by number of guesses from 0 on, likewise
 * @param name what guesses, for people; empty where nothing does
 * @param grades by grade of the drafts, as far as there were any
 */
public record SpeculationCounts(
        long drafted,
        long accepted,
        List<Long> accepts,
        List<Long> widths,
        String name,
        List<Grade> grades) {
    /** Nothing is guessed. */
    public static final SpeculationCounts NONE = new SpeculationCounts(0, 0, List.of(), List.of());

    /** Copies the lists. */
    public SpeculationCounts {
        accepts = List.copyOf(accepts);
        widths = List.copyOf(widths);
        grades = List.copyOf(grades);
        Objects.requireNonNull(name);
    }

    /** Guesses of which is not known where they came from. */
    public SpeculationCounts(long drafted, long accepted, List<Long> accepts, List<Long> widths) {
        this(drafted, accepted, accepts, widths, "", List.of());
    }

    /**
     * What became of the drafts of a grade.
     *
     * @param grade as the speculator gave it to them
     * @param drafted guesses that were checked
     * @param accepted of these, the ones that were right
     * @param verifySteps checks of a sequence in a step
     */
    public record Grade(int grade, long drafted, long accepted, long verifySteps) {}

    /** Checks of a sequence in a step. */
    public long verifySteps() {
        return accepts.stream().mapToLong(Long::longValue).sum();
    }

    /** Counts as they go on; for one thread. */
    static final class Running {
        private final long[] accepts;
        private final long[] widths;
        private final String name;
        private final long[][] grades = new long[Draft.MOST_GRADE + 1][3];
        private long drafted;
        private long accepted;
        private SpeculationCounts told;

        /**
         * @param name what guesses, for people
         * @param most guesses one after the other
         * @param columns guesses, whichever follow one another
         */
        Running(String name, int most, int columns) {
            this.name = name;
            accepts = new long[most + 1];
            widths = new long[columns + 1];
            told = snapshot();
        }

        void verified(DraftTokens guesses, int right) {
            drafted += guesses.count();
            accepted += right;
            widths[guesses.count()]++;
            accepts[right]++;
            long[] grade = grades[guesses.grade()];
            grade[0] += guesses.count();
            grade[1] += right;
            grade[2]++;
        }

        /** The counts of this moment; the same ones as long as nothing was checked. */
        SpeculationCounts get() {
            if (told.drafted() != drafted) {
                told = snapshot();
            }
            return told;
        }

        private SpeculationCounts snapshot() {
            return new SpeculationCounts(
                    drafted, accepted, list(accepts), list(widths), name, grades());
        }

        private List<Grade> grades() {
            List<Grade> seen = new ArrayList<>();
            for (int grade = 0; grade < grades.length; grade++) {
                long[] of = grades[grade];
                if (of[2] > 0) {
                    seen.add(new Grade(grade, of[0], of[1], of[2]));
                }
            }
            return seen;
        }

        private static List<Long> list(long[] values) {
            return Arrays.stream(values).boxed().toList();
        }
    }
}

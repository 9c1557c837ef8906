package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Counts of the draft tokens of an engine. Immutable.
 *
 * @param drafted verified draft tokens
 * @param accepted accepted draft tokens
 * @param accepts verifications by number of accepted tokens, from 0; one is of one sequence in one
 *     step
 * @param widths verifications by number of draft tokens, from 0
 * @param name display name of the speculator; empty without one
 * @param grades counts by grade, for grades with drafts
 */
public record SpeculationCounts(
        long drafted,
        long accepted,
        List<Long> accepts,
        List<Long> widths,
        String name,
        List<ConfidenceBucket> grades) {
    /** Counts without speculative decoding. */
    public static final SpeculationCounts NONE = new SpeculationCounts(0, 0, List.of(), List.of());

    /** Copies the lists. */
    public SpeculationCounts {
        accepts = List.copyOf(accepts);
        widths = List.copyOf(widths);
        grades = List.copyOf(grades);
        Objects.requireNonNull(name);
    }

    /** Creates counts without name and grades. */
    public SpeculationCounts(long drafted, long accepted, List<Long> accepts, List<Long> widths) {
        this(drafted, accepted, accepts, widths, "", List.of());
    }

    /**
     * Counts of the drafts of one grade.
     *
     * @param grade grade that the speculator gave to the drafts
     * @param drafted verified draft tokens
     * @param accepted accepted draft tokens
     * @param verifySteps verifications; one is of one sequence in one step
     */
    public record ConfidenceBucket(int grade, long drafted, long accepted, long verifySteps) {}

    /** Returns the number of verifications; one is of one sequence in one step. */
    public long verifySteps() {
        return accepts.stream().mapToLong(Long::longValue).sum();
    }

    /** Mutable counts. Not thread-safe. */
    static final class Running {
        private final long[] accepts;
        private final long[] widths;
        private final String name;
        private final long[][] grades = new long[Draft.MOST_GRADE + 1][3];
        private long drafted;
        private long accepted;
        private SpeculationCounts lastSnapshot;

        /**
         * @param name display name of the speculator
         * @param most most consecutive draft tokens
         * @param columns most draft tokens of a step, branches included
         */
        Running(String name, int most, int columns) {
            this.name = name;
            accepts = new long[most + 1];
            widths = new long[columns + 1];
            lastSnapshot = snapshot();
        }

        void verified(DraftTokens draftTokens, int right) {
            drafted += draftTokens.count();
            accepted += right;
            widths[draftTokens.count()]++;
            accepts[right]++;
            long[] grade = grades[draftTokens.grade()];
            grade[0] += draftTokens.count();
            grade[1] += right;
            grade[2]++;
        }

        /** Returns the current counts; the same object until a further draft token is verified. */
        SpeculationCounts get() {
            if (lastSnapshot.drafted() != drafted) {
                lastSnapshot = snapshot();
            }
            return lastSnapshot;
        }

        private SpeculationCounts snapshot() {
            return new SpeculationCounts(
                    drafted, accepted, list(accepts), list(widths), name, grades());
        }

        private List<ConfidenceBucket> grades() {
            List<ConfidenceBucket> seen = new ArrayList<>();
            for (int grade = 0; grade < grades.length; grade++) {
                long[] of = grades[grade];
                if (of[2] > 0) {
                    seen.add(new ConfidenceBucket(grade, of[0], of[1], of[2]));
                }
            }
            return seen;
        }

        private static List<Long> list(long[] values) {
            return Arrays.stream(values).boxed().toList();
        }
    }
}

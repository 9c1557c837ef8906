package dev.varve.api.speculation;

/**
 * Tokens that may follow.
 *
 * @param tokens ids of the model's vocabulary; not to be modified
 * @param grade which of a speculator's drafts are alike, 0 to {@value #MOST_GRADE}: how often they
 *     turn out right is measured for each grade by itself
 */
public record Draft(int[] tokens, int grade) {
    /** Highest grade. */
    public static final int MOST_GRADE = 7;

    /** No guess. */
    public static final Draft NONE = new Draft(new int[0], 0);

    /** Checks the grade. */
    public Draft {
        if (grade < 0 || grade > MOST_GRADE) {
            throw new IllegalArgumentException(
                    "grade: expected 0 to " + MOST_GRADE + ", found " + grade);
        }
    }

    /** Tokens of a speculator whose drafts are all alike. */
    public static Draft of(int... tokens) {
        return tokens.length == 0 ? NONE : new Draft(tokens, 0);
    }
}

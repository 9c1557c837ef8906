package dev.varve.api.speculation;

/**
 * Tokens that may follow: one after the other, or a tree of them, in which several are guesses for
 * the same place.
 *
 * @param tokens ids of the model's vocabulary; not to be modified. Those of a tree come so that its
 *     first ones are a tree, too: first those that follow one another and are thought likeliest,
 *     then others, the likeliest first
 * @param parents for each token, the number of the one that it follows, which stands before it, or
 *     -1 where it follows the last known token; none where each follows the one before. Not to be
 *     modified
 * @param grade which of a speculator's drafts are alike, 0 to {@value #MOST_GRADE}: how often they
 *     turn out right is measured for each grade by itself
 */
public record Draft(int[] tokens, int[] parents, int grade) {
    /** Highest grade. */
    public static final int MOST_GRADE = 7;

    /** No guess. */
    public static final Draft NONE = new Draft(new int[0], 0);

    /** Checks the grade, and that tokens follow others that are there. */
    public Draft {
        if (grade < 0 || grade > MOST_GRADE) {
            throw new IllegalArgumentException(
                    "grade: expected 0 to " + MOST_GRADE + ", found " + grade);
        }
        if (parents.length != 0 && parents.length != tokens.length) {
            throw new IllegalArgumentException(
                    "parents: expected none or " + tokens.length + ", found " + parents.length);
        }
        for (int i = 0; i < parents.length; i++) {
            if (parents[i] < -1 || parents[i] >= i) {
                throw new IllegalArgumentException(
                        "parents: token " + i + " cannot follow token " + parents[i]);
            }
        }
    }

    /** Tokens one after the other. */
    public Draft(int[] tokens, int grade) {
        this(tokens, new int[0], grade);
    }

    /** Tokens of a speculator whose drafts are all alike. */
    public static Draft of(int... tokens) {
        return tokens.length == 0 ? NONE : new Draft(tokens, 0);
    }

    /** How many of the first tokens follow one another, each the one before. */
    public int spine() {
        int length = 0;
        while (length < parents.length && parents[length] == length - 1) {
            length++;
        }
        return parents.length == 0 ? tokens.length : length;
    }

    /** Whether there are others than those. */
    public boolean branches() {
        return spine() < tokens.length;
    }
}

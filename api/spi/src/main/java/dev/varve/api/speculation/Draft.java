package dev.varve.api.speculation;

/**
 * Draft tokens: a sequence, or a tree in which several tokens are alternatives for one position.
 *
 * @param tokens ids of the model's vocabulary; not to be modified. The tokens of a tree are ordered
 *     so that any first ones of them form a tree, too: first the likeliest path, then the other
 *     tokens, the likeliest first
 * @param parents for each token the index of its parent, which comes before it, or -1 if it follows
 *     the last known token; empty where each token follows the one before. Not to be modified
 * @param grade class of similar drafts of a speculator, 0 to {@value #MOST_GRADE}: the acceptance
 *     rate is measured separately for each grade
 */
public record Draft(int[] tokens, int[] parents, int grade) {
    /** Highest grade. */
    public static final int MOST_GRADE = 7;

    /** An empty draft. */
    public static final Draft NONE = new Draft(new int[0], 0);

    /** Checks the grade, and that each parent precedes its child. */
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

    /** Creates a draft without alternatives. */
    public Draft(int[] tokens, int grade) {
        this(tokens, new int[0], grade);
    }

    /** Creates a draft for a speculator that uses a single grade. */
    public static Draft of(int... tokens) {
        return tokens.length == 0 ? NONE : new Draft(tokens, 0);
    }

    /** Number of first tokens of which each follows the one before. */
    public int spine() {
        int length = 0;
        while (length < parents.length && parents[length] == length - 1) {
            length++;
        }
        return parents.length == 0 ? tokens.length : length;
    }

    /** Returns whether there are further tokens behind those. */
    public boolean branches() {
        return spine() < tokens.length;
    }
}

package dev.varve.platform.speculation;

import dev.varve.api.backend.TokenTrees;

/**
 * Whether drafts may branch, so that a step verifies several draft tokens for one position.
 *
 * @param draftTokens maximum draft tokens of a tree; 0 without branches
 * @param always in every step, and not only if that was measured to be better
 */
public record TreeOptions(int draftTokens, boolean always) {
    /** Drafts without branches. */
    public static final TreeOptions OFF = new TreeOptions(0, false);

    /** Default number of draft tokens of a tree. */
    public static final int USUAL = 22;

    /** Maximum that can be requested; the known token is one of a tree's, too. */
    public static final int MOST = TokenTrees.MOST_TOKENS - 1;

    /** Checks the number. */
    public TreeOptions {
        if (draftTokens < 0 || draftTokens > MOST || always && draftTokens == 0) {
            throw new IllegalArgumentException(
                    "draft tokens of a tree: expected 0 to "
                            + MOST
                            + ", at least 1 if always drafted, found "
                            + draftTokens);
        }
    }
}

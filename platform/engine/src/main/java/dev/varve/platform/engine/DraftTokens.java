package dev.varve.platform.engine;

import dev.varve.api.backend.TokenTrees;
import dev.varve.api.speculation.Draft;
import dev.varve.platform.shard.TokenTree;

import java.util.Arrays;

/**
 * Draft tokens of a sequence that a step verifies.
 *
 * @param tokens token ids
 * @param tree parent of each token; the first node is the last known token
 * @param grade grade of the draft
 */
record DraftTokens(int[] tokens, TokenTree tree, int grade) {
    static final DraftTokens NONE = new DraftTokens(new int[0], TokenTree.CHAIN, 0);

    /** Returns the first {@code count} tokens of a draft. */
    static DraftTokens of(Draft draft, int count) {
        int[] tokens = Arrays.copyOf(draft.tokens(), count);
        if (count <= draft.spine()) {
            return count == 0 ? NONE : new DraftTokens(tokens, TokenTree.CHAIN, draft.grade());
        }
        int[] parents = new int[count + 1];
        parents[0] = -1;
        for (int i = 0; i < count; i++) {
            parents[i + 1] = draft.parents()[i] + 1;
        }
        return new DraftTokens(tokens, TokenTree.of(parents), draft.grade());
    }

    /**
     * Returns a copy of the usable part of a draft, independent of the speculator's arrays.
     *
     * @param most most consecutive draft tokens
     * @param branched most draft tokens of a tree; 0 for no tree
     */
    static Draft fit(Draft draft, int most, int branched) {
        int spine = Math.min(draft.spine(), most);
        boolean fits = draft.branches() && draft.spine() <= most && branched > spine;
        int count = Math.min(draft.tokens().length, branched);
        if (!fits || isTooDeep(draft, count, Math.min(most, TokenTrees.MOST_LEVELS - 1))) {
            return new Draft(Arrays.copyOf(draft.tokens(), spine), draft.grade());
        }
        return new Draft(
                Arrays.copyOf(draft.tokens(), count),
                Arrays.copyOf(draft.parents(), count),
                draft.grade());
    }

    private static boolean isTooDeep(Draft draft, int count, int most) {
        int[] depths = new int[count];
        for (int i = 0; i < count; i++) {
            int parent = draft.parents()[i];
            depths[i] = parent < 0 ? 1 : depths[parent] + 1;
            if (depths[i] > most) {
                return true;
            }
        }
        return false;
    }

    int count() {
        return tokens.length;
    }

    /**
     * Returns the draft token with a given id that follows another draft token.
     *
     * @param number number of the preceding draft token, from 1; 0 for the known token
     * @return its number; -1 if there is none
     */
    int next(int number, int token) {
        for (int i = number; i < tokens.length; i++) {
            if (tokens[i] == token && tree.parent(i + 1) == number) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Returns whether any draft token follows the one with this number, as in {@link #next}. */
    boolean continuesAfter(int number) {
        for (int i = number; i < tokens.length; i++) {
            if (tree.parent(i + 1) == number) {
                return true;
            }
        }
        return false;
    }
}

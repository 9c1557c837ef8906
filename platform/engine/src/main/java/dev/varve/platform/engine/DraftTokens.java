package dev.varve.platform.engine;

import dev.varve.api.backend.TokenTrees;
import dev.varve.api.speculation.Draft;
import dev.varve.platform.shard.TokenTree;

import java.util.Arrays;

/**
 * Guesses of a sequence that a step checks.
 *
 * @param tokens they themselves
 * @param tree which token each one follows, where the last known one is the first of the tree
 * @param grade of their draft
 */
record DraftTokens(int[] tokens, TokenTree tree, int grade) {
    static final DraftTokens NONE = new DraftTokens(new int[0], TokenTree.CHAIN, 0);

    /** The first ones of a draft. */
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
     * What of a draft can be of use, safe from whoever made it.
     *
     * @param most guesses one after the other
     * @param branched guesses of a tree; 0 where none is wanted
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
     * The guess that follows another one with a token.
     *
     * @param number of that other guess, from 1 on; 0 for the known token
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

    /** Whether any guess follows another one, as {@link #next} numbers it. */
    boolean goesOnBehind(int number) {
        for (int i = number; i < tokens.length; i++) {
            if (tree.parent(i + 1) == number) {
                return true;
            }
        }
        return false;
    }
}

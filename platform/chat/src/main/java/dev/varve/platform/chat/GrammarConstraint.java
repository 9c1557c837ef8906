package dev.varve.platform.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.grammar.GrammarState;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.sampling.TokenMask;

import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Constrains content to a grammar. */
final class GrammarConstraint implements ContentConstraint {
    private final Set<Integer> endTokens;
    private GrammarState state;

    /**
     * @param start start state of the grammar
     * @param endTokens tokens that end a response
     */
    GrammarConstraint(GrammarState start, Set<Integer> endTokens) {
        this.endTokens = endTokens;
        state = start;
    }

    @Override
    public boolean constrains() {
        return true;
    }

    @Override
    public boolean isWhole() {
        return true;
    }

    @Override
    public boolean allows(int token) {
        return within(() -> state.allows(token));
    }

    @Override
    public TokenMask mask() {
        return within(state::mask);
    }

    @Override
    public int[] forced(int most) {
        return within(() -> state.forced(most));
    }

    @Override
    public void accept(int token) {
        state =
                within(() -> state.accept(token))
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "the grammar does not allow token " + token));
    }

    /** Whether only an end token may come. */
    boolean mustEnd() {
        return state.mustEnd();
    }

    @Override
    public int allowed(int[] tokens) {
        return within(() -> walk(tokens));
    }

    private int walk(int... tokens) {
        GrammarState at = state;
        for (int i = 0; i < tokens.length; i++) {
            if (endTokens.contains(tokens[i])) {
                return at.mayEnd() ? i + 1 : i;
            }
            Optional<GrammarState> next = at.accept(tokens[i]);
            if (next.isEmpty()) {
                return i;
            }
            at = next.get();
        }
        return tokens.length;
    }

    /**
     * Runs a grammar step; converts a grammar that exceeds its work limit to an exception for the
     * client.
     */
    private static <T> T within(Supplier<T> step) {
        try {
            return step.get();
        } catch (GrammarLimitException e) {
            throw new VarveException(VarveException.Kind.INVALID_REQUEST, e.getMessage(), e);
        }
    }
}

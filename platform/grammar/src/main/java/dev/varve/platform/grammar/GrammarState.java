package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.sampling.TokenMask;

import java.util.Optional;

/**
 * Position of a text in a grammar. Immutable: to go back, keep an earlier state. Equal states
 * permit the same continuations; states that permit the same continuations are mostly equal.
 */
public final class GrammarState {
    private final TokenGrammar grammar;
    private final ParseState state;

    /** Shared by all states of one response. */
    private final ResponseWorkBudget budget;

    GrammarState(TokenGrammar grammar, ParseState state, ResponseWorkBudget budget) {
        this.grammar = grammar;
        this.state = state;
        this.budget = budget;
    }

    /** Returns whether the text may end here. */
    public boolean mayEnd() {
        return state.accepts();
    }

    /** Returns whether the text must end here. */
    public boolean mustEnd() {
        return state.isFinal();
    }

    /** Returns whether a token may follow; an end token may if the text may end. */
    public boolean allows(int token) {
        return grammar.isEndToken(token) && mayEnd()
                || !grammar.next(state, budget, token).isDead();
    }

    /** Returns the state after a token of the text; empty if it may not follow. */
    public Optional<GrammarState> accept(int token) {
        return stateOf(grammar.next(state, budget, token));
    }

    /** Returns the state after bytes of the text; empty if they may not follow. */
    public Optional<GrammarState> read(byte... bytes) {
        return stateOf(grammar.next(state, budget, bytes));
    }

    private Optional<GrammarState> stateOf(ParseState next) {
        return next.isDead()
                ? Optional.empty()
                : Optional.of(new GrammarState(grammar, next, budget));
    }

    /** Returns the tokens that may follow, including the end tokens if the text may end. */
    public TokenMask mask() {
        return grammar.mask(state, budget);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GrammarState that && grammar == that.grammar && state == that.state;
    }

    @Override
    public int hashCode() {
        return state.hashCode();
    }

    /**
     * Returns the tokens that must follow, in order, at most {@code most}; none if there is a
     * choice.
     */
    public int[] forced(int most) {
        return grammar.forced(state, budget, most);
    }
}

package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.sampling.TokenMask;

import java.util.Optional;

/**
 * Where a text stands in a grammar. Immutable: keeping one is all that going back takes. Equal ones
 * have the same future; those with the same future are mostly equal.
 */
public final class GrammarState {
    private final TokenGrammar grammar;
    private final ParseState state;

    /** All states of one answer share it. */
    private final ResponseWorkBudget budget;

    GrammarState(TokenGrammar grammar, ParseState state, ResponseWorkBudget budget) {
        this.grammar = grammar;
        this.state = state;
        this.budget = budget;
    }

    /** Whether the text may end here. */
    public boolean mayEnd() {
        return state.accepts();
    }

    /** Whether the text must end here. */
    public boolean mustEnd() {
        return state.isFinal();
    }

    /** Whether a token may follow; an end token may where the text may end. */
    public boolean allows(int token) {
        return grammar.isEndToken(token) && mayEnd()
                || !grammar.next(state, budget, token).isDead();
    }

    /** The state behind a token that is part of the text; empty if it may not follow. */
    public Optional<GrammarState> accept(int token) {
        return stateOf(grammar.next(state, budget, token));
    }

    /** The state behind bytes of the text; empty if they may not follow. */
    public Optional<GrammarState> read(byte... bytes) {
        return stateOf(grammar.next(state, budget, bytes));
    }

    private Optional<GrammarState> stateOf(ParseState next) {
        return next.isDead()
                ? Optional.empty()
                : Optional.of(new GrammarState(grammar, next, budget));
    }

    /** The tokens that may follow, the end tokens among them where the text may end. */
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

    /** Tokens that must follow in turn, at most so many; none where there is a choice. */
    public int[] forced(int most) {
        return grammar.forced(state, budget, most);
    }
}

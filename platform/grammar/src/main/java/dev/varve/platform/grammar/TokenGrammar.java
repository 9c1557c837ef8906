package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.Grammar;
import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.mask.SortedVocabulary;
import dev.varve.platform.grammar.mask.TokenMasks;
import dev.varve.platform.grammar.regex.WorkBudget;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * A grammar over the tokens of a model. Its states are immutable; it caches their transitions and
 * masks, within bounds, for all users of the grammar. Any thread may call it; calls are serialised.
 */
public final class TokenGrammar {
    /** Some tenths of a second; hand-written grammars take thousands of units. */
    private static final long MOST_UNITS = 4_000_000;

    private final Recognizer recognizer;
    private final TokenMasks masks;
    private final SortedVocabulary table;
    private final ForcedText forced;
    private final WorkBudget workBudget;
    private final int[] endTokens;
    private volatile long bytes;

    TokenGrammar(
            Grammar grammar, WorkBudget workBudget, SortedVocabulary table, Tokenizer tokenizer) {
        this.workBudget = workBudget;
        this.table = table;
        recognizer = new Recognizer(grammar);
        masks = new TokenMasks(table, recognizer);
        forced = new ForcedText(recognizer, tokenizer);
        endTokens = tokenizer.endTokens().stream().mapToInt(Integer::intValue).toArray();
        bytes = recognizer.footprint().bytes();
    }

    /** Returns the start state of a new response, which has a work budget of its own. */
    public GrammarState start() {
        return new GrammarState(this, recognizer.start(), new ResponseWorkBudget());
    }

    /** Returns the state after a token; dead if it may not follow. */
    ParseState next(ParseState state, ResponseWorkBudget budget, int token) {
        return token < 0 || token >= table.size() || table.bytes(token).length == 0
                ? recognizer.dead()
                : next(state, budget, table.bytes(token));
    }

    /** Returns the state after some bytes; dead if they may not follow. */
    ParseState next(ParseState state, ResponseWorkBudget budget, byte... bytes) {
        return serve(
                budget,
                () -> {
                    budget.pieceRead();
                    return recognizer.next(state, bytes);
                });
    }

    /** Returns the tokens that may follow, including the end tokens if the text may end. */
    TokenMask mask(ParseState state, ResponseWorkBudget budget) {
        return serve(
                budget,
                () ->
                        TokenMask.of(
                                withEnd(state, masks.mask(state)), table.places(), table.tokens()));
    }

    private long[] withEnd(ParseState state, long... mask) {
        if (!state.accepts()) {
            return mask;
        }
        long[] bits = mask.clone();
        for (int token : endTokens) {
            int place = table.places()[token];
            bits[place >> 6] |= 1L << place;
        }
        return bits;
    }

    /**
     * Returns the tokens that must follow, in order, at most {@code most}; none if there is a
     * choice.
     */
    int[] forced(ParseState state, ResponseWorkBudget budget, int most) {
        int[] tokens = serve(budget, () -> forced.tokens(state));
        return tokens.length > most ? Arrays.copyOf(tokens, most) : tokens;
    }

    /** Approximate bytes of the grammar and its caches: at most 64 MiB, except during a step. */
    long bytes() {
        return bytes;
    }

    boolean isEndToken(int token) {
        return Arrays.stream(endTokens).anyMatch(end -> end == token);
    }

    private synchronized <T> T serve(ResponseWorkBudget budget, Supplier<T> answer) {
        budget.require();
        workBudget.allow(MOST_UNITS);
        try {
            return answer.get();
        } finally {
            budget.spent(workBudget.spent());
            recognizer.clearIfFull();
            masks.discardStale();
            bytes = recognizer.footprint().bytes() + masks.bytes();
        }
    }
}

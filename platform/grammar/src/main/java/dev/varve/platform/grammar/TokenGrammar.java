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
 * A grammar over the tokens of a model. Its states are immutable; what is computed of them is kept
 * here, within bounds, for all who use the grammar. Any threads may ask, one at a time is served.
 */
public final class TokenGrammar {
    /** Some tenths of a second; what people write takes thousands of units. */
    private static final long MOST_UNITS = 4_000_000;

    private final Recognizer recognizer;
    private final TokenMasks masks;
    private final SortedVocabulary table;
    private final ForcedText forced;
    private final WorkBudget fuel;
    private final int[] endTokens;
    private volatile long bytes;

    TokenGrammar(Grammar grammar, WorkBudget fuel, SortedVocabulary table, Tokenizer tokenizer) {
        this.fuel = fuel;
        this.table = table;
        recognizer = new Recognizer(grammar);
        masks = new TokenMasks(table, recognizer);
        forced = new ForcedText(recognizer, tokenizer);
        endTokens = tokenizer.endTokens().stream().mapToInt(Integer::intValue).toArray();
        bytes = recognizer.footprint().bytes();
    }

    /** Returns the start state of a new answer, which has a work budget of its own. */
    public GrammarState start() {
        return new GrammarState(this, recognizer.start(), new ResponseWorkBudget());
    }

    /** The state behind a token; dead if it may not follow. */
    ParseState next(ParseState state, ResponseWorkBudget budget, int token) {
        return token < 0 || token >= table.size() || table.bytes(token).length == 0
                ? recognizer.dead()
                : next(state, budget, table.bytes(token));
    }

    /** The state behind some bytes; dead if they may not follow. */
    ParseState next(ParseState state, ResponseWorkBudget budget, byte... bytes) {
        return serve(
                budget,
                () -> {
                    budget.pieceRead();
                    return recognizer.next(state, bytes);
                });
    }

    /** The tokens that may follow, the end tokens among them where the text may end. */
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

    /** The tokens that must follow in turn, at most so many; none where there is a choice. */
    int[] forced(ParseState state, ResponseWorkBudget budget, int most) {
        int[] tokens = serve(budget, () -> forced.tokens(state));
        return tokens.length > most ? Arrays.copyOf(tokens, most) : tokens;
    }

    /**
     * About how many bytes the grammar takes, with what is kept of it: at most 64 MiB, but in the
     * midst of a step.
     */
    long bytes() {
        return bytes;
    }

    boolean isEndToken(int token) {
        return Arrays.stream(endTokens).anyMatch(end -> end == token);
    }

    private synchronized <T> T serve(ResponseWorkBudget budget, Supplier<T> answer) {
        budget.require();
        fuel.allow(MOST_UNITS);
        try {
            return answer.get();
        } finally {
            budget.spent(fuel.spent());
            recognizer.relieve();
            masks.forgetOld();
            bytes = recognizer.footprint().bytes() + masks.bytes();
        }
    }
}

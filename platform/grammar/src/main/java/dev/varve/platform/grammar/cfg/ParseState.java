package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.LexState;

/**
 * Where a text stands in a grammar: everything that may have been read until here and may follow.
 * Immutable; equal states of one {@link Recognizer} are the same object as long as it keeps them.
 */
public final class ParseState {
    /** Sets behind which a terminal is being read. */
    final EarleySet[] starts;

    /** What was read of it: the state of the lexer, for each start. */
    final LexState[] lexemes;

    /** The states behind a byte of each class; null where not known yet. */
    final ParseState[] next;

    private final boolean accepts;

    ParseState(EarleySet[] starts, LexState[] lexemes, boolean accepts, int classes) {
        this.starts = starts;
        this.lexemes = lexemes;
        this.accepts = accepts;
        next = new ParseState[classes];
    }

    /** Whether the text may end here. */
    public boolean accepts() {
        return accepts;
    }

    /** Whether this is within a terminal, and in no other one. */
    boolean isReadingOne() {
        return starts.length == 1 && !accepts;
    }

    /** Whether the text may end here and cannot go on. */
    public boolean isFinal() {
        return starts.length == 0 && accepts;
    }

    /** Whether nothing may follow, and the text must not end here either. */
    public boolean isDead() {
        return starts.length == 0 && !accepts;
    }
}

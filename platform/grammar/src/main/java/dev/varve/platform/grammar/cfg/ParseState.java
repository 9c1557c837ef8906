package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.LexState;

/**
 * Position of a text in a grammar: all terminals that may have been read so far and all that may
 * follow. Immutable; equal states of one {@link Recognizer} are the same object as long as it keeps
 * them.
 */
public final class ParseState {
    /** Sets after which a terminal is being read. */
    final EarleySet[] starts;

    /** State of the lexer within that terminal, for each start. */
    final LexState[] lexemes;

    /** The states after a byte of each class; null if not computed yet. */
    final ParseState[] next;

    private final boolean accepts;

    ParseState(EarleySet[] starts, LexState[] lexemes, boolean accepts, int classes) {
        this.starts = starts;
        this.lexemes = lexemes;
        this.accepts = accepts;
        next = new ParseState[classes];
    }

    /** Returns whether the text may end here. */
    public boolean accepts() {
        return accepts;
    }

    /** Returns whether exactly one terminal is being read here. */
    boolean isReadingOne() {
        return starts.length == 1 && !accepts;
    }

    /** Returns whether the text may end here and cannot continue. */
    public boolean isFinal() {
        return starts.length == 0 && accepts;
    }

    /** Returns whether nothing may follow, and the text may not end here either. */
    public boolean isDead() {
        return starts.length == 0 && !accepts;
    }
}

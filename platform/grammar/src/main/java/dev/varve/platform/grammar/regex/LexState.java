package dev.varve.platform.grammar.regex;

import java.util.Arrays;

/**
 * The possible rest of each of several terminals after the bytes read since they began. Created by
 * a {@link Lexer}, which keeps one object for each.
 */
public final class LexState {
    private static final int[] NONE = {};

    private final int id;
    final int[] terminals;
    final Regex[] rests;
    final LexState[] next;
    private final int[] complete;
    private final boolean canContinue;

    LexState(int id, int[] terminals, Regex[] rests, int classes, boolean canContinue) {
        this.id = id;
        this.terminals = terminals;
        this.rests = rests;
        this.next = new LexState[classes];
        int[] done = new int[terminals.length];
        int count = 0;
        for (int i = 0; i < rests.length; i++) {
            if (rests[i].nullable) {
                done[count++] = terminals[i];
            }
        }
        complete = count == 0 ? NONE : Arrays.copyOf(done, count);
        this.canContinue = canContinue;
    }

    /** Number in the order in which a lexer created its states. */
    public int id() {
        return id;
    }

    /** The terminals that end here, ascending. Not to be modified. */
    public int[] complete() {
        return complete;
    }

    /** Returns whether any terminal ends here. */
    public boolean isComplete() {
        return complete.length > 0;
    }

    /** Returns whether any terminal may have more bytes. */
    public boolean canContinue() {
        return canContinue;
    }

    /** Returns whether no terminal is left. */
    public boolean isDead() {
        return terminals.length == 0;
    }

    @Override
    public String toString() {
        return Arrays.toString(rests);
    }
}

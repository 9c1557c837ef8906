package dev.varve.platform.mtp;

import dev.varve.api.speculation.HiddenStates;

import java.util.Arrays;

/**
 * State of a sequence. The row of a token needs the hidden states of the token before it, so the
 * last collected states are kept until the next token is known. A gap in the positions restarts a
 * sequence: rows are counted from its beginning, since attention depends on distances only.
 */
final class MtpSequence {
    private final int region;
    private final MtpFile file;

    /** Position of the first row. */
    private int begin;

    /** Position after the rows in the cache. */
    private int stored;

    /** Position after the tokens whose states were collected. */
    private int collected;

    /** States of the token before {@link #collected}, in the format of a row's input. */
    private float[] lastStates;

    /** Number of rows after {@link #stored}. */
    private int pending;

    private int[] tokens = new int[0];
    private float[] columns = new float[0];

    /**
     * @param region of its rows
     */
    MtpSequence(int region, MtpFile file) {
        this.region = region;
        this.file = file;
        restart(0);
    }

    int region() {
        return region;
    }

    int collected() {
        return collected;
    }

    /** Number of positions that the next draft uses, without that of its first token. */
    int count() {
        return collected - begin + (file.samePosition() ? 1 : 0);
    }

    int pending() {
        return pending;
    }

    /** Drops all rows; the next state is that of the given position. */
    void restart(int position) {
        // The first token has no predecessor; for any other one the state of its predecessor is
        // unknown.
        begin = position == 0 && !file.samePosition() ? 0 : position + 1;
        stored = begin;
        collected = position;
        lastStates = new float[file.columnLength()];
        pending = 0;
    }

    /**
     * Adds the states of the next token.
     *
     * @param states of it and others, of each capture
     * @param index of the token in the states
     */
    void append(int token, HiddenStates states, int index) {
        if (collected >= stored + pending) {
            add(token);
        }
        int width = file.width();
        for (int i = 0; i < states.layers().size(); i++) {
            HiddenStates.Layer layer = states.layers().get(i);
            int column = layer.firstColumn() + index;
            System.arraycopy(layer.values(), column * width, lastStates, i * width, width);
        }
        collected++;
    }

    private void add(int token) {
        if (pending == tokens.length) {
            int room = Math.max(4, 2 * pending);
            tokens = Arrays.copyOf(tokens, room);
            columns = Arrays.copyOf(columns, room * lastStates.length);
        }
        tokens[pending] = token;
        System.arraycopy(lastStates, 0, columns, pending * lastStates.length, lastStates.length);
        pending++;
    }

    /** Returns the rows that are not in the cache yet, and counts them as cached. */
    MtpModel.Rows takeRows() {
        MtpModel.Rows rows =
                new MtpModel.Rows(
                        region,
                        stored - begin,
                        Arrays.copyOf(tokens, pending),
                        Arrays.copyOf(columns, pending * lastStates.length));
        stored += pending;
        pending = 0;
        // Frees the arrays: a prompt has many rows, a step few.
        tokens = new int[0];
        columns = new float[0];
        return rows;
    }

    /** As {@link #takeRows}, with the row of a chosen token whose state is not known yet. */
    MtpModel.Rows takeWith(int anchor) {
        // After a repeated call the row is in the cache already.
        stored = Math.min(stored, collected);
        add(anchor);
        return takeRows();
    }
}

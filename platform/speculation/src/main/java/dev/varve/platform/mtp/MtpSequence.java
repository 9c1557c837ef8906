package dev.varve.platform.mtp;

import dev.varve.api.speculation.HiddenStates;

import java.util.Arrays;

/**
 * What is known of a sequence. The row of a token takes the hidden states of the token before it,
 * so the last ones that were seen are kept until the token behind them is known. Positions that are
 * left out begin a sequence anew: rows count from where they begin, as only distances matter to
 * attention.
 */
final class MtpSequence {
    private final int region;
    private final MtpFile file;

    /** Position of the first row. */
    private int begin;

    /** Position behind the rows that are in the cache. */
    private int stored;

    /** Position behind the tokens whose states were seen. */
    private int seen;

    /** States of the token before {@link #seen}, as a row takes them in. */
    private float[] carry;

    /** Rows behind {@link #stored}. */
    private int pending;

    private int[] tokens = new int[0];
    private float[] columns = new float[0];

    /**
     * @param region where its rows are
     */
    MtpSequence(int region, MtpFile file) {
        this.region = region;
        this.file = file;
        restart(0);
    }

    int region() {
        return region;
    }

    int seen() {
        return seen;
    }

    /** Positions that the next guess goes by, but for that of the token it begins with. */
    int count() {
        return seen - begin + (file.staysInPlace() ? 1 : 0);
    }

    int pending() {
        return pending;
    }

    /** Forgets all rows; the next state is that of a position. */
    void restart(int position) {
        // Nothing stands before the first token; of any other one the state is not known.
        begin = position == 0 && !file.staysInPlace() ? 0 : position + 1;
        stored = begin;
        seen = position;
        carry = new float[file.columnLength()];
        pending = 0;
    }

    /**
     * The next token.
     *
     * @param states of it and others, of each capture
     * @param index of it among them
     */
    void append(int token, HiddenStates states, int index) {
        if (seen >= stored + pending) {
            add(token);
        }
        int width = file.width();
        for (int i = 0; i < states.layers().size(); i++) {
            HiddenStates.Layer layer = states.layers().get(i);
            int column = layer.firstColumn() + index;
            System.arraycopy(layer.values(), column * width, carry, i * width, width);
        }
        seen++;
    }

    private void add(int token) {
        if (pending == tokens.length) {
            int room = Math.max(4, 2 * pending);
            tokens = Arrays.copyOf(tokens, room);
            columns = Arrays.copyOf(columns, room * carry.length);
        }
        tokens[pending] = token;
        System.arraycopy(carry, 0, columns, pending * carry.length, carry.length);
        pending++;
    }

    /** The rows that are not in the cache yet, where there are some; from now on they are. */
    MtpModel.Rows take() {
        MtpModel.Rows rows =
                new MtpModel.Rows(
                        region,
                        stored - begin,
                        Arrays.copyOf(tokens, pending),
                        Arrays.copyOf(columns, pending * carry.length));
        stored += pending;
        pending = 0;
        // A prompt's rows are many, those of a step few.
        tokens = new int[0];
        columns = new float[0];
        return rows;
    }

    /** Likewise, and the row of a token that was chosen and whose state is not known. */
    MtpModel.Rows takeWith(int anchor) {
        // It is there already if it was asked for twice.
        stored = Math.min(stored, seen);
        add(anchor);
        return take();
    }
}

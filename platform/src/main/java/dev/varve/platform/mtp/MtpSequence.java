package dev.varve.platform.mtp;

import java.util.Arrays;

/**
 * What is known of a sequence. The row of a token takes the hidden state of the token before it, so
 * the last state that was seen is kept until the token behind it is known. Positions that are left
 * out begin a sequence anew: rows count from where they begin, as only distances matter to
 * attention.
 */
final class MtpSequence {
    private final int region;
    private final int width;

    /** Position of the first row. */
    private int begin;

    /** Position behind the rows that are in the cache. */
    private int stored;

    /** Position behind the tokens whose states were seen. */
    private int seen;

    /** State of the token before {@link #seen}. */
    private float[] carry;

    /** Rows behind {@link #stored}. */
    private int pending;

    private int[] tokens = new int[0];
    private float[] states = new float[0];

    /**
     * @param region where its rows are
     * @param width elements of a state
     */
    MtpSequence(int region, int width) {
        this.region = region;
        this.width = width;
        carry = new float[width];
    }

    int region() {
        return region;
    }

    int seen() {
        return seen;
    }

    /** Rows from the first one to before the one of {@link #seen}. */
    int count() {
        return seen - begin;
    }

    int pending() {
        return pending;
    }

    /** Forgets all rows; the next state is that of a position. */
    void restart(int position) {
        // Nothing stands before the first token; of any other one the state is not known.
        begin = position == 0 ? 0 : position + 1;
        stored = begin;
        seen = position;
        carry = new float[width];
        pending = 0;
    }

    /**
     * The next token.
     *
     * @param values holds its state from {@code offset} on
     */
    void append(int token, float[] values, int offset) {
        if (seen >= stored + pending) {
            add(token);
        }
        carry = Arrays.copyOfRange(values, offset, offset + width);
        seen++;
    }

    private void add(int token) {
        if (pending == tokens.length) {
            int room = Math.max(4, 2 * pending);
            tokens = Arrays.copyOf(tokens, room);
            states = Arrays.copyOf(states, room * width);
        }
        tokens[pending] = token;
        System.arraycopy(carry, 0, states, pending * width, width);
        pending++;
    }

    /** The rows that are not in the cache yet, where there are some; from now on they are. */
    MtpModel.Rows take() {
        MtpModel.Rows rows =
                new MtpModel.Rows(
                        region,
                        stored - begin,
                        Arrays.copyOf(tokens, pending),
                        Arrays.copyOf(states, pending * width),
                        MtpModel.Origin.TRUNK);
        stored += pending;
        pending = 0;
        // A prompt's rows are many, those of a step few.
        tokens = new int[0];
        states = new float[0];
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

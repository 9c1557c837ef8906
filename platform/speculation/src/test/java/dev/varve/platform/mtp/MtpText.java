package dev.varve.platform.mtp;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.TokenHistory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A random text with hidden states, and the plain definition of the draft tokens after it: each row
 * has the states of the token before it, and draft tokens depend on all rows since a gap.
 */
final class MtpText {
    private final MtpFile file;
    private final long sequence;
    private final int[] tokens;
    private final float[][][] states;

    /**
     * @param length tokens; the states of the last one are not known
     */
    MtpText(MtpFile file, long sequence, int length) {
        this.file = file;
        this.sequence = sequence;
        Random random = new Random(sequence);
        tokens = random.ints(length, 0, file.target().vocabularySize()).toArray();
        states = new float[length][file.captures().size()][file.width()];
        for (float[][] position : states) {
            for (float[] layer : position) {
                for (int i = 0; i < layer.length; i++) {
                    layer[i] = random.nextFloat();
                }
            }
        }
    }

    long sequence() {
        return sequence;
    }

    /** The first tokens, as callers show them. */
    TokenHistory history(int size) {
        return new TokenHistory() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public int get(int position) {
                if (position >= size) {
                    throw new IndexOutOfBoundsException(position);
                }
                return tokens[position];
            }
        };
    }

    /** States of some positions, between columns of others, as a batch has them. */
    HiddenStates states(int begin, int end) {
        List<HiddenStates.Layer> layers = new ArrayList<>();
        for (int layer = 0; layer < file.captures().size(); layer++) {
            int first = 2 + layer;
            float[] values = new float[(first + end - begin + 1) * file.width()];
            Arrays.fill(values, Float.NaN);
            for (int i = begin; i < end; i++) {
                System.arraycopy(
                        states[i][layer],
                        0,
                        values,
                        (first + i - begin) * file.width(),
                        file.width());
            }
            layers.add(new HiddenStates.Layer(file.captures().get(layer), values, first));
        }
        return new HiddenStates(sequence, begin, end - begin, layers);
    }

    /** Shows states to a speculator. */
    void show(MtpSpeculator speculator, int begin, int end) {
        speculator.observe(states(begin, end), history(end));
    }

    /** Returns a request for a draft after a known text. */
    DraftRequest request(int known, int most) {
        return new DraftRequest(sequence, history(known + 1), most);
    }

    /** Returns the draft of a speculator for a known text and the token after it. */
    int[] guess(MtpSpeculator speculator, int known, int most) {
        List<Draft> drafts = speculator.propose(List.of(request(known, most)));
        return drafts.getFirst().tokens();
    }

    /**
     * Returns the draft tokens by their plain definition.
     *
     * @param begin first position since which all states are known
     * @param known positions whose states are known
     */
    int[] expected(int begin, int known, int most) {
        boolean inPlace = file.samePosition();
        List<ColumnShard.Row> rows = new ArrayList<>();
        // The first token of a text has no token before it; an assistant never sees that row.
        int first = begin == 0 && !inPlace ? 0 : begin + 1;
        for (int position = first; position <= known; position++) {
            float[] column = new float[file.columnLength()];
            for (int layer = 0; layer < file.captures().size() && position > 0; layer++) {
                System.arraycopy(
                        states[position - 1][layer], 0, column, layer * file.width(), file.width());
            }
            rows.add(new ColumnShard.Row(tokens[position], column));
        }
        int[] draftTokens = new int[most];
        for (int i = 0; i < most; i++) {
            ColumnShard.Reply reply = ColumnShard.Reply.of(rows, file);
            draftTokens[i] = reply.token();
            float[] column = rows.getLast().column().clone();
            int own = column.length - file.width();
            Arrays.fill(column, own - file.width(), own, 0);
            System.arraycopy(reply.state(), 0, column, own, file.width());
            if (inPlace) {
                rows.removeLast();
            }
            rows.add(new ColumnShard.Row(reply.token(), column));
        }
        return draftTokens;
    }
}

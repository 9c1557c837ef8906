package dev.varve.platform.engine;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;

import java.util.ArrayList;
import java.util.List;

/**
 * A model of hash functions, small enough for thousands of runs. Every token depends on every row
 * and state before it. See {@link SimulatedShard}.
 *
 * @param recurrent whether the middle one of its layers keeps a state instead of rows
 */
public record SimulatedModel(boolean recurrent) {
    /** Number of layers. */
    public static final int LAYERS = 3;

    /** Most tokens of a sequence. */
    public static final int CONTEXT = 3 * KvSlotSpan.BLOCK;

    static final int VOCABULARY = 211;

    /** The shape of its layers. */
    public ModelShape shape() {
        return new ModelShape("hashing", new ModelShape.Sizes(1, VOCABULARY, CONTEXT), states(), 0);
    }

    private List<LayerState> states() {
        List<LayerState> states = new ArrayList<>();
        for (int layer = 0; layer < LAYERS; layer++) {
            states.add(
                    isRecurrent(layer)
                            ? new LayerState.Recurrent(2, 2, 1, 1)
                            : new LayerState.FullAttention(1, 1, 1));
        }
        return states;
    }

    boolean isRecurrent(int layer) {
        return recurrent && layer == 1;
    }

    /** The layout of the caches of this model. */
    public CacheLayout layout() {
        return CacheLayout.of(
                shape(),
                new LayerRange(0, LAYERS),
                new CacheTypes(GgmlType.F32, GgmlType.F32),
                2 * KvSlotSpan.BLOCK);
    }

    static long mix(long a, long b) {
        long mixed = (a ^ Long.rotateLeft(b, 29)) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 31;
    }

    static long embedded(int token) {
        return mix(token, 1);
    }

    /** Returns the row that a layer caches for a position: a hash of the input and the position. */
    static long row(long input, int position) {
        return mix(input, position);
    }

    static int token(long value) {
        return Math.floorMod(value, VOCABULARY);
    }

    /** Returns the response to a prompt, computed alone, token by token. */
    List<Integer> answer(int[] prompt, int count) {
        long[] seen = new long[LAYERS];
        List<Integer> answer = new ArrayList<>();
        long value = 0;
        for (int position = 0; position < prompt.length + count - 1; position++) {
            value =
                    embedded(
                            position < prompt.length
                                    ? prompt[position]
                                    : answer.get(position - prompt.length));
            for (int layer = 0; layer < LAYERS; layer++) {
                seen[layer] = mix(seen[layer], isRecurrent(layer) ? value : row(value, position));
                value = mix(value, seen[layer]);
            }
            if (position >= prompt.length - 1) {
                answer.add(token(value));
            }
        }
        return answer;
    }
}

package dev.varve.platform.draft;

import dev.varve.api.speculation.HiddenStates;

import java.util.List;

/** Hidden states of the target that are to be processed together, each with its cache row. */
final class PendingHiddenStates {
    private final int featureLength;
    private final float[] states;
    private final int[] regions;
    private final int[] positions;
    private final long[] rows;
    private int count;

    /**
     * @param most maximum number of tokens
     * @param featureLength elements of a token's states
     */
    PendingHiddenStates(int most, int featureLength) {
        this.featureLength = featureLength;
        states = new float[Math.multiplyExact(most, featureLength)];
        regions = new int[most];
        positions = new int[most];
        rows = new long[most];
    }

    /** Adds the states of one token; the buffer must not be full. */
    void add(HiddenStates from, int token, int region, long row) {
        List<HiddenStates.Layer> layers = from.layers();
        int hidden = featureLength / layers.size();
        for (int i = 0; i < layers.size(); i++) {
            HiddenStates.Layer layer = layers.get(i);
            System.arraycopy(
                    layer.values(),
                    (layer.firstColumn() + token) * hidden,
                    states,
                    count * featureLength + i * hidden,
                    hidden);
        }
        regions[count] = region;
        positions[count] = from.firstPosition() + token;
        rows[count] = row;
        count++;
    }

    /** Drops the states of a region. */
    void drop(int region) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (regions[i] != region) {
                move(i, kept);
                kept++;
            }
        }
        count = kept;
    }

    private void move(int from, int to) {
        System.arraycopy(states, from * featureLength, states, to * featureLength, featureLength);
        regions[to] = regions[from];
        positions[to] = positions[from];
        rows[to] = rows[from];
    }

    boolean isFull() {
        return count == rows.length;
    }

    int count() {
        return count;
    }

    float[] states() {
        return states;
    }

    int[] positions() {
        return positions;
    }

    long[] rows() {
        return rows;
    }

    void clear() {
        count = 0;
    }
}

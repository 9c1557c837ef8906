package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parts of a sequence's state, layer by layer, in the shards of a model. */
public final class CacheLayout {
    private final Map<Integer, RowLayout> rows = new TreeMap<>();
    private final Map<Integer, RowLayout> windows = new TreeMap<>();
    private final Map<Integer, List<Long>> states = new TreeMap<>();
    private final WindowRegionPositions rule;
    private final boolean forgets;

    private CacheLayout(WindowRegionPositions rule, boolean forgets) {
        this.rule = rule;
        this.forgets = forgets;
    }

    /**
     * Creates the layout of a layer range.
     *
     * @param regionSlots as in {@link CacheCapacities}
     */
    public static CacheLayout of(
            ModelShape shape, LayerRange range, CacheTypes types, int regionSlots) {
        CacheLayout layout =
                new CacheLayout(
                        new WindowRegionPositions(shape.window(), regionSlots), shape.forgets());
        for (int layer = range.begin(); layer < range.end(); layer++) {
            switch (shape.layers().get(layer)) {
                case LayerState.FullAttention full ->
                        layout.rows.put(layer, RowLayout.of(full, types));
                case LayerState.SlidingAttention sliding ->
                        layout.windows.put(layer, RowLayout.of(sliding, types));
                case LayerState.Recurrent state ->
                        layout.states.put(
                                layer, List.of(state.convElements(), state.matrixElements()));
                case LayerState.Custom own -> {
                    if (!own.parts().isEmpty()) {
                        layout.states.put(
                                layer,
                                own.parts().stream()
                                        .map(LayerState.Custom.Part::elements)
                                        .toList());
                    }
                }
                case LayerState.SharedAttention shared -> {
                    // Its rows are those of another layer.
                }
            }
        }
        return layout;
    }

    /** Whether a sequence can resume only at a checkpoint, since its earlier states are lost. */
    public boolean forgets() {
        return forgets;
    }

    /** Bytes of the K and V rows of one token in all full attention layers. */
    public long bytesPerToken() {
        return rows.values().stream().mapToLong(each -> each.bytes(1)).sum();
    }

    /**
     * Rows of consecutive positions in all full attention layers, layers in ascending order.
     *
     * @param span slots of the sequence
     */
    public List<CachePart> rows(KvSlotSpan span, int position, int count) {
        List<CachePart> parts = new ArrayList<>(rows.size());
        rows.forEach(
                (layer, layout) ->
                        parts.add(
                                new CachePart.Rows(
                                        layer, layout, span.slot(position), position, count)));
        return parts;
    }

    /**
     * Rows of consecutive positions in all full attention layers, layer by layer in ascending
     * order.
     *
     * @param runs the positions and the places of their rows
     */
    public List<List<CachePart>> rows(List<RowRun> runs) {
        List<List<CachePart>> layers = new ArrayList<>(rows.size());
        rows.forEach(
                (layer, layout) ->
                        layers.add(runs.stream().map(run -> run.part(layer, layout)).toList()));
        return layers;
    }

    /**
     * Bytes of the rows of consecutive positions, layer by layer, as {@link #rows} returns them.
     *
     * @param count positions
     */
    public long[] rowBytes(int count) {
        return rows.values().stream().mapToLong(each -> each.bytes(count)).toArray();
    }

    /**
     * Bytes of the states at a position, in the order of {@link #states}.
     *
     * @param position number of tokens that the states include, at least 1
     */
    public long[] stateBytes(int position) {
        return bytes(states(SequenceChunk.ZERO_ROW + 1, position));
    }

    private static long[] bytes(List<CachePart> parts) {
        return parts.stream().mapToLong(CachePart::bytes).toArray();
    }

    /**
     * States of all other layers, in ascending order; windows last.
     *
     * @param row state row that holds them
     * @param position number of tokens that they include, at least 1
     */
    public List<CachePart> states(int row, int position) {
        List<CachePart> parts = new ArrayList<>(states.size() + windows.size());
        states.forEach(
                (layer, elements) ->
                        parts.add(new CachePart.State(layer, elements, row, position)));
        int first = rule.first(position);
        windows.forEach(
                (layer, layout) ->
                        parts.add(new CachePart.Window(layer, layout, row, first, position)));
        return parts;
    }
}

package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

/**
 * Memory of the caches of a layer range.
 *
 * @param bytesPerSlot K and V rows of one token in the full attention layers
 * @param regionSlots slots of one state row's region for the sliding layers; 0 without sliding
 *     layers
 * @param recurrentBytes the recurrent states of one state row
 * @param regionBytes the region of one state row; the zero row has none
 */
public record CacheUnitBytes(
        long bytesPerSlot, int regionSlots, long recurrentBytes, long regionBytes) {
    /** Number of decode graphs that a shard keeps, each with its own compute buffer. */
    public static final int DECODE_GRAPHS = 4;

    /**
     * Maximum rows of logits whose best token a device with its own memory finds in a graph; that
     * needs as much memory as these logits.
     */
    public static final int MAX_ROW_MAXIMA = 16;

    /**
     * Memory, in rows of logits, that a device needs to find the best tokens of a row: a sort of
     * the whole row keeps keys, indexes and a copy of both.
     */
    public static final int ROWS_PER_TOP_ROW = 5;

    /** Far above any context length; rounding it up does not overflow an int. */
    private static final int LONGEST_WINDOW = 1 << 30;

    /**
     * Sums the layers of a range.
     *
     * @param chunk maximum tokens of a sequence in one batch
     * @param contextTokens maximum tokens of a sequence
     */
    public static CacheUnitBytes of(
            ModelShape shape, LayerRange range, CacheTypes types, int chunk, int contextTokens) {
        int region =
                shape.window().isPresent()
                        ? regionSlots(shape.window().getAsInt(), chunk, contextTokens)
                        : 0;
        return new CacheUnitBytes(
                bytesPerSlot(shape, range, LayerState.FullAttention.class, types),
                region,
                recurrentBytes(shape, range),
                regionBytes(shape, range, types, region));
    }

    /**
     * Returns the bytes of state rows.
     *
     * @param rows number of rows, the zero row included
     * @throws ArithmeticException if the sum overflows a {@code long}
     */
    public long stateBytes(int rows) {
        return Math.addExact(
                Math.multiplyExact(recurrentBytes, (long) rows),
                Math.multiplyExact(regionBytes, (long) Math.max(0, rows - 1)));
    }

    /**
     * Bytes of all caches of a range.
     *
     * @throws ArithmeticException if the sum overflows a {@code long}
     */
    public static long cacheBytes(
            ModelShape shape, LayerRange range, CacheTypes types, CacheCapacities capacities) {
        int region = capacities.regionSlots();
        CacheUnitBytes unitBytes =
                new CacheUnitBytes(
                        bytesPerSlot(shape, range, LayerState.FullAttention.class, types),
                        region,
                        recurrentBytes(shape, range),
                        regionBytes(shape, range, types, region));
        return Math.addExact(
                rollbackBufferBytes(shape, range, capacities.rollbackBuffers()),
                Math.addExact(
                        Math.multiplyExact(unitBytes.bytesPerSlot, (long) capacities.slots()),
                        unitBytes.stateBytes(capacities.stateRows())));
    }

    /** Bytes of the rollback buffers for drafted chunks. */
    public static long rollbackBufferBytes(
            ModelShape shape, LayerRange range, RollbackBufferSizes rollbackBuffers) {
        long elements = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Recurrent recurrent) {
                elements += rollbackBufferElements(recurrent);
            } else if (state instanceof LayerState.Custom own) {
                // The state after each token.
                elements = Math.addExact(elements, own.elements());
            }
        }
        return Math.multiplyExact(
                Math.multiplyExact(elements, Float.BYTES), rollbackBuffers.allTokens());
    }

    /** Elements that a token adds to a rollback buffer: channels, key and value, decay and beta. */
    private static long rollbackBufferElements(LayerState.Recurrent state) {
        return state.convChannels() + 2L * state.valueHeads() * (state.stateSize() + 1);
    }

    /**
     * Slots of a region: the window and the largest chunk, in whole blocks; at most those of the
     * longest sequence. This fits every chunk that does not cross a multiple of the largest chunk's
     * length.
     */
    private static int regionSlots(int window, int chunk, int contextTokens) {
        long slots =
                (long) KvSlotSpan.roundUp(Math.min(window, LONGEST_WINDOW))
                        + KvSlotSpan.roundUp(chunk);
        return (int) Math.min(slots, KvSlotSpan.roundUp(contextTokens));
    }

    /** K and V rows of one token in all layers of one kind. */
    private static long bytesPerSlot(
            ModelShape shape,
            LayerRange range,
            Class<? extends LayerState.Attention> kind,
            CacheTypes types) {
        long bytes = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (kind.isInstance(state)) {
                bytes += RowLayout.of(kind.cast(state), types).bytes(1);
            }
        }
        return bytes;
    }

    private static long regionBytes(
            ModelShape shape, LayerRange range, CacheTypes types, int regionSlots) {
        long sliding = bytesPerSlot(shape, range, LayerState.SlidingAttention.class, types);
        return Math.multiplyExact(sliding, (long) regionSlots);
    }

    /** Recurrent and custom states of one row in all layers; always F32. */
    private static long recurrentBytes(ModelShape shape, LayerRange range) {
        long bytes = 0;
        for (LayerState state : shape.layers().subList(range.begin(), range.end())) {
            if (state instanceof LayerState.Recurrent recurrent) {
                bytes += (recurrent.convElements() + recurrent.matrixElements()) * Float.BYTES;
            } else if (state instanceof LayerState.Custom own) {
                bytes = Math.addExact(bytes, Math.multiplyExact(own.elements(), Float.BYTES));
            }
        }
        return bytes;
    }
}

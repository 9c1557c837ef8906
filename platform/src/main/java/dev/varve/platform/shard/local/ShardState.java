package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.ShardOptions;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the graphs of a shard read and write.
 *
 * @param flashAttention whether they attend with one operator
 * @param exactRows what the numbers of a token may depend on
 * @param onHost whether the device computes in memory of the host
 */
record ShardState(
        ShardWeights weights,
        AttentionLayers layers,
        KvPool kvPool,
        WindowPool windows,
        StateRows stateRows,
        HadamardRotation rotation,
        boolean flashAttention,
        ExactRows exactRows,
        boolean onHost)
        implements AutoCloseable {

    /** Allocates the caches beside loaded weights; frees everything if there is no room. */
    static ShardState open(
            ShardWeights weights,
            ModelShape shape,
            LayerRange range,
            ShardOptions options,
            ComputeDevice device,
            boolean flashAttention) {
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        opened.push(weights);
        try {
            CacheTypes types = options.cacheTypes();
            KvPool pool =
                    new KvPool(
                            shape,
                            range,
                            LayerState.FullAttention.class,
                            types,
                            options.sizes().slots(),
                            device.bufferType());
            opened.push(pool);
            KvPool regions =
                    new KvPool(
                            shape,
                            range,
                            LayerState.SlidingAttention.class,
                            types,
                            Math.multiplyExact(
                                    options.sizes().regionSlots(), options.sizes().stateRows() - 1),
                            device.bufferType());
            opened.push(regions);
            StateRows rows =
                    new StateRows(shape, range, options.sizes().stateRows(), device.bufferType());
            opened.push(rows);
            return new ShardState(
                    weights,
                    new AttentionLayers(shape, range),
                    pool,
                    new WindowPool(
                            regions,
                            shape.window(),
                            options.sizes().regionSlots(),
                            options.sizes().stateRows()),
                    rows,
                    HadamardRotation.of(shape, range, types, device.bufferType()),
                    flashAttention,
                    options.numerics().exactRows(),
                    device.bufferType().isHost());
        } catch (RuntimeException | Error e) {
            while (!opened.isEmpty()) {
                closeAfter(opened.pop(), e);
            }
            throw e;
        }
    }

    private static void closeAfter(AutoCloseable resource, Throwable failure) {
        try {
            resource.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /** Bytes of all caches. */
    long cacheBytes() {
        return kvPool.bytes() + windows.pool().bytes() + stateRows.bytes();
    }

    @Override
    public void close() {
        rotation.close();
        stateRows.close();
        windows.close();
        kvPool.close();
        weights.close();
    }
}

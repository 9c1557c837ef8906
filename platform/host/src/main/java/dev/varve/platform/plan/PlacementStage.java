package dev.varve.platform.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * A device that may hold a run of a model's blocks, with the times and the bytes that a choice of
 * the run needs.
 *
 * @param memory number of its memory; stages with the same number share it
 * @param shardMillis part of the time of a token that does not depend on the blocks
 * @param blocks per block of the model
 * @param commonBytes bytes of weights that every run needs
 * @param headBytes more bytes of the run with the last block
 * @param isOptional whether it may hold no block
 */
record PlacementStage(
        int memory,
        double shardMillis,
        List<Block> blocks,
        long commonBytes,
        long headBytes,
        boolean isOptional) {
    /** Copies the blocks. */
    PlacementStage {
        blocks = List.copyOf(blocks);
    }

    /**
     * A block on the device.
     *
     * @param bytes bytes on the device without the experts: weights, KV cache and states
     * @param expertBytes bytes of the experts; 0 if they cannot be on another device
     * @param kept with all weights on the device
     * @param moved with the experts on the processor
     */
    record Block(long bytes, long expertBytes, Variant kept, Variant moved) {}

    /**
     * A block with or without its experts. A run has the buffers of its largest block.
     *
     * @param millis time of a token
     * @param bufferBytes compute buffers on the device
     * @param elsewhereBytes compute buffers in the processor's memory, for experts there
     */
    record Variant(double millis, long bufferBytes, long elsewhereBytes) {}

    /**
     * Returns the sizes that the buffers of a run may have, in ascending order.
     *
     * @param most number of sizes; others are rounded up
     */
    List<Long> bufferSizes(int most) {
        return sizes(Variant::bufferBytes, most);
    }

    /** Returns the sizes that the buffers in the processor's memory may have, likewise. */
    List<Long> elsewhereSizes(int most) {
        return sizes(Variant::elsewhereBytes, most);
    }

    private List<Long> sizes(ToLongFunction<Variant> of, int most) {
        TreeSet<Long> all = new TreeSet<>();
        for (Block block : blocks) {
            all.add(of.applyAsLong(block.kept));
            all.add(of.applyAsLong(block.moved));
        }
        List<Long> sizes = List.copyOf(all);
        List<Long> some = new ArrayList<>();
        int count = Math.min(most, sizes.size());
        for (int i = 1; i <= count; i++) {
            some.add(sizes.get(sizes.size() * i / count - 1));
        }
        return some;
    }
}

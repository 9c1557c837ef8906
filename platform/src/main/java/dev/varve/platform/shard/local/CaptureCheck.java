package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.List;

/**
 * Finds out at load whether a model's family offers what batches may ask for: a batch that came
 * back without it would cost a speculator its drafts, and nobody would notice.
 */
final class CaptureCheck {
    /**
     * More than the one whose output is wanted, so that columns that are dropped too early show.
     */
    private static final int TOKENS = 2;

    private CaptureCheck() {}

    /**
     * Checks the layers before anything is loaded.
     *
     * @throws VarveException of kind INVALID_REQUEST if the model has no such layer
     */
    static void requireLayers(LayerSplitAdapter model, List<Integer> captures) {
        int layers = model.shape().layerCount();
        if (!captures.isEmpty() && captures.getLast() > layers) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    model.shape().architecture()
                            + ": captures: expected layers 0 to "
                            + layers
                            + ", found "
                            + captures.getLast());
        }
    }

    /**
     * Records a small graph with all captures.
     *
     * @throws VarveException of kind UNSUPPORTED_MODEL naming the layers that are not offered
     */
    static void require(
            LayerSplitAdapter model,
            LayerRange range,
            ShardState state,
            ComputeDevice device,
            List<Integer> captures) {
        if (captures.stream().noneMatch(range::computesInputOf)) {
            return;
        }
        int windowSlots = model.shape().window().isPresent() ? SlotSpan.BLOCK : 0;
        GraphKey.Part part =
                new GraphKey.Part(
                        TOKENS,
                        false,
                        0,
                        SlotSpan.BLOCK,
                        0,
                        windowSlots,
                        false,
                        Slice.ZERO_ROW,
                        1,
                        1);
        GraphKey key = new GraphKey(Phase.PREFILL, List.of(part), captures);
        try (GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            new RecordedGraph(key, model, range, state, device, allocator).close();
        }
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;

/**
 * Records the graphs of a few batches at load, without computing them: a family that breaks a rule
 * of {@link GraphBuildValidator} is rejected before the first request.
 */
final class GraphDryRun {
    /**
     * Tokens of the chunk: more than those whose outputs are requested, so that missing narrowing
     * is detected; and enough that {@link GraphBuilder#lastColumns} drops some.
     */
    private static final int CHUNK = AttentionBlock.TILE + 2 * GraphBuilder.COLUMN_GROUP;

    /** More than one, since a single column would be broadcast to all where it does not fit. */
    private static final int OUTPUTS = 3;

    /** Sequences of a batch for states that the family advances itself. */
    private static final int SEQUENCES = 5;

    private GraphDryRun() {}

    /**
     * Checks the captures before anything is loaded.
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
     * Records a chunk without captures and, if some are requested, with all of them; and a batch of
     * several sequences, if the family advances states itself or if adapters change its products,
     * since both must distinguish them. A step of decode differs only in its number of tokens, to
     * which {@link GraphBuildValidator} applies the same checks; recording one as well would about
     * double the time at every start.
     *
     * @throws GraphBuildException naming plugin, layer and operator if the family breaks a rule or
     *     throws
     * @throws VarveException of kind UNAVAILABLE if the device does not support all of it
     */
    static void require(
            LayerSplitAdapter model,
            LayerRange range,
            ShardGraphContext context,
            ComputeDevice device,
            List<Integer> captures) {
        boolean slides = model.shape().window().isPresent();
        record(key(slides, List.of()), model, range, context, device);
        boolean advances =
                context.caches().stateRows().ownLayers().values().stream()
                        .anyMatch(own -> !own.parts().isEmpty());
        if (advances || !context.lora().adapters().isEmpty()) {
            record(sequences(slides, context), model, range, context, device);
        }
        if (captures.stream().anyMatch(range::computesInputOf)) {
            record(key(slides, captures), model, range, context, device);
        }
    }

    private static void record(
            GraphKey key,
            LayerSplitAdapter model,
            LayerRange range,
            ShardGraphContext context,
            ComputeDevice device) {
        GraphKey adapted = key.adapting(context.lora().adapters());
        UnallocatedGraph.of(adapted, model, range, context, device).close();
    }

    /** Key of two tokens of each of several sequences, as many as there are rows for states. */
    private static GraphKey sequences(boolean slides, ShardGraphContext context) {
        int rows = context.caches().stateRows().rows();
        List<GraphKey.ChunkShape> parts = new ArrayList<>();
        for (int row = 1; row < rows && row <= SEQUENCES; row++) {
            parts.add(
                    new GraphKey.ChunkShape(
                            new GraphKey.Columns(2, 1, ChunkComputeMode.CHUNK),
                            new GraphKey.Attended(0, KvSlotSpan.BLOCK, false),
                            new GraphKey.Attended(0, slides ? KvSlotSpan.BLOCK : 0, false),
                            new GraphKey.StateUse(row, row, ChunkPlacement.NO_ROLLBACK_BUFFER)));
        }
        return new GraphKey(Phase.PREFILL, parts, List.of());
    }

    /** Key of the first tokens of a sequence; only the outputs of the last ones are requested. */
    private static GraphKey key(boolean slides, List<Integer> captures) {
        GraphKey.ChunkShape part =
                new GraphKey.ChunkShape(
                        new GraphKey.Columns(CHUNK, OUTPUTS, ChunkComputeMode.CHUNK),
                        new GraphKey.Attended(0, KvSlotSpan.BLOCK, false),
                        new GraphKey.Attended(0, slides ? KvSlotSpan.BLOCK : 0, false),
                        new GraphKey.StateUse(
                                SequenceChunk.ZERO_ROW, 1, ChunkPlacement.NO_ROLLBACK_BUFFER));
        return new GraphKey(Phase.PREFILL, List.of(part), captures);
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.StateCommit;

import java.util.Map;

/**
 * Advances the recurrent states of a sequence over the accepted tokens of a drafted chunk: the
 * delta rule only, from inputs in the rollback buffer. The operator processes the tokens one after
 * the other, so the states have the bits that they have without drafts. States that families define
 * are copied.
 */
final class CommitGraph implements AutoCloseable {
    private static final int TENSORS_PER_LAYER = 24;

    /**
     * Key by which a graph is reused.
     *
     * @param tokens number of accepted tokens
     */
    record Key(GraphKey.StateUse states, int tokens) {
        static Key of(StateCommit commit) {
            return new Key(
                    new GraphKey.StateUse(
                            commit.readRow(), commit.writeRow(), commit.rollbackBuffer()),
                    commit.tokens());
        }
    }

    private final GgmlContext context;
    private final Graph graph;

    /**
     * Records the graph and allocates memory for its results.
     *
     * @param operators the device's own
     * @param allocator used for this graph until it is closed
     */
    CommitGraph(
            Key key, ShardCaches caches, RecurrentOperators operators, GraphAllocator allocator) {
        int layers =
                caches.rollbackBuffer().layers().size()
                        + caches.rollbackBuffer().ownLayers().size();
        int tensors = (layers + 1) * TENSORS_PER_LAYER;
        context = GgmlContext.open(tensors, tensors);
        try {
            graph = context.newGraph(tensors);
            record(key, caches, operators);
            allocator.reserve(graph);
            allocator.allocate(graph);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private void record(Key key, ShardCaches caches, RecurrentOperators operators) {
        Ops ops = context.ops();
        RecurrentStateViews states = new RecurrentStateViews(ops, graph, operators);
        RollbackBufferAccess rollback =
                new RollbackBufferAccess(ops, graph, caches.rollbackBuffer());
        UniformLengthGroup group = UniformLengthGroup.alone(key.tokens(), key.states());
        for (int layer : caches.rollbackBuffer().layers().keySet()) {
            RecurrentStateTensors.Layer cache = caches.stateRows().layer(layer);
            Tensor columns = rollback.convolution(layer, group);
            states.advanceWindow(cache, columns, group.readRow(), group.writeRow());
            states.advanceMatrix(
                    cache, rollback.delta(layer, group), group.readRow(), group.writeRow());
        }
        caches.rollbackBuffer()
                .ownLayers()
                .forEach((layer, parts) -> commit(ops, key, caches.stateRows().own(layer), parts));
    }

    /** The state after the last accepted token is there already. */
    private void commit(
            Ops ops,
            Key key,
            RecurrentStateTensors.Own rows,
            Map<LayerState.Custom.Part, Tensor> states) {
        states.forEach(
                (part, all) -> {
                    Tensor row = rows.parts().get(part);
                    Tensor target =
                            ops.view2d(
                                    row,
                                    row.ne(0),
                                    1,
                                    row.nb(1),
                                    key.states().writeRow() * row.nb(1));
                    Tensor accepted =
                            StateRollbackBuffer.after(
                                    ops, all, key.tokens() - 1, key.states().rollbackBuffer(), 1);
                    graph.expand(ops.copy(accepted, target));
                });
    }

    void compute(ComputeDevice device) {
        device.compute(graph, Phase.DECODE);
    }

    @Override
    public void close() {
        context.close();
    }
}

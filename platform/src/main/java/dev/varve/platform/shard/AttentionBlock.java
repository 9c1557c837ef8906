package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.Optional;

/**
 * Attention of a batch: writes K and V of all columns into the pool, then lets each sequence attend
 * to its own slots and to nothing else.
 */
final class AttentionBlock {
    private final Ops ops;
    private final Graph graph;
    private final GraphKey key;
    private final GraphInputs inputs;
    private final KvPool pool;
    private final HadamardRotation rotation;

    AttentionBlock(
            Ops ops,
            Graph graph,
            GraphKey key,
            GraphInputs inputs,
            KvPool pool,
            HadamardRotation rotation) {
        this.ops = ops;
        this.graph = graph;
        this.key = key;
        this.inputs = inputs;
        this.pool = pool;
        this.rotation = rotation;
    }

    Tensor attend(int layer, Tensor query, Tensor keys, Tensor values, float scale) {
        KvPool.Layer cache = pool.layer(layer);
        Optional<Integer> keyBlock =
                HadamardRotation.keyBlock(cache.keys().type(), cache.state().keyLength());
        Optional<Integer> valueBlock =
                HadamardRotation.valueBlock(cache.values().type(), cache.state().valueLength());
        Tensor rotatedQuery =
                keyBlock.map(block -> rotation.rotate(ops, query, block)).orElse(query);
        Tensor rotatedKeys = keyBlock.map(block -> rotation.rotate(ops, keys, block)).orElse(keys);
        Tensor rotatedValues =
                valueBlock.map(block -> rotation.rotate(ops, values, block)).orElse(values);
        graph.expand(rotatedQuery);
        graph.expand(rotatedKeys);
        graph.expand(rotatedValues);
        store(cache.keys(), rotatedKeys);
        store(cache.values(), rotatedValues);

        long columns = query.ne(2);
        Tensor result = null;
        int column = 0;
        for (int part = 0; part < key.parts().size(); part++) {
            Tensor own = attendPart(cache, part, column, rotatedQuery, scale);
            result = result == null ? own : ops.concat(result, own, 2);
            column += key.parts().get(part).tokens();
        }
        Tensor unrotated = result;
        if (valueBlock.isPresent()) {
            unrotated = rotation.rotate(ops, result, valueBlock.get());
        }
        return ops.reshape2d(unrotated, unrotated.ne(0) * unrotated.ne(1), columns);
    }

    private void store(Tensor cache, Tensor heads) {
        Tensor source = heads.isContiguous() ? heads : ops.cont(heads);
        Tensor rows = ops.reshape2d(source, cache.ne(0), heads.ne(2));
        graph.expand(ops.setRows(cache, rows, inputs.slots()));
    }

    /** One sequence: {@code F32 [valueLength, heads, tokens]}. */
    private Tensor attendPart(KvPool.Layer cache, int part, int column, Tensor query, float scale) {
        GraphKey.Part shape = key.parts().get(part);
        Tensor own =
                ops.view3d(
                        query,
                        query.ne(0),
                        query.ne(1),
                        shape.tokens(),
                        query.nb(1),
                        query.nb(2),
                        column * query.nb(2));
        Tensor attended =
                ops.flashAttention(
                        ops.permute(own, 0, 2, 1, 3),
                        rows(
                                cache.keys(),
                                cache.state().keyLength(),
                                cache.state().kvHeads(),
                                shape),
                        rows(
                                cache.values(),
                                cache.state().valueLength(),
                                cache.state().kvHeads(),
                                shape),
                        Optional.of(inputs.mask(part)),
                        scale,
                        0,
                        0);
        return attended;
    }

    /** The slots of one sequence as {@code [headLength, slots, kvHeads]}. */
    private Tensor rows(Tensor cache, int headLength, int kvHeads, GraphKey.Part shape) {
        GgmlType type = cache.type();
        Tensor view =
                ops.view3d(
                        cache,
                        headLength,
                        kvHeads,
                        shape.attendedSlots(),
                        type.rowBytes(headLength),
                        cache.nb(1),
                        shape.firstSlot() * cache.nb(1));
        return ops.permute(view, 0, 2, 1, 3);
    }
}

package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;

/**
 * Products of a layer's input that enter its gated delta net.
 *
 * @param columns queries, keys and values of all heads, {@code F32 [channels, T]}, contiguous
 * @param gate {@code F32 [valueLength, T]}, contiguous
 * @param beta before the sigmoid, {@code F32 [valueHeads, T]}, contiguous
 * @param alpha before its bias, as beta
 */
record NetInputs(Tensor columns, Tensor gate, Tensor beta, Tensor alpha) {
    static NetInputs of(ShardGraph graph, Qwen35Sizes.DeltaNet net, int layer, Tensor input) {
        Ops ops = graph.ops();
        return switch (net.form()) {
            case TILED ->
                    new NetInputs(
                            graph.matmul(block(layer, "attn_qkv"), input),
                            graph.matmul(block(layer, "attn_gate"), input),
                            graph.matmul(block(layer, "ssm_beta"), input),
                            graph.matmul(block(layer, "ssm_alpha"), input));
            case GROUPED -> {
                Tensor columns = graph.matmul(block(layer, "attn_qkv"), input);
                Tensor gate = graph.matmul(block(layer, "attn_gate"), input);
                Runs scalars = scalars(graph, net, layer, input);
                yield new NetInputs(
                        columns,
                        gate,
                        scalars.rows(ops, 0, net.group()),
                        scalars.rows(ops, net.group(), net.group()));
            }
            case JOINED -> {
                int head = net.stateSize();
                int values = head * net.group();
                Runs joined =
                        new Runs(
                                graph.matmul(block(layer, "ssm_in"), input),
                                net.keyHeads(),
                                2 * head + 2 * values);
                Tensor pair =
                        ops.concat(joined.rows(ops, 0, head), joined.rows(ops, head, head), 0);
                Runs scalars = scalars(graph, net, layer, input);
                yield new NetInputs(
                        ops.concat(pair, joined.rows(ops, 2 * head, values), 0),
                        joined.rows(ops, 2 * head + values, values),
                        scalars.rows(ops, 0, net.group()),
                        scalars.rows(ops, net.group(), net.group()));
            }
        };
    }

    private static Runs scalars(
            ShardGraph graph, Qwen35Sizes.DeltaNet net, int layer, Tensor input) {
        return new Runs(
                graph.matmul(block(layer, "ssm_ba"), input), net.keyHeads(), 2 * net.group());
    }

    /** Rows in runs of one length, one run for each key head. */
    private record Runs(Tensor all, int count, int length) {
        /** Some rows of each run, side by side: {@code F32 [rows * count, T]}, contiguous. */
        Tensor rows(Ops ops, int first, int rows) {
            long run = (long) length * Float.BYTES;
            Tensor view =
                    ops.view(
                            all,
                            Extents.of(rows, count, all.ne(1)),
                            Strides.of(run, all.nb(1)),
                            (long) first * Float.BYTES);
            return ops.cont2d(view, (long) rows * count, all.ne(1));
        }
    }
}

package dev.varve.platform.draft;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Optional;

/** The operators of a draft network over its weights, in one graph. */
final class DraftOperators {
    private final Ops ops;
    private final ShardWeights weights;
    private final DraftHyperparameters network;
    private final DraftTensorNames names;
    private final GgufFile file;

    DraftOperators(Ops ops, ShardWeights weights, DraftFile draft) {
        this.ops = ops;
        this.weights = weights;
        network = draft.network();
        names = draft.names();
        file = draft.file();
    }

    Ops ops() {
        return ops;
    }

    DraftHyperparameters network() {
        return network;
    }

    /**
     * Creates the filter that mixes the rows of a block around a part of a layer, from the part's
     * input.
     */
    BlockConvolution filter(BlockConvolution.SubLayer part, int layer, Tensor input) {
        return BlockConvolution.of(part, layer, this, weights, input);
    }

    private Tensor vector(String name) {
        return weights.get(name, TensorUse.ELEMENTWISE);
    }

    private Optional<Tensor> optional(String name) {
        return weights.has(name, TensorUse.ELEMENTWISE)
                ? Optional.of(vector(name))
                : Optional.empty();
    }

    /**
     * Attention sinks of a layer, which take a share of its attention without a value, {@code F32
     * [heads]}.
     */
    Optional<Tensor> sinks(int layer) {
        return optional(DraftTensorNames.sinks(layer));
    }

    Tensor norm(Tensor input, String weight) {
        return ops.mul(ops.rmsNorm(input, network.sizes().epsilon()), vector(weight));
    }

    /** Multiplies by a matrix, named without suffix, and applies its scale and bias. */
    Tensor multiply(String name, Tensor input) {
        return complete(name, weights.multiplyFew(ops, name + ".weight", input));
    }

    /** Applies the scale and bias of a matrix to a product. */
    private Tensor complete(String name, Tensor product) {
        Tensor scaled = optional(name + ".scale").map(s -> ops.mul(product, s)).orElse(product);
        return optional(name + ".bias").map(bias -> ops.add(scaled, bias)).orElse(scaled);
    }

    /** Rows of a table, {@code I32 [n] -> F32 [rowLength, n]}. */
    Tensor rows(String table, Tensor ids) {
        return ops.getRows(weights.get(table, TensorUse.COMPUTED_LOOKUP), ids);
    }

    /** Multiplies by a matrix whose rows are looked up as well, and applies its scale and bias. */
    Tensor multiplyTable(String name, Tensor input) {
        return complete(
                name, ops.mulMat(weights.get(name + ".weight", TensorUse.COMPUTED_LOOKUP), input));
    }

    /**
     * Applies scale and bias to some elements of such a product.
     *
     * @param name of the matrix, without suffix
     * @param ids of its rows, {@code I32 [n]}
     * @param product of the rows and some inputs, {@code F32 [n, inputs]}
     */
    Tensor completeRows(String name, Tensor ids, Tensor product) {
        Tensor scaled = optional(name + ".scale").map(s -> ops.mul(product, s)).orElse(product);
        return optional(name + ".bias")
                .map(
                        bias -> {
                            Tensor column = ops.reshape2d(bias, 1, bias.ne(0));
                            Tensor own = ops.getRows(column, ops.reshape2d(ids, ids.elements(), 1));
                            return ops.add(scaled, ops.reshape3d(own, ids.ne(0), 1, ids.ne(2)));
                        })
                .orElse(scaled);
    }

    /**
     * Whether states of each layer are normed before they are fused, so that their size does not
     * matter.
     */
    boolean normsFeatures() {
        return names.hasAuxiliary(file);
    }

    /**
     * Fuses all captured states: {@code F32 [features, n] -> F32 [hidden, n]}.
     *
     * @param factors {@code F32 [1, n]}, by which features were divided, if they were
     */
    Tensor fuse(Tensor features, Optional<Tensor> factors) {
        Tensor all = normsFeatures() ? normEach(features) : features;
        Tensor product = weights.multiplyFew(ops, names.fusion(), all);
        Tensor fused = factors.map(each -> ops.mul(product, each)).orElse(product);
        Tensor scaled = optional("fc.scale").map(s -> ops.mul(fused, s)).orElse(fused);
        return norm(scaled, names.fusionNorm());
    }

    private Tensor normEach(Tensor features) {
        int hidden = network.sizes().hidden();
        Tensor joined = null;
        for (int i = 0; i < network.captures().size(); i++) {
            Tensor own =
                    ops.cont(
                            ops.view2d(
                                    features,
                                    hidden,
                                    features.ne(1),
                                    features.nb(1),
                                    (long) i * hidden * Float.BYTES));
            Tensor normed = norm(own, names.auxiliary() + i + ".weight");
            joined = joined == null ? normed : ops.concat(joined, normed, 0);
        }
        return joined;
    }

    /** Input of the context's keys and values in a layer. */
    Tensor context(int layer, Tensor fused) {
        return network.variant().normsContext()
                ? norm(fused, DraftTensorNames.layer(layer, "attn_norm.weight"))
                : fused;
    }

    Tensor input(int layer, Tensor hidden) {
        return norm(hidden, DraftTensorNames.layer(layer, "attn_norm.weight"));
    }

    /** {@code F32 [length, heads, n]}, rotated by their positions. */
    Tensor queries(int layer, Tensor input, Tensor positions) {
        Tensor all =
                heads(
                        multiply(DraftTensorNames.layer(layer, "attn_q"), input),
                        network.heads().count());
        return turn(norm(all, DraftTensorNames.layer(layer, "attn_q_norm.weight")), positions);
    }

    /** {@code F32 [length, kvHeads, n]}, rotated by their positions. */
    Tensor keys(int layer, Tensor input, Tensor positions) {
        Tensor all = rawKeys(layer, input);
        return turn(norm(all, DraftTensorNames.layer(layer, "attn_k_norm.weight")), positions);
    }

    private Tensor rawKeys(int layer, Tensor input) {
        return heads(
                multiply(DraftTensorNames.layer(layer, "attn_k"), input), network.heads().kv());
    }

    /** {@code F32 [keyLength, n]}. */
    Tensor values(int layer, Tensor input) {
        String name = DraftTensorNames.layer(layer, "attn_v");
        if (weights.has(name + ".weight", TensorUse.MATMUL)) {
            return multiply(name, input);
        }
        Tensor normed = ops.rmsNorm(rawKeys(layer, input), network.sizes().epsilon());
        return ops.reshape2d(normed, network.heads().keyLength(), input.ne(1));
    }

    private Tensor heads(Tensor columns, int count) {
        return ops.reshape3d(columns, columns.ne(0) / count, count, columns.ne(1));
    }

    private Tensor turn(Tensor heads, Tensor positions) {
        return ops.ropeExt(heads, positions, optional("rope_freqs.weight"), network.rope());
    }

    /**
     * Computes the rest of a layer.
     *
     * @param hidden input of the layer
     * @param input of its attention
     * @param attended {@code F32 [length, heads, n]}
     * @param around filter around attention
     */
    Tensor finish(
            int layer, Tensor hidden, Tensor input, Tensor attended, BlockConvolution around) {
        DraftHyperparameters.Heads heads = network.heads();
        Tensor gated = gate(layer, input, attended);
        Tensor columns = ops.reshape2d(gated, heads.queryLength(), hidden.ne(1));
        Tensor out = around.behind(multiply(DraftTensorNames.layer(layer, "attn_output"), columns));
        String normName = names.feedForwardNorm(file, layer);
        String behind = DraftTensorNames.layer(layer, "post_attention_norm.weight");
        Tensor added = ops.add(hidden, behind.equals(normName) ? out : normed(out, behind));
        Tensor normed = norm(added, normName);
        BlockConvolution filter = filter(BlockConvolution.SubLayer.FFN, layer, normed);
        Tensor inner = filter.before(normed);
        Tensor up = multiply(DraftTensorNames.layer(layer, "ffn_up"), inner);
        Tensor gate = multiply(DraftTensorNames.layer(layer, "ffn_gate"), inner);
        Tensor mixed =
                network.variant().gelu() ? ops.gegluSplit(gate, up) : ops.swigluSplit(gate, up);
        Tensor down = filter.behind(multiply(DraftTensorNames.layer(layer, "ffn_down"), mixed));
        Tensor result =
                ops.add(added, normed(down, DraftTensorNames.layer(layer, "post_ffw_norm.weight")));
        return optional(DraftTensorNames.layer(layer, "layer_output_scale.weight"))
                .map(scale -> ops.mul(result, scale))
                .orElse(result);
    }

    private Tensor normed(Tensor input, String weight) {
        return weights.has(weight, TensorUse.ELEMENTWISE) ? norm(input, weight) : input;
    }

    private Tensor gate(int layer, Tensor input, Tensor attended) {
        String name = DraftTensorNames.layer(layer, "attn_gate");
        if (!weights.has(name + ".weight", TensorUse.MATMUL)) {
            return attended;
        }
        Tensor gate = ops.softplus(multiply(name, input));
        DraftHyperparameters.Heads heads = network.heads();
        Tensor factors =
                gate.ne(0) == heads.count()
                        ? ops.reshape3d(gate, 1, heads.count(), gate.ne(1))
                        : ops.reshape3d(gate, heads.length(), heads.count(), gate.ne(1));
        return ops.mul(attended, factors);
    }

    /** Views some rows of a cache as heads, {@code [length, rows, kvHeads]}. */
    Tensor cached(Tensor cache, int begin, int rows) {
        DraftHyperparameters.Heads heads = network.heads();
        long head = cache.type().rowBytes(heads.length());
        Tensor view =
                ops.view(
                        cache,
                        Extents.of(heads.length(), heads.kv(), rows),
                        Strides.of(head, cache.nb(1)),
                        begin * cache.nb(1));
        return ops.permute(view, 0, 2, 1, 3);
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorUse;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The operators of a graph that neither depend on a cache nor on the position in the model. */
abstract class LayerOperators implements ShardGraph {
    abstract ShardWeights weights();

    abstract MatrixProducts products();

    abstract MoeBlock experts();

    /** Names a result. */
    Tensor named(String name, Tensor result) {
        return result.named(name);
    }

    /** Checks the product of several matrices in one tensor before it is divided. */
    void checkFused(String fused, Tensor product, List<Projection> parts) {}

    @Override
    public boolean hasWeight(String name, TensorUse use) {
        return weights().has(name, use)
                || use == TensorUse.ROW_LOOKUP && weights().hostTable(name).isPresent();
    }

    @Override
    public Tensor matmul(String name, Tensor input) {
        Tensor product = products().multiply(name + ".weight", input);
        Optional<Tensor> scale = optionalWeight(name + ".scale", TensorUse.ELEMENTWISE);
        Tensor scaled = scale.isPresent() ? ops().mul(product, scale.get()) : product;
        Optional<Tensor> bias = optionalWeight(name + ".bias", TensorUse.ELEMENTWISE);
        return named(name, bias.isPresent() ? ops().add(scaled, bias.get()) : scaled);
    }

    @Override
    public Tensor product(String name, Tensor input) {
        return named(name, products().multiply(name, input));
    }

    @Override
    public Tensor matmulPerHead(String name, Tensor input) {
        return named(name, products().multiplyHeads(name + ".weight", input));
    }

    @Override
    public List<Tensor> projections(Tensor input, String fused, List<Projection> parts) {
        if (!hasWeight(fused + ".weight", TensorUse.MATMUL)) {
            return parts.stream().map(part -> matmul(part.name(), input)).toList();
        }
        Tensor all = matmul(fused, input);
        checkFused(fused, all, parts);
        List<Tensor> results = new ArrayList<>();
        long offset = 0;
        for (Projection part : parts) {
            results.add(ops().view2d(all, part.rows(), all.ne(1), all.nb(1), offset));
            offset += part.rows() * Float.BYTES;
        }
        return results;
    }

    @Override
    public Tensor heads(Tensor columns, int heads) {
        long length = columns.ne(0) / heads;
        return ops().view(
                        columns,
                        Extents.of(length, heads, columns.ne(1)),
                        Strides.of(length * Float.BYTES, columns.nb(1)),
                        0);
    }

    @Override
    public Tensor norm(Tensor input, String weight, float epsilon) {
        Tensor normed = ops().rmsNorm(input, epsilon);
        return named(weight, ops().mul(normed, weight(weight, TensorUse.ELEMENTWISE)));
    }

    @Override
    public Tensor gatedFeedForward(Tensor input, FeedForwardNames names, Activation activation) {
        Tensor up = matmul(names.name("up"), input);
        Tensor gate = matmul(names.name("gate"), input);
        return matmul(names.name("down"), FeedForwardActivation.of(ops(), activation, gate, up));
    }

    @Override
    public Tensor plainFeedForward(Tensor input, FeedForwardNames names, Activation activation) {
        Tensor up = matmul(names.name("up"), input);
        return matmul(names.name("down"), FeedForwardActivation.of(ops(), activation, up));
    }

    @Override
    public ExpertChoice chooseExperts(
            Tensor probabilities, Optional<Tensor> bias, ExpertRouting routing) {
        return experts().choose(probabilities, bias, routing);
    }

    @Override
    public Tensor expertFeedForward(
            Tensor input, ExpertChoice choice, String prefix, Activation activation) {
        return named(prefix, experts().feedForward(input, choice, prefix, activation));
    }
}

package dev.varve.platform.shard.image;

import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.api.vision.ImageGraph;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records the graph of one image. */
final class ImageGraphBuilder implements ImageGraph {
    private final GgmlContext context;
    private final ShardWeights weights;
    private final boolean onHost;
    private final List<Runnable> inputs = new ArrayList<>();

    /** K and V of the current block in half precision, used by all blocks in turn. */
    private Optional<HalfRows> halfRows = Optional.empty();

    private record HalfRows(Tensor keys, Tensor values) {}

    /**
     * @param onHost whether the device is the CPU, whose products always have F32 sums
     */
    ImageGraphBuilder(GgmlContext context, ShardWeights weights, boolean onHost) {
        this.context = context;
        this.weights = weights;
        this.onHost = onHost;
    }

    /** Writes the inputs, after the graph got its memory. */
    void fill() {
        inputs.forEach(Runnable::run);
    }

    @Override
    public Ops ops() {
        return context.ops();
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        return weights.get(name, use);
    }

    @Override
    public boolean hasWeight(String name, TensorUse use) {
        return weights.has(name, use);
    }

    @Override
    public Tensor input(String name, float[] values, long... shape) {
        Tensor tensor = context.newTensor(GgmlType.F32, shape).named(name).markInput();
        inputs.add(() -> tensor.write(values, 0, values.length, 0));
        return tensor;
    }

    @Override
    public Tensor input(String name, int[] values, long... shape) {
        Tensor tensor = context.newTensor(GgmlType.I32, shape).named(name).markInput();
        inputs.add(() -> tensor.write(values, 0, values.length, 0));
        return tensor;
    }

    @Override
    public Tensor matmul(String name, Tensor input) {
        Tensor product = weights.multiply(ops(), name + ".weight", input);
        // Accelerators would accumulate in half precision if they support it.
        Tensor precise = onHost ? product : ops().accumulateF32(product);
        return optionalWeight(name + ".bias", TensorUse.ELEMENTWISE)
                .map(bias -> ops().add(precise, bias))
                .orElse(precise);
    }

    @Override
    public Tensor attention(Tensor query, Tensor key, Tensor value, float scale) {
        HalfRows rows = halfRows.orElseGet(() -> newHalfRows(key, value));
        halfRows = Optional.of(rows);
        Tensor attended =
                ops().flashAttention(
                                byHeads(query),
                                ops().copy(byHeads(key), rows.keys()),
                                ops().copy(byHeads(value), rows.values()),
                                Optional.empty(),
                                AttentionOptions.scaled(scale));
        return ops().reshape2d(attended, attended.ne(0) * attended.ne(1), attended.ne(2));
    }

    private HalfRows newHalfRows(Tensor key, Tensor value) {
        return new HalfRows(half("half_keys", key), half("half_values", value));
    }

    private Tensor half(String name, Tensor rows) {
        return context.newTensor(GgmlType.F16, rows.ne(0), rows.ne(2), rows.ne(1)).named(name);
    }

    /** {@code [length, heads, N] -> [length, N, heads]}. */
    private Tensor byHeads(Tensor rows) {
        return ops().permute(rows, 0, 2, 1, 3);
    }
}

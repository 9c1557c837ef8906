package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.WeightLayout;

import java.util.List;

/**
 * Chooses the buffer type of a weight: the first of the device's types that supports the operator
 * for the weight. A probe operator is built without data, and the device is queried for support.
 */
final class WeightPlacement {
    /** Columns of the probe's other operand; any length of a prefill chunk works. */
    private static final long PROBE_COLUMNS = 512;

    private WeightPlacement() {}

    /**
     * Whether the host reads a weight row by row: a lookup table for a device with its own memory.
     */
    static boolean staysOnHost(ComputeDevice device, TensorSelection.Entry entry) {
        if (entry.use() != TensorUse.ROW_LOOKUP || device.bufferType().isHost()) {
            return false;
        }
        requireWeightType(entry.tensor());
        return true;
    }

    static BufferType choose(
            ComputeDevice device, TensorSelection.Entry entry, WeightLayout layout) {
        GgufTensor tensor = entry.tensor();
        List<BufferType> types = device.weightBufferTypes();
        BufferType plain = types.getLast();
        if (entry.use() == TensorUse.ELEMENTWISE || entry.use() == TensorUse.CONVOLUTION) {
            if (tensor.type() != GgmlType.F32) {
                throw new ModelFormatException(
                        tensor.file(), tensor.name(), "F32", tensor.describe());
            }
            return plain;
        }
        requireWeightType(tensor);
        if (entry.use() == TensorUse.PATCH_KERNEL) {
            return plain;
        }
        try (GgmlContext scratch = GgmlContext.open(8, 0)) {
            Tensor weight =
                    scratch.newTensor(
                            tensor.type(),
                            tensor.dimensions().stream().mapToLong(Long::longValue).toArray());
            Tensor probe = probe(scratch, weight, entry.use());
            for (BufferType type : layout == WeightLayout.REPACKED ? types : List.of(plain)) {
                if ((type == plain || isSafe(type, entry))
                        && device.ggmlDevice().supportsWeight(type, weight, probe)) {
                    return type;
                }
            }
        }
        throw new ModelFormatException(
                tensor.file(),
                tensor.name(),
                "a type that " + device.info().name() + " can use for " + entry.use(),
                tensor.describe());
    }

    /**
     * Whether products with the weight are correct in a layout of its own. For quantised rows that
     * are a single tile long, products of 32 and more columns are added to the previous content of
     * the result's memory; ggml v0.5.0 nevertheless reports support for them. A matrix per head has
     * no such layout: they are for a single matrix, or for chosen ones.
     */
    private static boolean isSafe(BufferType type, TensorSelection.Entry entry) {
        GgufTensor weight = entry.tensor();
        if (entry.use() == TensorUse.MATMUL && weight.dimensions().size() > 2) {
            return false;
        }
        return !type.name().equals(MatmulKernelProperties.TILES)
                || !weight.type().isQuantized()
                || weight.ne(0) > MatmulKernelProperties.TILE;
    }

    private static void requireWeightType(GgufTensor tensor) {
        if (!tensor.type().isWeightType()) {
            // The CPU device reports support for these types, but has no function for them.
            throw new ModelFormatException(
                    tensor.file(), tensor.name(), "a type for weights", tensor.describe());
        }
    }

    private static Tensor probe(GgmlContext scratch, Tensor weight, TensorUse use) {
        Ops ops = scratch.ops();
        return switch (use) {
            case MATMUL ->
                    ops.mulMat(
                            weight,
                            scratch.newTensor(
                                    GgmlType.F32, weight.ne(0), PROBE_COLUMNS, weight.ne(2)));
            case EXPERT_MATMUL ->
                    ops.mulMatId(
                            weight,
                            scratch.newTensor(GgmlType.F32, weight.ne(0), 1, PROBE_COLUMNS),
                            scratch.newTensor(GgmlType.I32, 1, PROBE_COLUMNS));
            case ROW_LOOKUP, COMPUTED_LOOKUP ->
                    ops.getRows(weight, scratch.newTensor(GgmlType.I32, PROBE_COLUMNS));
            case ELEMENTWISE, CONVOLUTION, PATCH_KERNEL ->
                    throw new IllegalArgumentException("no probe for " + use);
        };
    }
}

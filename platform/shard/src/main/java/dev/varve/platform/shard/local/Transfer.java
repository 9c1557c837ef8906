package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.InputUpload;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * Tensors that pass from one device to another. They are next to each other in a block on each
 * side, so that one copy moves all of them.
 *
 * @param sources contiguous tensors that the first device writes
 * @param targets tensors of the same types and shapes that the second device reads
 * @param offsets of the tensors in the blocks
 * @param sourceBlock all sources as bytes
 * @param targetBlock all targets as bytes
 */
record Transfer(
        List<Tensor> sources,
        List<Tensor> targets,
        List<Long> offsets,
        Tensor sourceBlock,
        Tensor targetBlock) {
    /** A multiple of every device's alignment. */
    static final long ALIGNMENT = 256;

    /**
     * Declares tensors for copies of some tensors.
     *
     * @param from context of the device that writes
     * @param to context of the device that reads
     */
    static Transfer declare(List<Tensor> tensors, GgmlContext from, GgmlContext to) {
        List<Tensor> sources = new ArrayList<>();
        List<Tensor> targets = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        long end = 0;
        for (Tensor tensor : tensors) {
            sources.add(like(tensor, from).named("sent"));
            targets.add(like(tensor, to).named("received"));
            offsets.add(end);
            end += Math.ceilDiv(sources.getLast().bytes(), ALIGNMENT) * ALIGNMENT;
        }
        return new Transfer(
                List.copyOf(sources),
                List.copyOf(targets),
                List.copyOf(offsets),
                from.newTensor(GgmlType.I8, end).named("sent block"),
                to.newTensor(GgmlType.I8, end).named("received block"));
    }

    private static Tensor like(Tensor tensor, GgmlContext context) {
        return context.newTensor(
                tensor.type(), tensor.ne(0), tensor.ne(1), tensor.ne(2), tensor.ne(3));
    }

    /** Size of a block. */
    long bytes() {
        return sourceBlock.bytes();
    }

    /** Places the blocks at an offset of a buffer on each side. */
    void place(DeviceBuffer source, DeviceBuffer target, long offset) {
        source.place(sourceBlock, offset);
        target.place(targetBlock, offset);
        for (int i = 0; i < sources.size(); i++) {
            source.place(sources.get(i), offset + offsets.get(i));
            target.place(targets.get(i), offset + offsets.get(i));
        }
    }

    /**
     * Copies the tensors, and computes a graph on the device that receives them.
     *
     * @param fromHost whether the sources are in host memory, from which a device with a queue
     *     copies before it computes, without a further wait
     */
    void computeAfter(ComputeDevice device, Graph graph, Phase phase, boolean fromHost) {
        if (fromHost) {
            device.compute(graph, phase, new InputUpload(sourceBlock, targetBlock, () -> {}));
        } else {
            sourceBlock.copyTo(targetBlock);
            device.compute(graph, phase);
        }
    }
}

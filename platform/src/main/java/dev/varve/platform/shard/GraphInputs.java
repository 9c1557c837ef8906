package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The input tensors of a recorded graph and how a batch fills them. An input is made when the graph
 * first asks for it. Runs per step: buffers are reused, and all inputs are written every time
 * because the allocator may reuse their memory once they were read.
 */
final class GraphInputs {
    /** Half-precision minus infinity: the slot is masked. */
    private static final short MASKED = (short) 0xFC00;

    private static final int AXES = 4;

    private final GgmlContext context;
    private final GraphKey key;
    private final int tokens;
    private final int embeddingLength;
    private Optional<Tensor> ids = Optional.empty();
    private Optional<Tensor> positions = Optional.empty();
    private Optional<Tensor> axisPositions = Optional.empty();
    private Optional<Tensor> boundary = Optional.empty();
    private Optional<Tensor> slots = Optional.empty();
    private Optional<Tensor> outputs = Optional.empty();
    private final List<Tensor> masks = new ArrayList<>();
    private final int[] intScratch;
    private final long[] slotScratch;
    private short[] maskScratch = new short[0];

    GraphInputs(GgmlContext context, GraphKey key, int embeddingLength) {
        this.context = context;
        this.key = key;
        this.embeddingLength = embeddingLength;
        tokens = key.tokens();
        intScratch = new int[AXES * tokens];
        slotScratch = new long[tokens];
    }

    Tensor ids() {
        ids = Optional.of(ids.orElseGet(() -> input("ids", GgmlType.I32, tokens)));
        return ids.get();
    }

    Tensor positions() {
        positions =
                Optional.of(positions.orElseGet(() -> input("positions", GgmlType.I32, tokens)));
        return positions.get();
    }

    Tensor axisPositions() {
        axisPositions =
                Optional.of(
                        axisPositions.orElseGet(
                                () -> input("axis_positions", GgmlType.I32, (long) AXES * tokens)));
        return axisPositions.get();
    }

    Tensor boundary() {
        boundary =
                Optional.of(
                        boundary.orElseGet(
                                () -> input("boundary", GgmlType.F32, embeddingLength, tokens)));
        return boundary.get();
    }

    Tensor slots() {
        slots = Optional.of(slots.orElseGet(() -> input("slots", GgmlType.I64, tokens)));
        return slots.get();
    }

    Tensor outputs() {
        outputs =
                Optional.of(outputs.orElseGet(() -> input("outputs", GgmlType.I32, key.outputs())));
        return outputs.get();
    }

    /** One mask per part of the batch, {@code F16 [attendedSlots, tokens]}. */
    Tensor mask(int part) {
        if (masks.isEmpty()) {
            for (GraphKey.Part each : key.parts()) {
                masks.add(input("mask", GgmlType.F16, each.attendedSlots(), each.tokens()));
            }
        }
        return masks.get(part);
    }

    private Tensor input(String name, GgmlType type, long... shape) {
        return context.newTensor(type, shape).named(name).markInput();
    }

    void fill(Batch batch, Optional<Boundary> activation) {
        ids.ifPresent(tensor -> writeIds(batch, tensor));
        positions.ifPresent(tensor -> writePositions(batch, tensor, 1));
        axisPositions.ifPresent(tensor -> writePositions(batch, tensor, AXES));
        slots.ifPresent(tensor -> writeSlots(batch, tensor));
        outputs.ifPresent(tensor -> writeOutputs(batch, tensor));
        boundary.ifPresent(
                tensor -> {
                    Boundary given = activation.orElseThrow();
                    tensor.write(given.values(), 0, tokens * embeddingLength, 0);
                });
        if (!masks.isEmpty()) {
            for (int part = 0; part < masks.size(); part++) {
                writeMask(batch.slices().get(part), masks.get(part));
            }
        }
    }

    private void writeIds(Batch batch, Tensor tensor) {
        int column = 0;
        for (Slice slice : batch.slices()) {
            tensor.write(slice.tokens(), 0, slice.tokens().length, column);
            column += slice.tokens().length;
        }
    }

    /** Text has the same position on the time, height and width axes and 0 on the fourth. */
    private void writePositions(Batch batch, Tensor tensor, int axes) {
        int column = 0;
        for (Slice slice : batch.slices()) {
            for (int i = 0; i < slice.tokens().length; i++) {
                intScratch[column++] = slice.firstPosition() + i;
            }
        }
        if (axes == AXES) {
            System.arraycopy(intScratch, 0, intScratch, tokens, tokens);
            System.arraycopy(intScratch, 0, intScratch, 2 * tokens, tokens);
            Arrays.fill(intScratch, 3 * tokens, 4 * tokens, 0);
        }
        tensor.write(intScratch, 0, axes * tokens, 0);
    }

    private void writeSlots(Batch batch, Tensor tensor) {
        int column = 0;
        for (Slice slice : batch.slices()) {
            for (int i = 0; i < slice.tokens().length; i++) {
                slotScratch[column++] = slice.slots().slot(slice.firstPosition() + i);
            }
        }
        tensor.write(slotScratch, 0, tokens, 0);
    }

    private void writeOutputs(Batch batch, Tensor tensor) {
        int column = 0;
        int count = 0;
        for (Slice slice : batch.slices()) {
            int last = column + slice.tokens().length;
            for (int i = last - slice.outputCount(); i < last; i++) {
                intScratch[count++] = i;
            }
            column = last;
        }
        tensor.write(intScratch, 0, count, 0);
    }

    private void writeMask(Slice slice, Tensor mask) {
        int attended = slice.attendedSlots();
        int rows = slice.tokens().length;
        int size = Math.multiplyExact(attended, rows);
        if (maskScratch.length < size) {
            maskScratch = new short[size];
        }
        for (int row = 0; row < rows; row++) {
            int begin = row * attended;
            int visible = slice.firstPosition() + row + 1;
            Arrays.fill(maskScratch, begin, begin + visible, (short) 0);
            Arrays.fill(maskScratch, begin + visible, begin + attended, MASKED);
        }
        mask.write(maskScratch, 0, size, 0);
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Input tensors of the attention layers of one kind: the target slots of the batch's K and V rows,
 * and the slots that each token attends to. Runs per step: buffers are reused.
 */
final class AttentionInputs {
    /** Columns of one part of the batch, and the slots that they read. */
    record Part(GraphKey.Columns columns, GraphKey.Attended attended) {
        int tokens() {
            return columns.tokens();
        }

        boolean rows() {
            return columns.rows();
        }

        boolean isPiece() {
            return columns.kind() == ChunkComputeMode.PIECE;
        }

        int slot() {
            return attended.slot();
        }

        int slots() {
            return attended.slots();
        }

        boolean byHeads() {
            return attended.byHeads();
        }
    }

    /** A mask for one part; rows beyond its tokens repeat the last one. */
    private record Mask(int part, Tensor tensor) {}

    private final GgmlContext context;
    private final List<Part> parts;
    private final CausalMask causal;
    private final int tokens;
    private Optional<Tensor> slots = Optional.empty();
    private final List<Mask> masks = new ArrayList<>();
    private final long[] slotScratch;
    private short[] maskScratch = new short[0];

    /**
     * @param window positions that a token attends to, its own included
     */
    AttentionInputs(GgmlContext context, List<Part> parts, int window) {
        this.context = context;
        this.parts = List.copyOf(parts);
        causal = new CausalMask(window);
        tokens = parts.stream().mapToInt(Part::tokens).sum();
        slotScratch = new long[tokens];
    }

    List<Part> parts() {
        return parts;
    }

    /** Slot of each token's own rows, {@code I64 [T]}. */
    Tensor slots() {
        slots =
                Optional.of(
                        slots.orElseGet(
                                () ->
                                        context.newTensor(GgmlType.I64, tokens)
                                                .named("slots")
                                                .markInput()));
        return slots.get();
    }

    /**
     * Mask of the slots that the tokens of a part attend to, {@code F16 [slots, rows]}.
     *
     * @param rows the part's tokens, or more; further rows equal the last one
     */
    Tensor mask(int part, int rows) {
        for (Mask mask : masks) {
            if (mask.part() == part && mask.tensor().ne(1) == rows) {
                return mask.tensor();
            }
        }
        Tensor tensor =
                context.newTensor(GgmlType.F16, parts.get(part).slots(), rows)
                        .named("mask")
                        .markInput();
        masks.add(new Mask(part, tensor));
        return tensor;
    }

    /** The inputs that were created. */
    List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>();
        slots.ifPresent(tensors::add);
        masks.forEach(mask -> tensors.add(mask.tensor()));
        return tensors;
    }

    /**
     * Writes the inputs that the graph reads; a graph without outputs may not use all of them.
     *
     * @param written the tensor into which an input is written
     */
    void fill(
            List<SequenceChunk> chunks,
            List<AttendedKvRange> ranges,
            UnaryOperator<Tensor> written) {
        slots.filter(Tensor::isPlaced)
                .ifPresent(tensor -> writeSlots(chunks, ranges, written.apply(tensor)));
        for (Mask mask : masks) {
            if (mask.tensor().isPlaced()) {
                writeMask(
                        chunks.get(mask.part()),
                        ranges.get(mask.part()),
                        written.apply(mask.tensor()));
            }
        }
    }

    private void writeSlots(
            List<SequenceChunk> chunks, List<AttendedKvRange> ranges, Tensor tensor) {
        int column = 0;
        for (int part = 0; part < chunks.size(); part++) {
            SequenceChunk chunk = chunks.get(part);
            for (int i = 0; i < chunk.tokens().length; i++) {
                slotScratch[column++] = ranges.get(part).slotOf(chunk.firstPosition() + i);
            }
        }
        tensor.write(slotScratch, 0, tokens, 0);
    }

    private void writeMask(SequenceChunk chunk, AttendedKvRange range, Tensor mask) {
        int rows = (int) mask.ne(1);
        int size = Math.multiplyExact(range.slots(), rows);
        if (maskScratch.length < size) {
            maskScratch = new short[size];
        }
        causal.fill(maskScratch, chunk, range, rows);
        mask.write(maskScratch, 0, size, 0);
    }
}

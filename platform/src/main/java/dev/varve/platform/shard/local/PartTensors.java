package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.PartBytes;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Where the parts of sequences lie in the caches of a shard. Nothing is read or written of a call
 * of which one part does not fit.
 */
final class PartTensors {
    private final ShardCaches caches;
    private final BatchCheck check;

    /** Between a device and whoever takes or gives the bytes; grows to the largest part. */
    private ByteBuffer scratch = ByteBuffer.allocate(0);

    /** Consecutive rows of a tensor. */
    private record Stretch(Tensor tensor, long firstRow, int rows) {
        int bytes() {
            return Math.toIntExact(rows * tensor.nb(1));
        }

        long firstByte() {
            return firstRow * tensor.nb(1);
        }
    }

    /** A part and where it lies. */
    private record Placed(CachePart part, List<Stretch> stretches) {}

    PartTensors(ShardCaches caches, BatchCheck check) {
        this.caches = caches;
        this.check = check;
    }

    void export(List<CachePart> parts, PartBytes target) {
        List<Placed> all = placed(parts, caches.windows()::slotToRead);
        for (int i = 0; i < all.size(); i++) {
            ByteBuffer bytes = scratch(all.get(i).part());
            for (Stretch stretch : all.get(i).stretches()) {
                stretch.tensor().readBytes(next(bytes, stretch), stretch.firstByte());
            }
            target.take(i, bytes.flip());
        }
    }

    void adopt(List<CachePart> parts, PartBytes source) {
        List<Placed> all = placed(parts, caches.windows()::slotToWrite);
        for (int i = 0; i < all.size(); i++) {
            Placed each = all.get(i);
            ByteBuffer bytes = scratch(each.part());
            source.give(i, bytes);
            bytes.flip();
            for (Stretch stretch : each.stretches()) {
                stretch.tensor().writeBytes(next(bytes, stretch), stretch.firstByte());
            }
            if (each.part() instanceof CachePart.Window window) {
                caches.windows().adopt(window);
            }
        }
    }

    private ByteBuffer scratch(CachePart part) {
        int bytes = Math.toIntExact(part.bytes());
        if (scratch.capacity() < bytes) {
            scratch = ByteBuffer.allocateDirect(bytes);
        }
        return scratch.clear().limit(bytes);
    }

    private static ByteBuffer next(ByteBuffer bytes, Stretch stretch) {
        ByteBuffer slice = bytes.slice(bytes.position(), stretch.bytes());
        bytes.position(bytes.position() + stretch.bytes());
        return slice;
    }

    private List<Placed> placed(List<CachePart> parts, ToIntFunction<CachePart.Window> slots) {
        List<Placed> all = new ArrayList<>(parts.size());
        for (CachePart part : parts) {
            check.require(part);
            all.add(new Placed(part, stretches(part, slots)));
        }
        return all;
    }

    private List<Stretch> stretches(CachePart part, ToIntFunction<CachePart.Window> slots) {
        return switch (part) {
            case CachePart.Rows rows ->
                    rows(
                            caches.kvPool().layers().get(rows.layer()),
                            part,
                            rows.layout(),
                            rows.slot(),
                            rows.count());
            case CachePart.Window window ->
                    rows(
                            caches.windowPool().layers().get(window.layer()),
                            part,
                            window.layout(),
                            slots.applyAsInt(window),
                            window.end() - window.first());
            case CachePart.State state -> states(state);
        };
    }

    private static List<Stretch> rows(
            KvPool.Layer layer, CachePart part, RowLayout layout, long firstRow, int rows) {
        if (layer == null) {
            throw mismatch(part, "another layer", layout);
        }
        RowLayout held =
                new RowLayout(
                        layer.keys().type(),
                        layer.keys().ne(0),
                        layer.values().type(),
                        layer.values().ne(0));
        if (!held.equals(layout)) {
            throw mismatch(part, held, layout);
        }
        return List.of(
                new Stretch(layer.keys(), firstRow, rows),
                new Stretch(layer.values(), firstRow, rows));
    }

    private List<Stretch> states(CachePart.State state) {
        List<Tensor> tensors =
                Optional.ofNullable(caches.stateRows().layers().get(state.layer()))
                        .map(layer -> List.of(layer.convolution(), layer.matrix()))
                        .or(
                                () ->
                                        Optional.ofNullable(
                                                        caches.stateRows()
                                                                .ownLayers()
                                                                .get(state.layer()))
                                                .map(own -> List.copyOf(own.parts().values())))
                        .orElseThrow(() -> mismatch(state, "another layer", "a state"));
        List<Long> held = tensors.stream().map(tensor -> tensor.ne(0)).toList();
        if (!held.equals(state.elements())) {
            throw mismatch(state, GgmlType.F32 + " " + held, state.elements());
        }
        return tensors.stream().map(tensor -> new Stretch(tensor, state.row(), 1)).toList();
    }

    private static VarveException mismatch(CachePart part, Object expected, Object found) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "cache of layer " + part.layer() + ": expected " + expected + ", found " + found);
    }
}

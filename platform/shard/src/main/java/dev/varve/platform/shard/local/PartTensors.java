package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Locates the parts of sequences in the caches of a shard. If one part of a call does not fit, the
 * call reads and writes nothing.
 */
final class PartTensors {
    private final ShardCaches caches;
    private final BatchCheck check;

    /** Buffer between the device and the transfer; grows to the largest part. */
    private ByteBuffer scratch = ByteBuffer.allocate(0);

    /** Consecutive bytes of a part, on the device or in host memory. */
    private interface ByteRun {
        int bytes();

        /** Copies the bytes into the remaining space of a buffer. */
        void read(ByteBuffer target);

        /** Copies the remaining bytes of a buffer to this place. */
        void write(ByteBuffer source);
    }

    /** Consecutive rows of a tensor. */
    private record TensorRows(Tensor tensor, long firstRow, int rows) implements ByteRun {
        @Override
        public int bytes() {
            return Math.toIntExact(rows * tensor.nb(1));
        }

        @Override
        public void read(ByteBuffer target) {
            tensor.readBytes(target, firstRow * tensor.nb(1));
        }

        @Override
        public void write(ByteBuffer source) {
            tensor.writeBytes(source, firstRow * tensor.nb(1));
        }
    }

    /** Rows of a page in host memory. */
    private record PageRows(HostPages pages, CachePart.HostPageRows part, boolean keys)
            implements ByteRun {
        private int rowBytes() {
            return Math.toIntExact(keys ? part.layout().keyBytes() : part.layout().valueBytes());
        }

        @Override
        public int bytes() {
            return part.count() * rowBytes();
        }

        @Override
        public void read(ByteBuffer target) {
            target.put(rows(false));
        }

        @Override
        public void write(ByteBuffer source) {
            rows(true).put(source);
        }

        private ByteBuffer rows(boolean toWrite) {
            return pages.rows(part.page(), part.layer(), keys, toWrite)
                    .slice(part.first() * rowBytes(), bytes());
        }
    }

    /** A part and the places of its bytes. */
    private record LocatedPart(CachePart part, List<ByteRun> byteRuns) {}

    PartTensors(ShardCaches caches, BatchCheck check) {
        this.caches = caches;
        this.check = check;
    }

    void export(List<CachePart> parts, CachePartCallback target) {
        List<LocatedPart> all = placed(parts, caches.windows()::slotToRead, false);
        for (int i = 0; i < all.size(); i++) {
            ByteBuffer bytes = scratch(all.get(i).part());
            for (ByteRun stretch : all.get(i).byteRuns()) {
                stretch.read(next(bytes, stretch));
            }
            target.accept(i, bytes.flip());
        }
    }

    void adopt(List<CachePart> parts, CachePartCallback source) {
        List<LocatedPart> all = placed(parts, caches.windows()::slotToWrite, true);
        for (int i = 0; i < all.size(); i++) {
            LocatedPart each = all.get(i);
            ByteBuffer bytes = scratch(each.part());
            source.give(i, bytes);
            bytes.flip();
            for (ByteRun stretch : each.byteRuns()) {
                stretch.write(next(bytes, stretch));
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

    private static ByteBuffer next(ByteBuffer bytes, ByteRun stretch) {
        ByteBuffer slice = bytes.slice(bytes.position(), stretch.bytes());
        bytes.position(bytes.position() + stretch.bytes());
        return slice;
    }

    private void requireThere(CachePart part, boolean writes) {
        if (!writes
                && part instanceof CachePart.HostPageRows page
                && !caches.pages().holds(page.page())) {
            throw mismatch(part, "page " + page.page() + " in host memory", "none");
        }
    }

    private List<LocatedPart> placed(
            List<CachePart> parts, ToIntFunction<CachePart.Window> slots, boolean writes) {
        List<LocatedPart> all = new ArrayList<>(parts.size());
        for (CachePart part : parts) {
            check.require(part);
            requireThere(part, writes);
            all.add(new LocatedPart(part, byteRuns(part, slots)));
        }
        return all;
    }

    private List<ByteRun> byteRuns(CachePart part, ToIntFunction<CachePart.Window> slots) {
        return switch (part) {
            case CachePart.Rows rows ->
                    rows(
                            caches.kvPool().layers().get(rows.layer()),
                            part,
                            rows.layout(),
                            rows.slot(),
                            rows.count());
            case CachePart.HostPageRows page -> page(page);
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

    private static List<ByteRun> rows(
            KvPool.Layer layer, CachePart part, RowLayout layout, long firstRow, int rows) {
        requireLayout(layer, part, layout);
        return layer.tensors().stream()
                .map(tensor -> (ByteRun) new TensorRows(tensor, firstRow, rows))
                .toList();
    }

    private static void requireLayout(KvPool.Layer layer, CachePart part, RowLayout layout) {
        if (layer == null) {
            throw mismatch(part, "another layer", layout);
        }
        RowLayout held = layer.layout();
        if (!held.equals(layout)) {
            throw mismatch(part, held, layout);
        }
    }

    private List<ByteRun> page(CachePart.HostPageRows page) {
        requireLayout(caches.kvPool().layers().get(page.layer()), page, page.layout());
        PageRows keys = new PageRows(caches.pages(), page, true);
        return page.layout().hasValuesInKeys()
                ? List.of(keys)
                : List.of(keys, new PageRows(caches.pages(), page, false));
    }

    private List<ByteRun> states(CachePart.State state) {
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
        return tensors.stream()
                .map(tensor -> (ByteRun) new TensorRows(tensor, state.row(), 1))
                .toList();
    }

    private static VarveException mismatch(CachePart part, Object expected, Object found) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "cache of layer " + part.layer() + ": expected " + expected + ", found " + found);
    }
}

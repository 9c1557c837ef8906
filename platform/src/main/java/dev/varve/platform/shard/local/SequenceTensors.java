package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SnapshotTensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of a shard's caches that hold the state of one sequence, as named tensors: the rows of
 * its positions in the full attention layers, of what is left of them in the sliding layers, and
 * its recurrent states.
 */
final class SequenceTensors {
    /** Consecutive rows of a cache tensor. */
    private record Part(String name, Tensor tensor, long firstRow, int rows) {
        SnapshotTensor read() {
            byte[] data = new byte[Math.toIntExact(rows * tensor.nb(1))];
            tensor.readBytes(data, 0, data.length, firstRow * tensor.nb(1));
            return new SnapshotTensor(name, tensor.type(), tensor.ne(0), rows, data);
        }

        void write(SnapshotTensor from) {
            tensor.writeBytes(from.data(), 0, from.data().length, firstRow * tensor.nb(1));
        }
    }

    private final ShardCaches caches;
    private final SequencePlace place;

    SequenceTensors(ShardCaches caches, SequencePlace place) {
        this.caches = caches;
        this.place = place;
    }

    ShardSnapshot save() {
        WindowRegions windows = caches.windows();
        int windowBegin = windows.begin(place.stateRow(), place.tokens());
        List<SnapshotTensor> tensors = new ArrayList<>();
        for (Part part : parts(windowBegin)) {
            tensors.add(part.read());
        }
        return new ShardSnapshot(place.tokens(), tensors);
    }

    void restore(ShardSnapshot snapshot) {
        if (snapshot.tokens() != place.tokens()) {
            throw mismatch("positions", place.tokens(), snapshot.tokens());
        }
        Map<String, SnapshotTensor> given = new HashMap<>();
        for (SnapshotTensor tensor : snapshot.tensors()) {
            if (given.put(tensor.name(), tensor) != null) {
                throw mismatch(tensor.name(), "once", "twice");
            }
        }
        int windowBegin = windowBegin(snapshot);
        List<Part> parts = parts(windowBegin);
        for (Part part : parts) {
            SnapshotTensor tensor = given.remove(part.name());
            if (tensor == null) {
                throw mismatch(part.name(), "a tensor", "none");
            }
            String expected =
                    shape(part.tensor().type().ggufName(), part.tensor().ne(0), part.rows());
            String found = shape(tensor.type().ggufName(), tensor.length(), tensor.rows());
            if (!found.equals(expected)) {
                throw mismatch(part.name(), expected, found);
            }
        }
        if (!given.isEmpty()) {
            throw mismatch("tensors", "those of this shard's layers", given.keySet());
        }
        // Everything fits: from here on nothing is refused.
        Map<String, SnapshotTensor> byName = new HashMap<>();
        snapshot.tensors().forEach(tensor -> byName.put(tensor.name(), tensor));
        parts.forEach(part -> part.write(byName.get(part.name())));
        caches.windows().adopt(place.stateRow(), windowBegin, place.tokens());
    }

    /** Position of the first row of the sliding layers in a snapshot. */
    private int windowBegin(ShardSnapshot snapshot) {
        if (caches.windowPool().layers().isEmpty()) {
            return caches.windows().latestBegin(place.tokens());
        }
        int rows =
                snapshot.tensors().stream()
                        .filter(tensor -> tensor.name().startsWith("window_"))
                        .mapToInt(SnapshotTensor::rows)
                        .findFirst()
                        .orElse(0);
        int begin = place.tokens() - rows;
        if (!caches.windows().mayBegin(begin, place.tokens())) {
            throw mismatch("rows of the sliding layers", "those of the window", rows);
        }
        return begin;
    }

    private List<Part> parts(int windowBegin) {
        List<Part> parts = new ArrayList<>();
        addRows(parts, "", caches.kvPool(), place.slots().begin(), place.tokens());
        WindowRegions windows = caches.windows();
        addRows(
                parts,
                "window_",
                caches.windowPool(),
                windows.firstSlot(place.stateRow()),
                place.tokens() - windowBegin);
        caches.stateRows()
                .layers()
                .forEach(
                        (layer, tensors) -> {
                            int row = place.stateRow();
                            parts.add(new Part("conv." + layer, tensors.convolution(), row, 1));
                            parts.add(new Part("state." + layer, tensors.matrix(), row, 1));
                        });
        caches.stateRows()
                .ownLayers()
                .forEach(
                        (layer, own) ->
                                own.parts()
                                        .forEach(
                                                (part, tensor) ->
                                                        parts.add(
                                                                new Part(
                                                                        "custom_"
                                                                                + part.name()
                                                                                + "."
                                                                                + layer,
                                                                        tensor,
                                                                        place.stateRow(),
                                                                        1))));
        return parts;
    }

    private static void addRows(
            List<Part> parts, String prefix, KvPool pool, long firstRow, int rows) {
        pool.layers()
                .forEach(
                        (layer, tensors) -> {
                            parts.add(
                                    new Part(
                                            prefix + "k." + layer, tensors.keys(), firstRow, rows));
                            parts.add(
                                    new Part(
                                            prefix + "v." + layer,
                                            tensors.values(),
                                            firstRow,
                                            rows));
                        });
    }

    private static String shape(String type, long length, long rows) {
        return type + "[" + length + ", " + rows + "]";
    }

    private static VarveException mismatch(String what, Object expected, Object found) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "snapshot: " + what + ": expected " + expected + ", found " + found);
    }
}

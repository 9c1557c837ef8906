package dev.varve.platform.remote;

import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.SnapshotTensor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a snapshot on the wire consists of; its bytes follow in pieces, tensor after tensor.
 *
 * @param tokens positions
 * @param entries the tensors
 */
record SnapshotManifest(int tokens, List<Entry> entries) {
    private static final int MAX_TENSORS = 1 << 14;
    private static final int NAME = 64;

    /** One tensor without its bytes. */
    record Entry(String name, GgmlType type, long length, int rows) {
        long bytes() {
            return rows * type.rowBytes(length);
        }
    }

    static SnapshotManifest of(ShardSnapshot snapshot) {
        return new SnapshotManifest(
                snapshot.tokens(),
                snapshot.tensors().stream()
                        .map(
                                tensor ->
                                        new Entry(
                                                tensor.name(),
                                                tensor.type(),
                                                tensor.length(),
                                                tensor.rows()))
                        .toList());
    }

    long bytes() {
        return entries.stream().mapToLong(Entry::bytes).sum();
    }

    void put(FieldWriter fields) {
        fields.number(tokens).number(entries.size());
        for (Entry entry : entries) {
            fields.text(entry.name())
                    .number(EnumCodec.ELEMENT_TYPE.number(entry.type()))
                    .number(entry.length())
                    .number(entry.rows());
        }
    }

    static SnapshotManifest get(FieldReader fields) {
        int tokens = fields.number("positions", 1, Integer.MAX_VALUE);
        int count = fields.number("tensors", 0, MAX_TENSORS);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = fields.text("tensor", NAME);
            GgmlType type = EnumCodec.ELEMENT_TYPE.get(fields);
            long length = fields.number("length", 1L, 1L << 32);
            if (length % type.blockSize() != 0) {
                throw FieldReader.invalid(name, "whole blocks of " + type.blockSize(), length);
            }
            int rows = fields.number("rows", 0, Integer.MAX_VALUE);
            Entry entry = new Entry(name, type, length, rows);
            if (rows > 0 && entry.type().rowBytes(length) > Integer.MAX_VALUE / rows) {
                throw FieldReader.invalid(name, "at most 2 GiB", rows + " rows of " + length);
            }
            entries.add(entry);
        }
        return new SnapshotManifest(tokens, entries);
    }

    static void putPlace(FieldWriter fields, SequencePlace place) {
        fields.number(place.slots().begin())
                .number(place.slots().capacity())
                .number(place.tokens())
                .number(place.stateRow());
    }

    static SequencePlace getPlace(FieldReader fields) {
        int begin = fields.number("slots", 0, Integer.MAX_VALUE);
        int capacity = fields.number("capacity", 0, Integer.MAX_VALUE - begin);
        int tokens = fields.number("positions", 1, Integer.MAX_VALUE);
        return new SequencePlace(
                new SlotSpan(begin, capacity), tokens, fields.number("row", 1, 1 << 16));
    }

    /** Room for the bytes, to be filled in the order of the tensors. */
    Assembly assemble() {
        return new Assembly(this);
    }

    /** A snapshot whose bytes are arriving. */
    static final class Assembly {
        private final SnapshotManifest manifest;
        private final List<SnapshotTensor> tensors = new ArrayList<>();
        private int next;
        private int filled;
        private long arrived;

        private Assembly(SnapshotManifest manifest) {
            this.manifest = manifest;
            for (Entry entry : manifest.entries()) {
                tensors.add(
                        new SnapshotTensor(
                                entry.name(),
                                entry.type(),
                                entry.length(),
                                entry.rows(),
                                new byte[(int) entry.bytes()]));
            }
        }

        /**
         * Takes a piece.
         *
         * @param offset bytes in front of it
         */
        void add(long offset, ByteBuffer piece) {
            if (offset != arrived) {
                throw FieldReader.invalid("snapshot", "bytes from " + arrived, "from " + offset);
            }
            arrived += piece.remaining();
            while (piece.hasRemaining()) {
                if (next == tensors.size()) {
                    throw FieldReader.invalid(
                            "snapshot", manifest.bytes() + " bytes", "more of them");
                }
                byte[] data = tensors.get(next).data();
                int count = Math.min(piece.remaining(), data.length - filled);
                piece.get(data, filled, count);
                filled += count;
                if (filled == data.length) {
                    next++;
                    filled = 0;
                }
            }
        }

        ShardSnapshot done() {
            while (next < tensors.size() && tensors.get(next).data().length == 0) {
                next++;
            }
            if (next != tensors.size()) {
                throw FieldReader.invalid("snapshot", manifest.bytes() + " bytes", "fewer");
            }
            return new ShardSnapshot(manifest.tokens(), tensors);
        }
    }
}

package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.TokenTrees;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Boundary;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.HostBoundary;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SliceKind;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.TokenTree;
import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A batch on the wire: changes of caches and slices in the small fields; token ids and, where the
 * range does not begin the model, the boundary activation in the payload.
 *
 * @param type how activations travel
 * @param boundaryLength elements per token that enter the range; no matter where it begins the
 *     model
 */
record BatchCodec(BoundaryType type, int boundaryLength) {
    private static final int MAX_SLICES = 1024;
    private static final int MAX_TOKENS = 1 << 20;

    /** A batch as it arrived. */
    record Received(Batch batch, Optional<Boundary> boundary) {}

    Message encode(Batch batch, Optional<Boundary> boundary) {
        FieldWriter fields = new FieldWriter();
        fields.number(EnumCodec.PHASE.number(batch.phase()));
        fields.number(batch.captures().size());
        batch.captures().forEach(fields::number);
        ChangeCodec.put(fields, batch.changes());
        fields.number(batch.slices().size());
        int tokens = batch.tokens();
        int values = boundary.isPresent() ? Math.multiplyExact(tokens, boundaryLength) : 0;
        ByteBuffer payload =
                ByteBuffer.allocate(tokens * Integer.BYTES + values * type.bytes())
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (Slice slice : batch.slices()) {
            fields.number(slice.sequence())
                    .number(slice.tokens().length)
                    .number(slice.firstPosition())
                    .number(slice.slots().begin())
                    .number(slice.slots().capacity())
                    .number(slice.readRow())
                    .number(slice.writeRow())
                    .number(slice.place().stash())
                    .number(EnumCodec.OUTPUTS.number(slice.outputs()))
                    .number(EnumCodec.SLICE_KIND.number(slice.kind()));
            int[] parents = slice.tree().parents();
            fields.number(parents.length);
            for (int token = 1; token < parents.length; token++) {
                fields.number(parents[token]);
            }
            for (int token : slice.tokens()) {
                payload.putInt(token);
            }
        }
        fields.flag(boundary.isPresent());
        boundary.ifPresent(given -> type.put(given.values(), values, payload));
        return new Message(MessageType.FORWARD, fields.done(), payload.flip());
    }

    Received decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        ByteBuffer payload = message.payload();
        Phase phase = EnumCodec.PHASE.get(fields);
        int captureCount = fields.number("captures", 0, 1 << 12);
        List<Integer> captures = new ArrayList<>();
        for (int i = 0; i < captureCount; i++) {
            captures.add(fields.number("capture", 0, Integer.MAX_VALUE));
        }
        CacheChanges changes = ChangeCodec.get(fields);
        int sliceCount = fields.number("slices", 1, MAX_SLICES);
        List<Slice> slices = new ArrayList<>();
        for (int i = 0; i < sliceCount; i++) {
            slices.add(slice(fields, payload));
        }
        boolean hasBoundary = fields.flag("boundary");
        fields.end();
        Batch batch = new Batch(changes, slices, phase, captures);
        long values = hasBoundary ? (long) batch.tokens() * boundaryLength : 0;
        if (payload.remaining() != values * type.bytes()) {
            throw FieldReader.invalid(
                    "boundary activation", values * type.bytes() + " bytes", payload.remaining());
        }
        return new Received(
                batch,
                hasBoundary
                        ? Optional.of(
                                new HostBoundary(
                                        type.get(Math.toIntExact(values), payload), batch.tokens()))
                        : Optional.empty());
    }

    private static Slice slice(FieldReader fields, ByteBuffer payload) {
        long sequence = fields.number("sequence", Long.MIN_VALUE, Long.MAX_VALUE);
        int count = fields.number("tokens", 1, MAX_TOKENS);
        int position = fields.number("position", 0, Integer.MAX_VALUE - MAX_TOKENS);
        int begin = fields.number("slots", 0, Integer.MAX_VALUE);
        int capacity = fields.number("capacity", 0, Integer.MAX_VALUE - begin);
        int readRow = fields.number("read row", 0, Integer.MAX_VALUE);
        int writeRow = fields.number("write row", 1, Integer.MAX_VALUE);
        int stash = fields.number("stash", SlicePlace.NO_STASH, Integer.MAX_VALUE);
        OutputRows outputs = EnumCodec.OUTPUTS.get(fields);
        SliceKind kind = EnumCodec.SLICE_KIND.get(fields);
        TokenTree tree = tree(fields, count);
        if (payload.remaining() < count * Integer.BYTES) {
            throw FieldReader.invalid("tokens", count, payload.remaining() / Integer.BYTES);
        }
        int[] tokens = new int[count];
        payload.asIntBuffer().get(tokens);
        payload.position(payload.position() + count * Integer.BYTES);
        return new Slice(
                sequence,
                tokens,
                new SlicePlace(position, new SlotSpan(begin, capacity), readRow, writeRow, stash),
                outputs,
                kind,
                tree);
    }

    /** Of each token but the first, which one it follows; nothing of a chain. */
    private static TokenTree tree(FieldReader fields, int tokens) {
        int count = fields.number("tree tokens", 0, Math.min(tokens, TokenTrees.MOST_TOKENS));
        if (count == 0) {
            return TokenTree.CHAIN;
        }
        if (count != tokens) {
            throw FieldReader.invalid("tree tokens", tokens, count);
        }
        int[] parents = new int[count];
        parents[0] = -1;
        for (int token = 1; token < count; token++) {
            parents[token] = fields.number("parent", 0, token - 1);
        }
        try {
            return TokenTree.of(parents);
        } catch (IllegalArgumentException e) {
            throw FieldReader.invalid(
                    "tree", "at most " + TokenTrees.MOST_LEVELS + " levels", e.getMessage());
        }
    }
}

package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.TokenTrees;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.TokenTree;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes a batch on the wire. The small fields hold cache changes and chunks. The payload holds
 * the large fields, token ids and, if the range does not begin the model, the boundary activation.
 * Large fields are moves of rows; the pages in each chunk's span, as i32 count and i32 each; and
 * queries for pages: i32 chunk, i32 number of pages, and for each page its i64 name and i32 slot.
 *
 * <p>A batch with images is a message of its own type. Its large fields end with the images of each
 * chunk ({@link ImageCodec}), and the payload of a range that begins the model with the rows of the
 * image tokens in the batch, F32 in their order.
 *
 * @param type element type of activations on the wire
 * @param boundaryLength elements per token that enter the range; unused if it begins the model
 * @param images for batches with images
 */
record BatchCodec(BoundaryType type, int boundaryLength, ImageCodec images) {
    private static final int MAX_CHUNKS = 1024;
    private static final int MAX_TOKENS = 1 << 20;

    /** Pages of 64 tokens each; more than any context has. */
    private static final int MOST_PAGES = 1 << 22;

    /** A decoded batch. */
    record Received(Batch batch, Optional<LayerActivations> boundary) {}

    Message encode(Batch batch, Optional<LayerActivations> boundary) {
        FieldWriter fields = new FieldWriter();
        fields.number(EnumCodec.PHASE.number(batch.phase()));
        fields.number(batch.captures().size());
        batch.captures().forEach(fields::number);
        FieldWriter large = new FieldWriter();
        CacheChangeCodec.put(fields, large, batch.changes());
        fields.number(batch.chunks().size());
        int tokens = batch.tokens();
        int values = boundary.isPresent() ? Math.multiplyExact(tokens, boundaryLength) : 0;
        batch.chunks().forEach(chunk -> putPages(large, chunk.place().positions()));
        fields.number(batch.queries().size());
        batch.queries().forEach(query -> putQuery(large, query));
        boolean hasImages = batch.chunks().stream().anyMatch(chunk -> !chunk.images().isEmpty());
        if (hasImages) {
            batch.chunks().forEach(chunk -> ImageCodec.put(large, chunk.images()));
        }
        long rows = boundary.isEmpty() ? images.bytes(batch.imageTokens()) : 0;
        ByteBuffer largeFields = large.done();
        fields.number(largeFields.remaining());
        ByteBuffer payload =
                ByteBuffer.allocate(
                                largeFields.remaining()
                                        + tokens * Integer.BYTES
                                        + values * type.bytes()
                                        + Math.toIntExact(rows))
                        .order(ByteOrder.LITTLE_ENDIAN);
        payload.put(largeFields);
        for (SequenceChunk chunk : batch.chunks()) {
            fields.number(chunk.sequence())
                    .number(chunk.tokens().length)
                    .number(chunk.firstPosition())
                    .number(chunk.slots().begin())
                    .number(chunk.slots().capacity())
                    .number(chunk.readRow())
                    .number(chunk.writeRow())
                    .number(chunk.place().rollbackBuffer())
                    .number(EnumCodec.OUTPUTS.number(chunk.outputs().withLogits()))
                    .number(EnumCodec.COMPUTE_MODE.number(chunk.kind()));
            fields.number(chunk.lora().values().size());
            chunk.lora().values().forEach(fields::real);
            int[] parents = chunk.tree().parents();
            fields.number(parents.length);
            for (int token = 1; token < parents.length; token++) {
                fields.number(parents[token]);
            }
            for (int token : chunk.tokens()) {
                payload.putInt(token);
            }
        }
        fields.flag(boundary.isPresent());
        boundary.ifPresent(given -> type.put(given.values(), values, payload));
        if (rows > 0) {
            batch.chunks().forEach(chunk -> images.putRows(chunk, payload));
        }
        return new Message(
                hasImages ? MessageType.FORWARD_IMAGES : MessageType.FORWARD,
                fields.done(),
                payload.flip());
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
        FieldReader large = new FieldReader(payload);
        CacheChanges changes = CacheChangeCodec.get(fields, large);
        int chunkCount = fields.number("slices", 1, MAX_CHUNKS);
        List<SlotPositionMap> maps = new ArrayList<>();
        for (int i = 0; i < chunkCount; i++) {
            maps.add(positions(large, payload));
        }
        int queryCount = fields.number("queries", 0, chunkCount);
        List<PageQuery> queries = new ArrayList<>();
        for (int i = 0; i < queryCount; i++) {
            queries.add(query(large, chunkCount));
        }
        boolean hasImages = message.type() == MessageType.FORWARD_IMAGES;
        List<List<ImageSpan>> spans = new ArrayList<>();
        for (int i = 0; i < chunkCount && hasImages; i++) {
            spans.add(ImageCodec.get(large));
        }
        int read = payload.position();
        fields.number("large fields", read, read);
        List<SequenceChunk> chunks = new ArrayList<>();
        for (int i = 0; i < chunkCount; i++) {
            chunks.add(readChunk(fields, payload, maps.get(i)));
        }
        boolean hasBoundary = fields.flag("boundary");
        fields.end();
        for (int i = 0; i < spans.size(); i++) {
            chunks.set(i, ImageCodec.place(chunks.get(i), spans.get(i)));
        }
        Batch batch = new Batch(changes, chunks, phase, captures, queries);
        long values = hasBoundary ? (long) batch.tokens() * boundaryLength : 0;
        long rows = hasBoundary ? 0 : images.bytes(batch.imageTokens());
        if (payload.remaining() != values * type.bytes() + rows) {
            throw FieldReader.invalid(
                    "boundary activation and rows of images",
                    values * type.bytes() + rows + " bytes",
                    payload.remaining());
        }
        if (!hasBoundary) {
            return new Received(images.withRows(batch, payload), Optional.empty());
        }
        return new Received(
                batch,
                Optional.of(
                        new HostActivations(
                                type.get(Math.toIntExact(values), payload), batch.tokens())));
    }

    private static void putPages(FieldWriter large, SlotPositionMap positions) {
        large.number(positions.size());
        for (int run = 0; run < positions.size(); run++) {
            large.number(positions.page(run));
        }
    }

    private static SlotPositionMap positions(FieldReader large, ByteBuffer payload) {
        int count = large.number("pages of a span", 0, MOST_PAGES);
        if (count == 0) {
            return SlotPositionMap.STRAIGHT;
        }
        if (payload.remaining() < count * Integer.BYTES) {
            throw FieldReader.invalid(
                    "pages of a span", count, payload.remaining() / Integer.BYTES);
        }
        int[] pages = new int[count];
        for (int run = 0; run < count; run++) {
            pages[run] =
                    large.number(
                            "page of a span",
                            SlotPositionMap.EMPTY,
                            Integer.MAX_VALUE / Pages.TOKENS - 1);
        }
        try {
            return SlotPositionMap.of(pages);
        } catch (IllegalArgumentException e) {
            throw FieldReader.invalid("pages of a span", "each page once", e.getMessage());
        }
    }

    private static void putQuery(FieldWriter large, PageQuery query) {
        large.number(query.chunkIndex()).number(query.pages().size());
        for (PageQuery.PagePlace place : query.pages()) {
            large.number(place.page()).number(place.slot());
        }
    }

    private static PageQuery query(FieldReader large, int chunks) {
        int chunk = large.number("slice of a query", 0, chunks - 1);
        int count = large.number("pages of a query", 0, MOST_PAGES);
        List<PageQuery.PagePlace> places = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long page = CacheChangeCodec.page(large);
            int slot =
                    large.number(
                            "slot of a page",
                            PageQuery.PagePlace.ON_HOST,
                            Integer.MAX_VALUE - Pages.TOKENS);
            if (slot > 0 && slot % Pages.TOKENS != 0) {
                throw FieldReader.invalid("slot of a page", "a multiple of " + Pages.TOKENS, slot);
            }
            places.add(new PageQuery.PagePlace(page, slot));
        }
        return new PageQuery(chunk, places);
    }

    private static SequenceChunk readChunk(
            FieldReader fields, ByteBuffer payload, SlotPositionMap positions) {
        long sequence = fields.number("sequence", Long.MIN_VALUE, Long.MAX_VALUE);
        int count = fields.number("tokens", 1, MAX_TOKENS);
        int position = fields.number("position", 0, Integer.MAX_VALUE - MAX_TOKENS);
        int begin = fields.number("slots", 0, Integer.MAX_VALUE);
        int capacity = fields.number("capacity", 0, Integer.MAX_VALUE - begin);
        int readRow = fields.number("read row", 0, Integer.MAX_VALUE);
        int writeRow = fields.number("write row", 1, Integer.MAX_VALUE);
        int rollbackBuffer =
                fields.number("stash", ChunkPlacement.NO_ROLLBACK_BUFFER, Integer.MAX_VALUE);
        RequestedOutput outputs = EnumCodec.OUTPUTS.get(fields).withLogits();
        ChunkComputeMode kind = EnumCodec.COMPUTE_MODE.get(fields);
        LoraScales lora = scales(fields);
        TokenTree tree = tree(fields, count);
        if (payload.remaining() < count * Integer.BYTES) {
            throw FieldReader.invalid("tokens", count, payload.remaining() / Integer.BYTES);
        }
        int[] tokens = new int[count];
        payload.asIntBuffer().get(tokens);
        payload.position(payload.position() + count * Integer.BYTES);
        return new SequenceChunk(
                sequence,
                tokens,
                new ChunkPlacement(
                        position,
                        new KvSlotSpan(begin, capacity),
                        readRow,
                        writeRow,
                        rollbackBuffer,
                        positions),
                outputs,
                kind,
                tree,
                SequenceImages.NONE,
                lora);
    }

    /** Reads the scales of adapters; none if they are as loaded. */
    private static LoraScales scales(FieldReader fields) {
        int count = fields.number("scales of adapters", 0, LoraReference.MOST);
        List<Float> scales = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            scales.add((float) fields.real("scale of an adapter"));
        }
        try {
            return new LoraScales(scales);
        } catch (IllegalArgumentException e) {
            throw FieldReader.invalid("scales of adapters", "finite numbers", e.getMessage());
        }
    }

    /** Reads the parent of each token but the first; empty for a chain. */
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

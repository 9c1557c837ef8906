package dev.varve.platform.remote;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LogitsBuffers;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Encodes a result. Only the requested rows of logits are sent. The batch determines the expected
 * content; other content is rejected.
 *
 * @param range layers of the shard
 * @param boundaryLength elements per token that leave the range; empty where it ends the model
 * @param vocabulary elements of a row of logits
 * @param embeddingLength elements per token of a feature
 */
record ResultCodec(
        BoundaryType type,
        LayerRange range,
        OptionalInt boundaryLength,
        int vocabulary,
        int embeddingLength) {
    /**
     * A decoded result.
     *
     * @param computeNanos time that the other process computed
     */
    record Received(ShardResult result, ShardMemory memory, long computeNanos) {}

    Message encode(Batch batch, ShardResult result, ShardMemory memory, long computeNanos) {
        FieldWriter fields = new FieldWriter();
        fields.number(computeNanos);
        putMemory(fields, memory);
        fields.number(result.rows());
        for (int row = 0; row < result.rows(); row++) {
            fields.number(result.best()[row]);
        }
        fields.number(result.features().size());
        result.features().forEach(feature -> fields.number(feature.layer()));
        fields.number(result.scores().size());
        result.scores().forEach(scores -> fields.number(scores.query()).number(scores.layer()));
        int tokens = batch.tokens();
        boolean ends = boundaryLength.isEmpty();
        int logits = ends ? requestedRows(batch) * vocabulary : 0;
        int boundary = tokens * boundaryLength.orElse(0);
        long features = (long) result.features().size() * tokens * embeddingLength;
        long scores = result.scores().stream().mapToLong(each -> each.values().length).sum();
        long bytes = (logits + features + scores) * Float.BYTES + (long) boundary * type.bytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new WireException(
                    WireErrorCode.TOO_LARGE,
                    "result of "
                            + tokens
                            + " tokens with "
                            + result.features().size()
                            + " captures: expected at most 2 GiB, found "
                            + bytes
                            + " bytes");
        }
        ByteBuffer payload = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (ends) {
            int row = 0;
            for (SequenceChunk chunk : batch.chunks()) {
                int count = chunk.outputs().count(chunk.tokens().length);
                if (isRequested(chunk)) {
                    payload.asFloatBuffer()
                            .put(result.logits(), row * vocabulary, count * vocabulary);
                    payload.position(payload.position() + count * vocabulary * Float.BYTES);
                }
                row += count;
            }
        } else {
            type.put(result.boundary().orElseThrow().values(), boundary, payload);
        }
        for (CapturedFeature feature : result.features()) {
            BoundaryType.F32.put(feature.values(), tokens * embeddingLength, payload);
        }
        for (PageScores each : result.scores()) {
            BoundaryType.F32.put(each.values(), each.values().length, payload);
        }
        return new Message(MessageType.FORWARD, fields.done(), payload.flip());
    }

    /**
     * @param buffers provide the array for rows of logits
     */
    Received decode(Batch batch, Message message, LogitsBuffers buffers) {
        FieldReader fields = new FieldReader(message.meta());
        long nanos = fields.number("compute time", 0L, Long.MAX_VALUE);
        ShardMemory memory = memory(fields);
        boolean ends = boundaryLength.isEmpty();
        int tokens = batch.tokens();
        int expectedRows = ends ? batch.outputs() : 0;
        int rows = fields.number("rows", expectedRows, expectedRows);
        int[] best = new int[rows];
        for (int row = 0; row < rows; row++) {
            best[row] = fields.number("best token", -1, vocabulary - 1);
        }
        List<Integer> layers = captured(batch);
        int featureCount = fields.number("features", layers.size(), layers.size());
        for (int layer : layers) {
            fields.number("feature", layer, layer);
        }
        List<ScoredPageCount> scored = scored(batch, fields);
        fields.end();
        ByteBuffer payload = message.payload();
        long expected =
                (ends ? (long) requestedRows(batch) * vocabulary * Float.BYTES : 0)
                        + (long) tokens * boundaryLength.orElse(0) * type.bytes()
                        + (long) featureCount * tokens * embeddingLength * Float.BYTES
                        + scored.stream().mapToLong(ScoredPageCount::pages).sum() * Float.BYTES;
        if (payload.remaining() != expected) {
            throw FieldReader.invalid("result", expected + " bytes", payload.remaining());
        }
        float[] logits = buffers.latest();
        Optional<LayerActivations> boundary = Optional.empty();
        if (ends) {
            logits = readLogits(batch, payload, buffers);
        } else {
            boundary =
                    Optional.of(
                            new HostActivations(
                                    type.get(tokens * boundaryLength.getAsInt(), payload), tokens));
        }
        List<CapturedFeature> features = new ArrayList<>();
        for (int layer : layers) {
            features.add(
                    new CapturedFeature(
                            layer,
                            BoundaryType.F32.get(tokens * embeddingLength, payload),
                            tokens));
        }
        List<PageScores> scores = new ArrayList<>();
        for (ScoredPageCount each : scored) {
            scores.add(
                    new PageScores(
                            each.query(),
                            each.layer(),
                            BoundaryType.F32.get(each.pages(), payload)));
        }
        return new Received(
                new ShardResult(logits, best, rows, boundary, features, scores), memory, nanos);
    }

    /** Number of scored pages for a query and a layer. */
    private record ScoredPageCount(int query, int layer, int pages) {}

    /**
     * Reads the scores, query by query, layers in ascending order, so that no layer occurs twice.
     */
    private List<ScoredPageCount> scored(Batch batch, FieldReader fields) {
        int queries = batch.queries().size();
        int count = fields.number("scores", 0, queries * range.size());
        List<ScoredPageCount> scored = new ArrayList<>();
        int query = 0;
        int least = range.begin();
        for (int i = 0; i < count; i++) {
            int next = fields.number("query", query, queries - 1);
            least = next == query ? least : range.begin();
            query = next;
            int layer = fields.number("layer of scores", least, range.end() - 1);
            least = layer + 1;
            scored.add(
                    new ScoredPageCount(query, layer, batch.queries().get(query).pages().size()));
        }
        return scored;
    }

    private List<Integer> captured(Batch batch) {
        return batch.captures().isEmpty()
                ? List.of()
                : batch.captures().stream().filter(range::computesInputOf).sorted().toList();
    }

    private float[] readLogits(Batch batch, ByteBuffer payload, LogitsBuffers buffers) {
        if (requestedRows(batch) == 0) {
            return buffers.latest();
        }
        float[] logits = buffers.next(Math.multiplyExact(batch.outputs(), vocabulary));
        int row = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int count = chunk.outputs().count(chunk.tokens().length);
            if (isRequested(chunk)) {
                payload.asFloatBuffer().get(logits, row * vocabulary, count * vocabulary);
                payload.position(payload.position() + count * vocabulary * Float.BYTES);
            }
            row += count;
        }
        return logits;
    }

    static void putMemory(FieldWriter fields, ShardMemory memory) {
        fields.number(memory.weights())
                .number(memory.mappedWeights())
                .number(memory.kv())
                .number(memory.compute())
                .number(memory.hostPages());
    }

    static ShardMemory memory(FieldReader fields) {
        return new ShardMemory(
                fields.number("weights", 0L, Long.MAX_VALUE),
                fields.number("mapped weights", 0L, Long.MAX_VALUE),
                fields.number("KV", 0L, Long.MAX_VALUE),
                fields.number("compute", 0L, Long.MAX_VALUE),
                fields.number("host pages", 0L, Long.MAX_VALUE));
    }

    private static int requestedRows(Batch batch) {
        int rows = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            rows += isRequested(chunk) ? chunk.outputs().count(chunk.tokens().length) : 0;
        }
        return rows;
    }

    private static boolean isRequested(SequenceChunk chunk) {
        RequestedOutput outputs = chunk.outputs().withLogits();
        return outputs == RequestedOutput.LAST || outputs == RequestedOutput.ALL;
    }
}

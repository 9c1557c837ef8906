package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LogitsBuffers;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.TopTokens;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads logits from a device: copies the rows of chunks that request logits. Of the other rows it
 * takes the best token that the device found, or finds it in place. Runs per token: buffers are
 * reused. For one thread.
 */
final class LogitsReader {
    private final int vocabulary;
    private final RowArgmax argmax;
    private final LogitsBuffers buffers = new LogitsBuffers();

    LogitsReader(BufferType type, int vocabulary) {
        this.vocabulary = vocabulary;
        argmax = RowArgmax.of(type, vocabulary);
    }

    /** See {@link dev.varve.platform.shard.Shard#keepLogits}. */
    void keep(int results) {
        buffers.keep(results);
    }

    /** The rows that were copied last; rows of other chunks are undefined. */
    float[] logits() {
        return buffers.latest();
    }

    /**
     * Reads the outputs of a batch.
     *
     * @param rows {@code F32 [vocabulary, outputs]}
     * @param graph may have found best tokens on the device
     * @param best receives the best token of each row whose logits are not requested
     * @return by row, the best tokens of chunks that requested them, as far as they are known and
     *     {@linkplain Batch#topCheck suffice}; the logits of the other rows of these chunks are
     *     copied
     */
    Map<Integer, TopTokens> read(Batch batch, Tensor rows, AllocatedGraph graph, int[] best) {
        int size = Math.multiplyExact(best.length, vocabulary);
        Optional<DeviceArgmax> maxima = graph.maxima();
        Optional<int[]> known =
                maxima.isPresent() && wantsBest(batch)
                        ? Optional.of(maxima.get().read(vocabulary))
                        : Optional.empty();
        List<Optional<TopTokens>> tops =
                graph.top().map(found -> found.read(vocabulary)).orElse(List.of());
        Map<Integer, TopTokens> read = tops.isEmpty() ? Map.of() : new HashMap<>();
        Optional<float[]> logits = Optional.empty();
        int row = 0;
        for (int number = 0; number < batch.chunks().size(); number++) {
            SequenceChunk chunk = batch.chunks().get(number);
            int count = chunk.outputCount();
            if (chunk.outputs().isBest()) {
                for (int i = row; i < row + count; i++) {
                    best[i] = known.isPresent() ? known.get()[i] : -1;
                    if (best[i] < 0) {
                        best[i] = argmax.find(rows::readBits, (long) i * vocabulary, vocabulary);
                    }
                }
            } else if (chunk.outputs().isTop() && !tops.isEmpty()) {
                for (int i = row; i < row + count; i++) {
                    Optional<TopTokens> top = tops.get(i);
                    if (top.isPresent() && batch.topCheck().suffices(number, top.get())) {
                        read.put(i, top.get());
                    } else {
                        logits = Optional.of(logits.orElseGet(() -> buffers.next(size)));
                        readRows(rows, i, 1, logits.get());
                    }
                }
            } else if (count > 0) {
                logits = Optional.of(logits.orElseGet(() -> buffers.next(size)));
                readRows(rows, row, count, logits.get());
            }
            row += count;
        }
        return read;
    }

    private void readRows(Tensor rows, int first, int count, float[] logits) {
        rows.read(logits, first * vocabulary, count * vocabulary, (long) first * vocabulary);
    }

    private static boolean wantsBest(Batch batch) {
        for (SequenceChunk chunk : batch.chunks()) {
            if (chunk.outputs().isBest()) {
                return true;
            }
        }
        return false;
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LogitsBuffers;
import dev.varve.platform.shard.SequenceChunk;

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
     * @param maxima the best tokens, if the device finds them
     * @param best receives the best token of each row whose logits are not requested
     */
    void read(Batch batch, Tensor rows, Optional<RowMaxima> maxima, int[] best) {
        int size = Math.multiplyExact(best.length, vocabulary);
        Optional<int[]> known =
                maxima.isPresent() && wantsBest(batch)
                        ? Optional.of(maxima.get().read(vocabulary))
                        : Optional.empty();
        float[] logits = wantsLogits(batch) ? buffers.next(size) : buffers.latest();
        int row = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int count = chunk.outputCount();
            if (chunk.outputs().isBest()) {
                for (int i = row; i < row + count; i++) {
                    best[i] = known.isPresent() ? known.get()[i] : -1;
                    if (best[i] < 0) {
                        best[i] = argmax.find(rows::readBits, (long) i * vocabulary, vocabulary);
                    }
                }
            } else if (count > 0) {
                rows.read(logits, row * vocabulary, count * vocabulary, (long) row * vocabulary);
            }
            row += count;
        }
    }

    private static boolean wantsLogits(Batch batch) {
        for (SequenceChunk chunk : batch.chunks()) {
            if (chunk.outputCount() > 0 && !chunk.outputs().isBest()) {
                return true;
            }
        }
        return false;
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

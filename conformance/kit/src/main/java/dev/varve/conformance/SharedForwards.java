package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.local.LocalShard;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One shard with several texts, whose chunks go into forwards as a test chooses. The logits of
 * every chunk are kept by text and position, so that two ways to compute the same texts can be
 * compared.
 */
final class SharedForwards implements AutoCloseable {
    /** A position of a text. */
    record At(int text, int position) implements Comparable<At> {
        @Override
        public int compareTo(At other) {
            return text != other.text
                    ? Integer.compare(text, other.text)
                    : Integer.compare(position, other.position);
        }
    }

    private final List<int[]> texts;
    private final int[] done;
    private final int span;
    private final LocalShard shard;
    private final int vocabulary;
    private final Map<At, float[]> logits = new TreeMap<>();

    SharedForwards(
            Path file,
            List<int[]> texts,
            ComputeDevice device,
            CacheTypes cache,
            FlashAttention flash,
            BatchInvariance exact) {
        this.texts = texts;
        done = new int[texts.size()];
        span = KvSlotSpan.roundUp(texts.stream().mapToInt(text -> text.length).max().orElseThrow());
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        ModelShape shape = adapter.shape();
        vocabulary = shape.vocabularySize();
        int region = CacheUnitBytes.of(shape, shape.allLayers(), cache, 512, span).regionSlots();
        ShardOptions options =
                ShardOptions.of(
                                cache,
                                new CacheCapacities(texts.size() * span, texts.size() + 1, region))
                        .withFlashAttention(flash)
                        .withExactRows(exact);
        shard =
                LocalShard.load(
                        new ModelRange(gguf, adapter, shape.allLayers()),
                        device,
                        options,
                        LoadProgressListener.silent());
    }

    /** The next tokens of a text; the logits of the last one, or of all, are kept. */
    SequenceChunk next(int text, int count, RequestedOutput outputs) {
        return next(text, count, outputs, ChunkComputeMode.CHUNK);
    }

    /** Likewise, as a chunk or a piece of one. */
    SequenceChunk next(int text, int count, RequestedOutput outputs, ChunkComputeMode kind) {
        int begin = done[text];
        done[text] += count;
        return new SequenceChunk(
                text,
                Arrays.copyOfRange(texts.get(text), begin, begin + count),
                ChunkPlacement.next(begin, new KvSlotSpan(text * span, span), text + 1),
                outputs,
                kind);
    }

    SequenceChunk next(int text, int count) {
        return next(text, count, RequestedOutput.LAST);
    }

    /** Computes chunks together. */
    void forward(Phase phase, List<SequenceChunk> chunks) {
        ShardResult result = shard.forward(new Batch(chunks, phase), Optional.empty()).join();
        int row = 0;
        for (SequenceChunk chunk : chunks) {
            int end = chunk.firstPosition() + chunk.tokens().length;
            int wanted = chunk.outputs().count(chunk.tokens().length);
            for (int i = wanted; i > 0; i--, row++) {
                logits.put(
                        new At((int) chunk.sequence(), end - i),
                        Arrays.copyOfRange(
                                result.logits(), row * vocabulary, (row + 1) * vocabulary));
            }
        }
    }

    /** Computes one chunk alone. */
    void forward(Phase phase, SequenceChunk chunk) {
        forward(phase, List.of(chunk));
    }

    /** Returns the positions of which both have logits that differ in any bit. */
    List<At> differences(SharedForwards other) {
        List<At> found = new ArrayList<>();
        logits.forEach(
                (at, values) -> {
                    float[] theirs = other.logits.get(at);
                    if (theirs != null && !Arrays.equals(values, theirs)) {
                        found.add(at);
                    }
                });
        return found;
    }

    /** Returns the number of positions of which both have logits. */
    long compared(SharedForwards other) {
        return logits.keySet().stream().filter(other.logits::containsKey).count();
    }

    /** Tokens in whose multiples a chunk may be cut into pieces. */
    int columnGroup() {
        return shard.columnGroup();
    }

    /** Returns the bytes of compute memory that is allocated. */
    long computeBytes() {
        return shard.memory().compute();
    }

    @Override
    public void close() {
        shard.close();
    }
}

package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Computes two texts as an engine would: each prompt in chunks of its own, then both together token
 * by token.
 *
 * @param cache element types of the KV cache
 * @param single phase of the batches with one token of each text
 */
record SteppedLogits(FlashAttention flash, CacheTypes cache, Phase single) {
    private static final int CHUNK = 16;

    SteppedLogits(FlashAttention flash, CacheTypes cache) {
        this(flash, cache, Phase.DECODE);
    }

    /**
     * Runs in the process: file, target, flash attention, types of K and V, phase, one text,
     * another.
     */
    public static void main(String[] arguments) throws IOException {
        SteppedLogits steps =
                new SteppedLogits(
                        FlashAttention.valueOf(arguments[2]),
                        new CacheTypes(
                                GgmlType.valueOf(arguments[3]), GgmlType.valueOf(arguments[4])),
                        Phase.valueOf(arguments[5]));
        VulkanLogits.write(
                Path.of(arguments[1]),
                steps.compute(
                        Path.of(arguments[0]),
                        Vulkan.device(),
                        VulkanLogits.integers(arguments[6]),
                        VulkanLogits.integers(arguments[7])));
    }

    /** In a process of its own, on the first Vulkan device. */
    float[][] onVulkan(Path file, int[] one, int[] other) {
        return VulkanLogits.launch(
                SteppedLogits.class,
                file,
                List.of(
                        flash.name(),
                        cache.key().name(),
                        cache.value().name(),
                        single.name(),
                        VulkanLogits.text(one),
                        VulkanLogits.text(other)));
    }

    /**
     * Logits of the last token of each chunk of a prompt, and of each single one.
     *
     * @param one a text; its last tokens, as many as both texts have beyond whole chunks, go by one
     */
    float[][] compute(Path file, ComputeDevice device, int[] one, int[] other) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        ModelShape shape = adapter.shape();
        int span = KvSlotSpan.roundUp(Math.max(one.length, other.length));
        List<float[]> rows = new ArrayList<>();
        try (LocalShard shard = load(gguf, adapter, device, span, CHUNK)) {
            int last = Math.min(one.length % CHUNK, other.length % CHUNK);
            for (int text = 0; text < 2; text++) {
                int[] tokens = text == 0 ? one : other;
                for (int begin = 0; begin < tokens.length - last; begin += CHUNK) {
                    int end = Math.min(begin + CHUNK, tokens.length - last);
                    SequenceChunk chunk = chunk(text, tokens, begin, end, span);
                    add(rows, shard, new Batch(List.of(chunk), Phase.PREFILL), shape);
                }
            }
            for (int step = last; step > 0; step--) {
                int first = one.length - step;
                int second = other.length - step;
                Batch both =
                        new Batch(
                                List.of(
                                        chunk(0, one, first, first + 1, span),
                                        chunk(1, other, second, second + 1, span)),
                                single);
                add(rows, shard, both, shape);
            }
        }
        return rows.toArray(float[][]::new);
    }

    /** Returns the compute memory of one text in whole chunks. */
    long computeBytes(Path file, ComputeDevice device, int[] tokens, int chunk) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter adapter = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        int span = KvSlotSpan.roundUp(tokens.length);
        try (LocalShard shard = load(gguf, adapter, device, span, chunk)) {
            for (int begin = 0; begin < tokens.length; begin += chunk) {
                int end = Math.min(begin + chunk, tokens.length);
                SequenceChunk next = chunk(0, tokens, begin, end, span);
                shard.forward(new Batch(List.of(next), Phase.PREFILL), Optional.empty()).join();
            }
            return shard.memory().compute();
        }
    }

    private LocalShard load(
            GgufFile gguf, LayerSplitAdapter adapter, ComputeDevice device, int span, int chunk) {
        ModelShape shape = adapter.shape();
        int region = CacheUnitBytes.of(shape, shape.allLayers(), cache, chunk, span).regionSlots();
        ShardOptions options =
                ShardOptions.of(cache, new CacheCapacities(2 * span, 5, region))
                        .withFlashAttention(flash);
        return LocalShard.load(
                new ModelRange(gguf, adapter, shape.allLayers()),
                device,
                options,
                LoadProgressListener.silent());
    }

    private static SequenceChunk chunk(int text, int[] tokens, int begin, int end, int span) {
        return new SequenceChunk(
                text,
                Arrays.copyOfRange(tokens, begin, end),
                new ChunkPlacement(
                        begin,
                        new KvSlotSpan(text * span, span),
                        begin == 0 ? SequenceChunk.ZERO_ROW : row(text, begin - 1),
                        row(text, end - 1)),
                RequestedOutput.LAST);
    }

    /** Each chunk continues in another state row, as after a fork; single tokens stay in theirs. */
    private static int row(int text, int position) {
        return 1 + text + (position / CHUNK % 2 == 0 ? 0 : 2);
    }

    private static void add(List<float[]> rows, LocalShard shard, Batch batch, ModelShape shape) {
        ShardResult result = shard.forward(batch, Optional.empty()).join();
        int vocabulary = shape.vocabularySize();
        for (int row = 0; row < result.rows(); row++) {
            rows.add(Arrays.copyOfRange(result.logits(), row * vocabulary, (row + 1) * vocabulary));
        }
    }
}

package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Vectors and scores of texts by libllama, not normalised. Without flash attention, and with
 * whatever is cached in F32, so that nothing is rounded that an encoder without a cache keeps.
 */
@SuppressWarnings("restricted")
public final class EmbeddingOracle implements AutoCloseable {
    private final MemorySegment model;
    private final MemorySegment context;
    private final MemorySegment threadPool;
    private final int batchTokens;

    private EmbeddingOracle(
            MemorySegment model, MemorySegment context, MemorySegment threadPool, int tokens) {
        this.model = model;
        this.context = context;
        this.threadPool = threadPool;
        batchTokens = tokens;
    }

    /**
     * Opens a file.
     *
     * @param pooling number of a pooling, as in files
     * @param tokens most tokens of all texts together
     */
    public static EmbeddingOracle open(Path file, int pooling, int tokens) {
        Oracle.load();
        NativeLog.drain();
        OracleOptions options =
                OracleOptions.defaults()
                        .withContext(tokens)
                        .withBatch(tokens)
                        .withUbatch(tokens)
                        .withSequences(16)
                        .withCache(TensorType.F32)
                        .withFlashAttention(OracleOptions.FlashAttention.OFF);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment model =
                    LlamaApi.loadModel(
                            arena.allocateFrom(file.toAbsolutePath().toString()),
                            Oracle.modelParams(arena, options, Optional.empty()));
            if (model.equals(MemorySegment.NULL)) {
                throw new IllegalArgumentException(
                        file + ": refused by libllama: " + NativeLog.drain());
            }
            MemorySegment params = Oracle.contextParams(arena, options);
            LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "pooling_type", pooling);
            LlamaLayouts.setBoolean(params, LlamaLayouts.CONTEXT_PARAMS, "embeddings", true);
            LlamaLayouts.setBoolean(params, LlamaLayouts.CONTEXT_PARAMS, "kv_unified", true);
            MemorySegment context = LlamaApi.newContext(model, params);
            MemorySegment pool = CpuBackend.newThreadPool(options.threads());
            LlamaApi.attachThreadPool(context, pool);
            return new EmbeddingOracle(model, context, pool, tokens);
        }
    }

    /**
     * Vectors of texts in one batch. To be called once.
     *
     * @param length elements of a vector; 1 for a score
     */
    public float[][] vectors(List<int[]> texts, int length) {
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, batchTokens);
            for (int text = 0; text < texts.size(); text++) {
                int[] tokens = texts.get(text);
                for (int i = 0; i < tokens.length; i++) {
                    batch.add(tokens[i], i, text, true);
                }
            }
            if (LlamaApi.decode(context, batch.struct()) != 0) {
                throw new IllegalStateException("llama_decode failed: " + NativeLog.drain());
            }
        }
        float[][] vectors = new float[texts.size()][length];
        for (int text = 0; text < vectors.length; text++) {
            MemorySegment row = LlamaApi.sequenceEmbedding(context, text);
            MemorySegment.copy(
                    row.reinterpret(4L * length), JAVA_FLOAT, 0, vectors[text], 0, length);
        }
        return vectors;
    }

    @Override
    public void close() {
        LlamaApi.freeContext(context);
        LlamaApi.freeModel(model);
        CpuBackend.freeThreadPool(threadPool);
    }
}

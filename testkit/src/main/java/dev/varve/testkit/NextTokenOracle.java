package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Runs the block for multi-token prediction of a file with libllama, on the CPU with F32 keys and
 * values. Owns model, context and threads; for one thread.
 */
@SuppressWarnings("restricted")
public final class NextTokenOracle implements AutoCloseable {
    /** {@code LLAMA_CONTEXT_TYPE_MTP}. */
    private static final int CONTEXT_TYPE = 1;

    static final int THREADS = TestThreads.COUNT;

    private final MemorySegment model;
    private final MemorySegment context;
    private final MemorySegment threadPool;
    private final int vocabulary;

    private NextTokenOracle(MemorySegment model, MemorySegment context) {
        this.model = model;
        this.context = context;
        threadPool = CpuBackend.newThreadPool(THREADS);
        LlamaApi.attachThreadPool(context, threadPool);
        LlamaApi.keepNextStates(context);
        vocabulary = LlamaApi.vocabularyTokens(LlamaApi.vocabulary(model));
    }

    /**
     * Loads the block.
     *
     * @param most tokens of a sequence
     * @throws IllegalArgumentException with libllama's reason if it refuses
     */
    public static NextTokenOracle open(Path file, int most) {
        Oracle.load();
        NativeLog.drain();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
            MemorySegment model = LlamaApi.loadModel(path, modelParams(arena));
            if (model.equals(MemorySegment.NULL)) {
                throw new IllegalArgumentException(file + ": refused: " + NativeLog.drain());
            }
            MemorySegment context = LlamaApi.newContext(model, contextParams(arena, most));
            if (context.equals(MemorySegment.NULL)) {
                LlamaApi.freeModel(model);
                throw new IllegalArgumentException(file + ": no context: " + NativeLog.drain());
            }
            return new NextTokenOracle(model, context);
        }
    }

    static MemorySegment modelParams(Arena arena) {
        MemorySegment params = LlamaApi.modelDefaults(arena);
        LlamaLayouts.setInt(params, LlamaLayouts.MODEL_PARAMS, "n_gpu_layers", 0);
        LlamaLayouts.setAddress(
                params, LlamaLayouts.MODEL_PARAMS, "devices", arena.allocate(ADDRESS));
        LlamaLayouts.setBoolean(params, LlamaLayouts.MODEL_PARAMS, "load_mtp", true);
        return params;
    }

    /** Parameters of the context for multi-token prediction. */
    private static MemorySegment contextParams(Arena arena, int most) {
        MemorySegment params = plainContextParams(arena, most);
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "ctx_type", CONTEXT_TYPE);
        return params;
    }

    /** Parameters of the context of a block that reads the values that another context keeps. */
    static MemorySegment contextParams(Arena arena, int most, MemorySegment other) {
        MemorySegment params = contextParams(arena, most);
        LlamaLayouts.setAddress(params, LlamaLayouts.CONTEXT_PARAMS, "ctx_other", other);
        return params;
    }

    /** Parameters of a context for any model, with exact keys and values. */
    static MemorySegment plainContextParams(Arena arena, int most) {
        MemorySegment params = LlamaApi.contextDefaults(arena);
        for (String size : new String[] {"n_ctx", "n_batch", "n_ubatch", "n_outputs_max"}) {
            LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, size, most);
        }
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "n_threads", THREADS);
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "n_threads_batch", THREADS);
        int off = OracleOptions.FlashAttention.OFF.id();
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "flash_attn_type", off);
        int type = TensorType.F32.ggmlId();
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "type_k", type);
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "type_v", type);
        return params;
    }

    /**
     * Output for the last token of a sequence.
     *
     * @param logits {@code [vocabulary]}
     * @param state the hidden state beside the next token, {@code [width]}
     */
    public record Made(float[] logits, float[] state) {}

    /**
     * Computes a sequence from its first token on.
     *
     * @param states hidden state beside each token, {@code F32 [width, tokens]}
     */
    public Made last(int[] tokens, float[] states) {
        try (Arena arena = Arena.ofConfined()) {
            LlamaApi.clear(context);
            OracleBatch batch = new OracleBatch(arena, tokens.length);
            for (int i = 0; i < tokens.length; i++) {
                batch.add(tokens[i], i, 0, true);
            }
            MemorySegment struct = batch.struct();
            LlamaLayouts.setAddress(
                    struct, LlamaLayouts.BATCH, "embd", arena.allocateFrom(JAVA_FLOAT, states));
            int status = LlamaApi.decode(context, struct);
            if (status != 0) {
                throw new IllegalStateException(
                        "llama_decode returned " + status + ": " + NativeLog.drain());
            }
            int last = tokens.length - 1;
            return new Made(
                    floats(LlamaApi.logits(context, last), vocabulary),
                    floats(LlamaApi.nextState(context, last), states.length / tokens.length));
        }
    }

    static float[] floats(MemorySegment from, int count) {
        return from.reinterpret((long) count * Float.BYTES).toArray(JAVA_FLOAT);
    }

    @Override
    public void close() {
        LlamaApi.freeContext(context);
        LlamaApi.freeModel(model);
        CpuBackend.freeThreadPool(threadPool);
    }
}

package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * An independent implementation of the model families: libllama v0.5.0, on the CPU unless a device
 * is named.
 *
 * <p>Owns the model, its context and a thread pool; {@link #close} frees them and may be called
 * twice. For one thread at a time. The first oracle of a process loads ggml's backends, unless they
 * are loaded, and takes over ggml's log.
 */
@SuppressWarnings("restricted")
public final class Oracle implements AutoCloseable {
    private static final int ALL_LAYERS = 999;
    private static final int LOAD_MODE_READ = 0;
    private static final int LOAD_MODE_MMAP = 1;
    private static final long BENCHMARK_SEED = 42;

    private final OracleOptions options;
    private final MemorySegment model;
    private final MemorySegment context;
    private final MemorySegment threadPool;
    private final MemorySegment vocabulary;
    private final int vocabularyTokens;
    private boolean closed;

    /** Receives one row of logits; the array is reused for the next row. */
    @FunctionalInterface
    public interface LogitsConsumer {
        void accept(int row, float[] logits);
    }

    private static final class Library {
        static {
            LlamaApi.logSet(NativeLog.callback());
            CpuBackend.load();
            try (Arena arena = Arena.ofConfined()) {
                LlamaLayouts.check(LlamaApi.modelDefaults(arena), LlamaApi.contextDefaults(arena));
            }
        }

        static void ensureLoaded() {}
    }

    private Oracle(
            OracleOptions options,
            MemorySegment model,
            MemorySegment context,
            MemorySegment threadPool) {
        this.options = options;
        this.model = model;
        this.context = context;
        this.threadPool = threadPool;
        this.vocabulary = LlamaApi.vocabulary(model);
        this.vocabularyTokens = LlamaApi.vocabularyTokens(vocabulary);
    }

    /**
     * Loads a model.
     *
     * @throws IllegalArgumentException if libllama refuses the file or the options; the message has
     *     its reason
     */
    public static Oracle open(Path file, OracleOptions options) {
        return open(file, options, Optional.empty());
    }

    /**
     * Loads a model, with all layers on one device.
     *
     * @param device ggml's name for it, such as {@code CUDA0}; its backend must be loaded. Empty
     *     for the CPU
     * @throws IllegalArgumentException as for {@link #open(Path, OracleOptions)}, or if no backend
     *     has such a device
     */
    public static Oracle open(Path file, OracleOptions options, Optional<String> device) {
        load();
        NativeLog.drain();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
            MemorySegment model = LlamaApi.loadModel(path, modelParams(arena, options, device));
            if (model.equals(MemorySegment.NULL)) {
                throw new IllegalArgumentException(
                        file + ": refused by libllama: " + NativeLog.drain());
            }
            MemorySegment context = LlamaApi.newContext(model, contextParams(arena, options));
            if (context.equals(MemorySegment.NULL)) {
                LlamaApi.freeModel(model);
                throw new IllegalArgumentException(
                        file + ": no context for " + options + ": " + NativeLog.drain());
            }
            MemorySegment pool = CpuBackend.newThreadPool(options.threads());
            LlamaApi.attachThreadPool(context, pool);
            return new Oracle(options, model, context, pool);
        }
    }

    /**
     * Applies LoRA adapters to all later computations.
     *
     * @param adapters files with their scales, in the order of their terms
     * @throws IllegalArgumentException if libllama refuses one; the message has its reason
     */
    public Oracle adapt(Map<Path, Float> adapters) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment loaded = arena.allocate(ADDRESS, adapters.size());
            MemorySegment scales = arena.allocate(JAVA_FLOAT, adapters.size());
            int count = 0;
            for (Map.Entry<Path, Float> adapter : adapters.entrySet()) {
                MemorySegment path =
                        arena.allocateFrom(adapter.getKey().toAbsolutePath().toString());
                MemorySegment one = LlamaApi.loadAdapter(model, path);
                if (one.equals(MemorySegment.NULL)) {
                    throw new IllegalArgumentException(
                            adapter.getKey() + ": refused by libllama: " + NativeLog.drain());
                }
                loaded.setAtIndex(ADDRESS, count, one);
                scales.setAtIndex(JAVA_FLOAT, count++, adapter.getValue());
            }
            if (LlamaApi.setAdapters(context, loaded, count, scales) != 0) {
                throw new IllegalArgumentException("adapters: " + NativeLog.drain());
            }
        }
        return this;
    }

    /** Loads libllama, once per process. */
    static void load() {
        Library.ensureLoaded();
    }

    public OracleOptions options() {
        return options;
    }

    MemorySegment context() {
        return context;
    }

    MemorySegment vocabulary() {
        return vocabulary;
    }

    public int vocabularyTokens() {
        return vocabularyTokens;
    }

    /** A number that libllama reports about the context, such as {@code llama_n_ubatch}. */
    int contextNumber(String function) {
        return LlamaApi.contextNumber(context, function);
    }

    /**
     * Logits of every position of one sequence that starts empty.
     *
     * @return {@code [tokens.length][vocabulary]}
     */
    public float[][] logits(int[] tokens) {
        float[][] rows = new float[tokens.length][];
        forEachLogits(tokens, (row, logits) -> rows[row] = logits.clone());
        return rows;
    }

    /** Like {@link #logits}, one row at a time. */
    public void forEachLogits(int[] tokens, LogitsConsumer consumer) {
        float[] row = new float[vocabularyTokens];
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, options.batchTokens());
            clear();
            for (int first = 0; first < tokens.length; first += batch.size()) {
                batch.clear();
                int count = Math.min(options.batchTokens(), tokens.length - first);
                for (int i = 0; i < count; i++) {
                    batch.add(tokens[first + i], first + i, 0, true);
                }
                decode(batch);
                for (int i = 0; i < count; i++) {
                    readLogits(i, row);
                    consumer.accept(first + i, row);
                }
            }
        }
    }

    /** Logits after the last token of a sequence that starts empty, {@code [vocabulary]}. */
    public float[] lastLogits(int[] tokens) {
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, options.batchTokens());
            clear();
            int lastRow = prefill(batch, tokens, 0);
            float[] row = new float[vocabularyTokens];
            readLogits(lastRow, row);
            return row;
        }
    }

    /**
     * The {@code count} tokens that follow a prompt when the best token is always taken; the lower
     * id wins a tie.
     */
    public int[] greedy(int[] prompt, int count) {
        return greedy(prompt, count, (step, logits) -> {});
    }

    /** Like {@link #greedy(int[], int)}, with the logits of every step. */
    public Comparison.GreedyRun greedyRun(int[] prompt, int count) {
        float[][] rows = new float[count][];
        int[] tokens = greedy(prompt, count, (step, logits) -> rows[step] = logits.clone());
        return new Comparison.GreedyRun(tokens, rows);
    }

    private int[] greedy(int[] prompt, int count, LogitsConsumer consumer) {
        int[] generated = new int[count];
        float[] row = new float[vocabularyTokens];
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, options.batchTokens());
            clear();
            int lastRow = prefill(batch, prompt, 0);
            for (int i = 0; i < count; i++) {
                if (i > 0) {
                    batch.clear();
                    batch.add(generated[i - 1], prompt.length + i - 1, 0, true);
                    decode(batch);
                    lastRow = 0;
                }
                readLogits(lastRow, row);
                consumer.accept(i, row);
                generated[i] = Comparison.argmax(row);
            }
        }
        return generated;
    }

    /**
     * Token ids of a text.
     *
     * @param addSpecial whether tokens that the model requires at the start or end are added
     * @param parseSpecial whether the texts of control tokens become those tokens
     */
    public int[] tokenize(String text, boolean addSpecial, boolean parseSpecial) {
        return VocabularyOracle.tokenize(vocabulary, text, addSpecial, parseSpecial);
    }

    /** The bytes that a token stands for; of a control token, its name. */
    public byte[] piece(int token) {
        if (token < 0 || token >= vocabularyTokens) {
            throw new IllegalArgumentException("token " + token + " of " + vocabularyTokens);
        }
        return VocabularyOracle.piece(vocabulary, token);
    }

    /**
     * Speed of a prompt of {@code tokens} from an empty cache, with the logits of its last token
     * only.
     */
    public double prefillTokensPerSecond(int tokens) {
        int[] prompt = benchmarkTokens(tokens);
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, options.batchTokens());
            clear();
            long start = System.nanoTime();
            prefill(batch, prompt, 0);
            return perSecond(tokens, start);
        }
    }

    /** Speed of {@code tokens} single-token steps from an empty cache, without sampling. */
    public double decodeTokensPerSecond(int tokens) {
        return batchedDecode(1, 0, tokens);
    }

    /**
     * Speed of sequences that decode together, one token of each per step, without sampling.
     *
     * @param promptTokens tokens that each sequence has before the clock starts
     * @return tokens of all sequences per second
     */
    public double batchedDecode(int sequences, int promptTokens, int steps) {
        int[] tokens = benchmarkTokens(promptTokens + steps);
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, Math.max(options.batchTokens(), sequences));
            clear();
            for (int sequence = 0; sequence < sequences && promptTokens > 0; sequence++) {
                prefill(batch, Arrays.copyOf(tokens, promptTokens), sequence);
            }
            LlamaApi.synchronize(context);
            long start = System.nanoTime();
            for (int position = promptTokens; position < tokens.length; position++) {
                batch.clear();
                for (int sequence = 0; sequence < sequences; sequence++) {
                    batch.add(
                            (tokens[position] + sequence) % vocabularyTokens,
                            position,
                            sequence,
                            true);
                }
                decode(batch);
            }
            return perSecond((long) sequences * steps, start);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            LlamaApi.freeContext(context);
            LlamaApi.freeModel(model);
            CpuBackend.freeThreadPool(threadPool);
        }
    }

    /**
     * Runs a whole prompt of one sequence and returns the batch row whose logits are those of its
     * last token.
     */
    private int prefill(OracleBatch batch, int[] tokens, int sequence) {
        for (int first = 0; first < tokens.length; first += batch.size()) {
            batch.clear();
            int count = Math.min(options.batchTokens(), tokens.length - first);
            for (int i = 0; i < count; i++) {
                batch.add(tokens[first + i], first + i, sequence, first + i == tokens.length - 1);
            }
            decode(batch);
        }
        return batch.size() - 1;
    }

    void decode(OracleBatch batch) {
        int status = LlamaApi.decode(context, batch.struct());
        if (status != 0) {
            throw new IllegalStateException(
                    "llama_decode returned " + status + ": " + NativeLog.drain());
        }
    }

    private void readLogits(int batchRow, float[] into) {
        MemorySegment logits = LlamaApi.logits(context, batchRow);
        MemorySegment.copy(
                logits.reinterpret(4L * into.length), JAVA_FLOAT, 0, into, 0, into.length);
    }

    private void clear() {
        if (closed) {
            throw new IllegalStateException("the oracle is closed");
        }
        LlamaApi.clear(context);
    }

    private double perSecond(long tokens, long startNanos) {
        LlamaApi.synchronize(context);
        return tokens * 1e9 / (System.nanoTime() - startNanos);
    }

    /** Returns the tokens for speed measurements; their ids decide which experts work. */
    public int[] benchmarkTokens(int count) {
        return new SplittableRandom(BENCHMARK_SEED).ints(count, 0, vocabularyTokens).toArray();
    }

    static MemorySegment modelParams(Arena arena, OracleOptions options, Optional<String> device) {
        MemorySegment params = LlamaApi.modelDefaults(arena);
        LlamaLayouts.setInt(
                params,
                LlamaLayouts.MODEL_PARAMS,
                "n_gpu_layers",
                device.isPresent() ? ALL_LAYERS : 0);
        // A list that ends with NULL. Empty: with an accelerator in the process, even an idle one,
        // libllama would keep the processor's weights where they cannot be repacked.
        MemorySegment devices = arena.allocate(ADDRESS, 2);
        device.ifPresent(name -> devices.set(ADDRESS, 0, CpuBackend.device(name)));
        LlamaLayouts.setAddress(params, LlamaLayouts.MODEL_PARAMS, "devices", devices);
        int loadMode = options.mmap() ? LOAD_MODE_MMAP : LOAD_MODE_READ;
        LlamaLayouts.setInt(params, LlamaLayouts.MODEL_PARAMS, "load_mode", loadMode);
        LlamaLayouts.setBoolean(
                params, LlamaLayouts.MODEL_PARAMS, "use_extra_bufts", options.repack());
        return params;
    }

    static MemorySegment contextParams(Arena arena, OracleOptions options) {
        MemorySegment params = LlamaApi.contextDefaults(arena);
        setContext(params, "n_ctx", options.contextTokens());
        setContext(params, "n_batch", options.batchTokens());
        setContext(params, "n_ubatch", options.ubatchTokens());
        setContext(params, "n_seq_max", options.sequences());
        setContext(params, "n_threads", options.threads());
        setContext(params, "n_threads_batch", options.threads());
        setContext(params, "flash_attn_type", options.flashAttention().id());
        setContext(params, "type_k", options.keyType().ggmlId());
        setContext(params, "type_v", options.valueType().ggmlId());
        LlamaLayouts.setBoolean(params, LlamaLayouts.CONTEXT_PARAMS, "offload_kqv", false);
        LlamaLayouts.setBoolean(params, LlamaLayouts.CONTEXT_PARAMS, "op_offload", false);
        LlamaLayouts.setBoolean(
                params, LlamaLayouts.CONTEXT_PARAMS, "kv_unified", options.unifiedKv());
        return params;
    }

    private static void setContext(MemorySegment params, String field, int value) {
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, field, value);
    }
}

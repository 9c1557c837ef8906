package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Runs an assistant beside its model with libllama, on the CPU. Owns models, contexts and threads;
 * for one thread.
 */
public final class AssistantOracle implements AutoCloseable {
    private final Deque<Runnable> owned = new ArrayDeque<>();
    private final MemorySegment target;
    private final MemorySegment assistant;
    private final int vocabulary;
    private final int width;
    private int[] text = new int[0];
    private int position;
    private float[] state = new float[0];

    /**
     * Loads the model and the assistant.
     *
     * @param file file of the assistant
     * @param width width of the model's hidden state
     * @param most tokens of a sequence
     * @param cache type of keys and values
     * @throws IllegalArgumentException with libllama's reason if it refuses
     */
    public AssistantOracle(Path target, Path file, int width, int most, TensorType cache) {
        this.width = width;
        Oracle.load();
        NativeLog.drain();
        MemorySegment threads = CpuBackend.newThreadPool(NextTokenOracle.THREADS);
        owned.push(() -> CpuBackend.freeThreadPool(threads));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment model = model(arena, target);
            vocabulary = LlamaApi.vocabularyTokens(LlamaApi.vocabulary(model));
            MemorySegment plain = NextTokenOracle.plainContextParams(arena, most);
            setCache(plain, cache);
            this.target = context(model, plain, threads);
            MemorySegment beside = NextTokenOracle.contextParams(arena, most, this.target);
            setCache(beside, cache);
            assistant = context(model(arena, file), beside, threads);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static void setCache(MemorySegment params, TensorType type) {
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "type_k", type.ggmlId());
        LlamaLayouts.setInt(params, LlamaLayouts.CONTEXT_PARAMS, "type_v", type.ggmlId());
    }

    private MemorySegment model(Arena arena, Path file) {
        MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
        MemorySegment model = LlamaApi.loadModel(path, NextTokenOracle.modelParams(arena));
        if (model.equals(MemorySegment.NULL)) {
            throw new IllegalArgumentException(file + ": refused: " + NativeLog.drain());
        }
        owned.push(() -> LlamaApi.freeModel(model));
        return model;
    }

    private MemorySegment context(MemorySegment model, MemorySegment params, MemorySegment pool) {
        MemorySegment context = LlamaApi.newContext(model, params);
        if (context.equals(MemorySegment.NULL)) {
            throw new IllegalArgumentException("no context: " + NativeLog.drain());
        }
        owned.push(() -> LlamaApi.freeContext(context));
        LlamaApi.attachThreadPool(context, pool);
        LlamaApi.keepNextStates(context);
        return context;
    }

    /**
     * Runs the model on a text; computes only the new tokens if the text begins with the last one.
     */
    public void read(int[] tokens) {
        int known = Arrays.mismatch(text, tokens);
        if (known != text.length) {
            LlamaApi.clear(target);
            known = 0;
        }
        int more = tokens.length - known;
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, more);
            for (int i = known; i < tokens.length; i++) {
                batch.add(tokens[i], i, 0, true);
            }
            decode(target, batch.struct());
        }
        text = tokens.clone();
        position = tokens.length;
        state = NextTokenOracle.floats(LlamaApi.nextState(target, more - 1), width);
    }

    /**
     * Adds a token after the text, or after the draft tokens so far.
     *
     * @return logits of the next token, {@code [vocabulary]}
     */
    public float[] next(int token) {
        try (Arena arena = Arena.ofConfined()) {
            OracleBatch batch = new OracleBatch(arena, 1);
            batch.add(token, position, 0, true);
            MemorySegment struct = batch.struct();
            LlamaLayouts.setAddress(
                    struct, LlamaLayouts.BATCH, "embd", arena.allocateFrom(JAVA_FLOAT, state));
            decode(assistant, struct);
            state = NextTokenOracle.floats(LlamaApi.nextState(assistant, 0), width);
            return NextTokenOracle.floats(LlamaApi.logits(assistant, 0), vocabulary);
        }
    }

    private static void decode(MemorySegment context, MemorySegment batch) {
        int status = LlamaApi.decode(context, batch);
        if (status != 0) {
            throw new IllegalStateException(
                    "llama_decode returned " + status + ": " + NativeLog.drain());
        }
    }

    @Override
    public void close() {
        while (!owned.isEmpty()) {
            owned.pop().run();
        }
    }
}

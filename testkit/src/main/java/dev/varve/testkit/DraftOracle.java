package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Runs a draft network of architecture {@code dflash} with libllama. The file needs embedding and
 * head of its own, as there is no target.
 *
 * <p>For one thread; {@link #close} frees everything.
 */
public final class DraftOracle implements AutoCloseable {
    private final Oracle oracle;
    private final int width;

    /**
     * A row of a block.
     *
     * @param logits of the target's vocabulary
     * @param staged values that the driver of such a network receives beside them: DSpark's
     *     confidence in every element, DFlash2's candidates and how they follow those of the row
     *     before
     */
    public record Row(float[] logits, float[] staged) {}

    private DraftOracle(Oracle oracle, int width) {
        this.oracle = oracle;
        this.width = width;
    }

    /**
     * Adds the values that libllama requires in a file that has no tokenizer.
     *
     * @param vocabulary tokens of the target
     */
    public static GgufWriter complete(GgufWriter writer, int vocabulary) {
        return writer.put("tokenizer.ggml.model", GgufValue.of("no_vocab"))
                .put("dflash.vocab_size", GgufValue.of(vocabulary));
    }

    /**
     * Opens a draft.
     *
     * @param width of its hidden state
     * @param context positions, those of the block included
     * @param masked whether rows without logits are not staged
     * @throws IllegalArgumentException if libllama refuses the file; the message has its reason
     */
    public static DraftOracle open(Path file, int width, int context, boolean masked) {
        OracleOptions options =
                OracleOptions.defaults()
                        .withContext(context)
                        .withBatch(context)
                        .withUbatch(context)
                        .withCache(TensorType.F32)
                        .withFlashAttention(OracleOptions.FlashAttention.OFF);
        Oracle oracle = Oracle.open(file, options);
        LlamaApi.setCausal(oracle.context(), false);
        LlamaApi.stage(oracle.context(), masked);
        return new DraftOracle(oracle, width);
    }

    /**
     * Computes a block after a context.
     *
     * @param features hidden states of the target at positions 0 and on
     * @param tokens of the block
     */
    public Row[] block(float[][] features, int[] tokens) {
        MemorySegment context = oracle.context();
        LlamaApi.clear(context);
        try (Arena arena = Arena.ofConfined()) {
            oracle.decode(OracleBatch.ofEmbeddings(arena, features));
            OracleBatch batch = new OracleBatch(arena, tokens.length);
            for (int i = 0; i < tokens.length; i++) {
                batch.add(tokens[i], features.length + i, 0, true);
            }
            oracle.decode(batch);
            Row[] rows = new Row[tokens.length];
            for (int i = 0; i < rows.length; i++) {
                rows[i] =
                        new Row(
                                floats(LlamaApi.logits(context, i), oracle.vocabularyTokens()),
                                floats(LlamaApi.staged(context, i), width));
            }
            return rows;
        }
    }

    @SuppressWarnings("restricted")
    private static float[] floats(MemorySegment at, int count) {
        if (at.equals(MemorySegment.NULL)) {
            throw new IllegalStateException("libllama has no such row: " + NativeLog.drain());
        }
        return at.reinterpret(4L * count).toArray(JAVA_FLOAT);
    }

    @Override
    public void close() {
        oracle.close();
    }
}

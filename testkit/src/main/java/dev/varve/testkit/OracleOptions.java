package dev.varve.testkit;

/**
 * Settings with which the oracle runs a model. Batch sizes, threads, cache types and flash
 * attention change the last bits of the logits, so a comparison names all of them.
 *
 * @param contextTokens cells over all sequences
 * @param batchTokens most tokens in one call
 * @param ubatchTokens most tokens in one graph
 * @param sequences most sequences at once
 * @param unifiedKv whether all sequences share one cache; otherwise each has {@code contextTokens /
 *     sequences} cells
 * @param mmap whether weights are mapped instead of read
 * @param repack whether weights may be rearranged for the CPU
 */
public record OracleOptions(
        int contextTokens,
        int batchTokens,
        int ubatchTokens,
        int sequences,
        int threads,
        TensorType keyType,
        TensorType valueType,
        FlashAttention flashAttention,
        boolean unifiedKv,
        boolean mmap,
        boolean repack) {
    /** Values of {@code enum llama_flash_attn_type}. */
    public enum FlashAttention {
        AUTO(-1),
        OFF(0),
        ON(1);

        private final int id;

        FlashAttention(int id) {
            this.id = id;
        }

        int id() {
            return id;
        }
    }

    public OracleOptions {
        if (contextTokens < 1
                || batchTokens < 1
                || ubatchTokens < 1
                || sequences < 1
                || threads < 1) {
            throw new IllegalArgumentException(
                    "sizes must be positive: context "
                            + contextTokens
                            + ", batch "
                            + batchTokens
                            + ", ubatch "
                            + ubatchTokens
                            + ", sequences "
                            + sequences
                            + ", threads "
                            + threads);
        }
    }

    /**
     * One sequence of 2048 tokens, batches of 512, {@link TestThreads#COUNT} threads, F16 cache,
     * flash attention on.
     */
    public static OracleOptions defaults() {
        return new OracleOptions(
                2048,
                2048,
                512,
                1,
                TestThreads.COUNT,
                TensorType.F16,
                TensorType.F16,
                FlashAttention.ON,
                false,
                true,
                true);
    }

    public OracleOptions withContext(int tokens) {
        return new OracleOptions(
                tokens,
                batchTokens,
                ubatchTokens,
                sequences,
                threads,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withBatch(int tokens) {
        return new OracleOptions(
                contextTokens,
                tokens,
                ubatchTokens,
                sequences,
                threads,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withUbatch(int tokens) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                tokens,
                sequences,
                threads,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withSequences(int count) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                ubatchTokens,
                count,
                threads,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withThreads(int count) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                ubatchTokens,
                sequences,
                count,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    /** The same type for keys and values. */
    public OracleOptions withCache(TensorType type) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                ubatchTokens,
                sequences,
                threads,
                type,
                type,
                flashAttention,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withFlashAttention(FlashAttention mode) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                ubatchTokens,
                sequences,
                threads,
                keyType,
                valueType,
                mode,
                unifiedKv,
                mmap,
                repack);
    }

    public OracleOptions withMmap(boolean mapped) {
        return new OracleOptions(
                contextTokens,
                batchTokens,
                ubatchTokens,
                sequences,
                threads,
                keyType,
                valueType,
                flashAttention,
                unifiedKv,
                mapped,
                repack);
    }
}

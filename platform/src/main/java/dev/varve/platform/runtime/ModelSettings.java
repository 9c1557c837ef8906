package dev.varve.platform.runtime;

import dev.varve.api.model.ModelOptions;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.FlashAttention;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * What a person may set about a model that is being loaded.
 *
 * @param maxContext most tokens of one sequence, prompt and output together; empty: the model's own
 *     limit, at most {@value #DEFAULT_CONTEXT}
 * @param parallel most sequences decoded together
 * @param kvTokens tokens of the KV pool that all sequences share; empty: {@code parallel} whole
 *     contexts, or as much of that as the memory holds
 * @param cacheTypes element types of the KV cache
 * @param repack whether matrices are repacked for the device; needs a private copy of the weights
 * @param queueLimit most requests that wait
 * @param model how the family reads the file
 * @param flashAttention whether attention is one operator
 * @param exactRows what the numbers of a token may depend on
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 */
public record ModelSettings(
        OptionalInt maxContext,
        int parallel,
        OptionalInt kvTokens,
        CacheTypes cacheTypes,
        boolean repack,
        int queueLimit,
        ModelOptions model,
        FlashAttention flashAttention,
        ExactRows exactRows,
        Duration shardPatience) {
    /**
     * Context of one sequence where nobody asked for another: room for long chats at a modest
     * price.
     */
    public static final int DEFAULT_CONTEXT = 8192;

    /** Most sequences decoded together where nobody asked for another number. */
    public static final int DEFAULT_PARALLEL = 4;

    /** Most waiting requests where nobody asked for another number. */
    public static final int DEFAULT_QUEUE = 64;

    public ModelSettings {
        Objects.requireNonNull(cacheTypes);
        Objects.requireNonNull(flashAttention);
        Objects.requireNonNull(exactRows);
        Objects.requireNonNull(shardPatience);
        if (parallel < 1 || parallel > 256) {
            throw new IllegalArgumentException(
                    Setting.PARALLEL + ": expected 1 to 256, found " + parallel);
        }
        if (queueLimit < 1) {
            throw new IllegalArgumentException(
                    Setting.QUEUE_LIMIT + ": expected 1 or more, found " + queueLimit);
        }
    }

    /** Flash attention where the device has it, exact rows where they are cheap. */
    public ModelSettings(
            OptionalInt maxContext,
            int parallel,
            OptionalInt kvTokens,
            CacheTypes cacheTypes,
            boolean repack,
            int queueLimit,
            ModelOptions model) {
        this(
                maxContext,
                parallel,
                kvTokens,
                cacheTypes,
                repack,
                queueLimit,
                model,
                FlashAttention.AUTO,
                ExactRows.AUTO,
                EngineOptions.DEFAULT_SHARD_PATIENCE);
    }

    /** The same settings with another attention. */
    public ModelSettings withFlashAttention(FlashAttention other) {
        return new ModelSettings(
                maxContext,
                parallel,
                kvTokens,
                cacheTypes,
                repack,
                queueLimit,
                model,
                other,
                exactRows,
                shardPatience);
    }

    /** The same settings with other demands on the numbers of a token. */
    public ModelSettings withExactRows(ExactRows other) {
        return new ModelSettings(
                maxContext,
                parallel,
                kvTokens,
                cacheTypes,
                repack,
                queueLimit,
                model,
                flashAttention,
                other,
                shardPatience);
    }

    /** The same settings with another patience with lost shards. */
    public ModelSettings withShardPatience(Duration other) {
        return new ModelSettings(
                maxContext,
                parallel,
                kvTokens,
                cacheTypes,
                repack,
                queueLimit,
                model,
                flashAttention,
                exactRows,
                other);
    }

    /** The same settings for a model that is read in another way. */
    public ModelSettings withModel(ModelOptions other) {
        return new ModelSettings(
                maxContext,
                parallel,
                kvTokens,
                cacheTypes,
                repack,
                queueLimit,
                other,
                flashAttention,
                exactRows,
                shardPatience);
    }

    /** The defaults for one sequence of a given length. */
    public static ModelSettings single(int context) {
        return new ModelSettings(
                OptionalInt.of(context),
                1,
                OptionalInt.empty(),
                CacheTypes.f16(),
                true,
                DEFAULT_QUEUE,
                ModelOptions.defaults());
    }
}

package dev.varve.platform.runtime;

import dev.varve.api.model.ModelOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * Settings of a model, independent of its devices.
 *
 * @param sequences number and length of sequences
 * @param computation how the shards compute
 * @param reading the operator's options for reading the file, see {@link #modelOptions}
 * @param waiting queue length and wait limits
 * @param hostCache host memory for cached prefixes beside the devices
 * @param drafts what speculative decoding requires of the shards
 * @param pool bounded attention cache of each sequence; empty for a slot per token
 * @param replicas number of engines with their own caches that share the requests
 */
public record ModelSettings(
        SequenceLimits sequences,
        ComputeSettings computation,
        ModelOptions reading,
        WaitingLimits waiting,
        HostCacheLimit hostCache,
        SpeculationRequirements drafts,
        Optional<RequestedPaging> pool,
        int replicas) {
    /** Limit of replicas; more would use memory without a gain. */
    private static final int MOST_REPLICAS = 64;

    /** Checks that nothing is missing. */
    public ModelSettings {
        Objects.requireNonNull(sequences);
        Objects.requireNonNull(computation);
        Objects.requireNonNull(reading);
        Objects.requireNonNull(waiting);
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(drafts);
        Objects.requireNonNull(pool);
        if (replicas < 1 || replicas > MOST_REPLICAS) {
            throw new IllegalArgumentException(
                    Setting.REPLICAS + ": expected 1 to " + MOST_REPLICAS + ", found " + replicas);
        }
    }

    /** Creates settings without speculative decoding, and with a slot for each token. */
    public ModelSettings(
            SequenceLimits sequences,
            ComputeSettings computation,
            ModelOptions reading,
            WaitingLimits waiting,
            HostCacheLimit hostCache) {
        this(
                sequences,
                computation,
                reading,
                waiting,
                hostCache,
                SpeculationRequirements.NONE,
                Optional.empty(),
                1);
    }

    /**
     * Returns how the family reads the file: the operator's options, and the length of sequences.
     */
    public ModelOptions modelOptions() {
        return reading.withContext(
                sequences.contextTokens().orElse(SequenceLimits.DEFAULT_CONTEXT));
    }

    /** Returns settings for a few sequences of the default length. */
    public static ModelSettings defaults() {
        return of(SequenceLimits.parallel(SequenceLimits.DEFAULT_PARALLEL));
    }

    /** Returns settings for one sequence of a given length. */
    public static ModelSettings single(int contextTokens) {
        return of(SequenceLimits.of(contextTokens, 1));
    }

    /** Returns settings for some sequences, with defaults; no host memory caches prefixes. */
    public static ModelSettings of(SequenceLimits sequences) {
        return new ModelSettings(
                sequences,
                ComputeSettings.defaults(),
                ModelOptions.defaults(),
                WaitingLimits.defaults(),
                HostCacheLimit.NONE);
    }

    /** Returns a copy for other sequences. */
    public ModelSettings with(SequenceLimits other) {
        return new ModelSettings(
                other, computation, reading, waiting, hostCache, drafts, pool, replicas);
    }

    /** Returns a copy with other compute settings. */
    public ModelSettings with(ComputeSettings other) {
        return new ModelSettings(
                sequences, other, reading, waiting, hostCache, drafts, pool, replicas);
    }

    /** Returns a copy with other model options. */
    public ModelSettings with(ModelOptions other) {
        return new ModelSettings(
                sequences, computation, other, waiting, hostCache, drafts, pool, replicas);
    }

    /** Returns a copy with other wait limits. */
    public ModelSettings with(WaitingLimits other) {
        return new ModelSettings(
                sequences, computation, reading, other, hostCache, drafts, pool, replicas);
    }

    /** Returns a copy with another limit of host memory. */
    public ModelSettings with(HostCacheLimit other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, other, drafts, pool, replicas);
    }

    /** Returns a copy with room for draft tokens. */
    public ModelSettings with(SpeculationRequirements other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, other, pool, replicas);
    }

    /** Returns a copy with another bounded attention cache, or none. */
    public ModelSettings withPool(Optional<RequestedPaging> other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, drafts, other, replicas);
    }

    /** Returns a copy with another number of replicas. */
    public ModelSettings withReplicas(int count) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, drafts, pool, count);
    }
}

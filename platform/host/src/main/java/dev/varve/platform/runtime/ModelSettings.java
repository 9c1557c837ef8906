package dev.varve.platform.runtime;

import dev.varve.api.model.ModelOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * What a person may set about a model that is being loaded, wherever it computes.
 *
 * @param sequences how many there may be, and how long
 * @param computation how the shards compute
 * @param reading how the family reads the file
 * @param waiting how many requests wait, and how long
 * @param hostCache how much host memory holds computed prompts beside the devices
 * @param drafts what whoever guesses tokens needs of the shards
 * @param pool how the attention cache of each sequence is bounded; empty for a slot per token
 * @param replicas engines with caches of their own that share the requests
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
    /** More of them take more memory than they are good for. */
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

    /** Nothing is guessed, and sequences have a slot for each token. */
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

    /** A few sequences of the usual length. */
    public static ModelSettings defaults() {
        return of(SequenceLimits.parallel(SequenceLimits.DEFAULT_PARALLEL));
    }

    /** One sequence of a given length. */
    public static ModelSettings single(int contextTokens) {
        return of(SequenceLimits.of(contextTokens, 1));
    }

    /** Some sequences, and everything else as usual; only the devices keep what was computed. */
    public static ModelSettings of(SequenceLimits sequences) {
        return new ModelSettings(
                sequences,
                ComputeSettings.defaults(),
                ModelOptions.defaults(),
                WaitingLimits.defaults(),
                HostCacheLimit.NONE);
    }

    /** The same for other sequences. */
    public ModelSettings with(SequenceLimits other) {
        return new ModelSettings(
                other, computation, reading, waiting, hostCache, drafts, pool, replicas);
    }

    /** The same, computed in another way. */
    public ModelSettings with(ComputeSettings other) {
        return new ModelSettings(
                sequences, other, reading, waiting, hostCache, drafts, pool, replicas);
    }

    /** The same for a model that is read in another way. */
    public ModelSettings with(ModelOptions other) {
        return new ModelSettings(
                sequences, computation, other, waiting, hostCache, drafts, pool, replicas);
    }

    /** The same with other limits to waiting. */
    public ModelSettings with(WaitingLimits other) {
        return new ModelSettings(
                sequences, computation, reading, other, hostCache, drafts, pool, replicas);
    }

    /** The same with other host memory beside the devices. */
    public ModelSettings with(HostCacheLimit other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, other, drafts, pool, replicas);
    }

    /** The same with room for guesses. */
    public ModelSettings with(SpeculationRequirements other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, other, pool, replicas);
    }

    /** The same with an attention cache that is bounded in another way, or not at all. */
    public ModelSettings withPool(Optional<RequestedPaging> other) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, drafts, other, replicas);
    }

    /** The same with as many engines that share the requests. */
    public ModelSettings withReplicas(int count) {
        return new ModelSettings(
                sequences, computation, reading, waiting, hostCache, drafts, pool, count);
    }
}

package dev.varve.platform.prefix;

import dev.varve.platform.store.SharedArchive;

import java.util.Objects;

/**
 * A store below host memory that several servers share.
 *
 * @param archive closed with the cache
 * @param namespace identifies the model and every other setting that changes the computed values
 * @param origin names of the shards' tensors that are stored there, for diagnostics
 * @param isUrgent whether writes are not delayed while the engine computes, because other servers
 *     wait for them
 */
public record SharedTierOptions(
        SharedArchive archive, byte[] namespace, String origin, boolean isUrgent) {
    /** Checks that no component is null, and copies the bytes. */
    public SharedTierOptions {
        Objects.requireNonNull(archive);
        Objects.requireNonNull(origin);
        namespace = namespace.clone();
    }

    /** Creates options for a store whose writes yield to the engine. */
    public SharedTierOptions(SharedArchive archive, byte[] namespace, String origin) {
        this(archive, namespace, origin, false);
    }

    /** Returns the same store for one more cache, which closes it as well. */
    public SharedTierOptions share() {
        return new SharedTierOptions(archive.share(), namespace, origin, isUrgent);
    }

    @Override
    public byte[] namespace() {
        return namespace.clone();
    }
}

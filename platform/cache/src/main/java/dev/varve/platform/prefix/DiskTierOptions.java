package dev.varve.platform.prefix;

import dev.varve.platform.store.DiskArchive;

import java.util.Objects;

/**
 * A store on disk below host memory.
 *
 * @param archive closed with the cache
 * @param namespace identifies the model and every other setting that changes the computed values
 * @param origin names of the shards' tensors that are stored there, for diagnostics
 */
public record DiskTierOptions(DiskArchive archive, byte[] namespace, String origin) {
    /** Tokens of a block. */
    public static final int BLOCK_TOKENS = CachedBlock.TOKENS;

    /** Checks that no component is null, and copies the bytes. */
    public DiskTierOptions {
        Objects.requireNonNull(archive);
        Objects.requireNonNull(origin);
        namespace = namespace.clone();
    }

    /** Returns the same disk for one more cache, which closes it as well. */
    public DiskTierOptions share() {
        return new DiskTierOptions(archive.share(), namespace, origin);
    }

    @Override
    public byte[] namespace() {
        return namespace.clone();
    }
}

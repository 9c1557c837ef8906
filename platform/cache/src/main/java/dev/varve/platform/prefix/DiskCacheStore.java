package dev.varve.platform.prefix;

import dev.varve.platform.store.SnapshotArchive;

import java.util.Objects;

/**
 * A store on disk behind host memory.
 *
 * @param archive closed with the cache
 * @param namespace what tells apart models, and whatever else gives other numbers
 * @param origin names of the shards' tensors that go there, for people
 */
public record DiskCacheStore(SnapshotArchive archive, byte[] namespace, String origin) {
    /** Tokens of a block. */
    public static final int BLOCK_TOKENS = TokenBlock.TOKENS;

    /** Checks that nothing is missing, and copies the bytes. */
    public DiskCacheStore {
        Objects.requireNonNull(archive);
        Objects.requireNonNull(origin);
        namespace = namespace.clone();
    }

    /** The same disk for one more cache, which closes it as well. */
    public DiskCacheStore share() {
        return new DiskCacheStore(archive.share(), namespace, origin);
    }

    @Override
    public byte[] namespace() {
        return namespace.clone();
    }
}

package dev.varve.platform.prefix;

import dev.varve.platform.store.SharedArchive;

import java.util.Objects;

/**
 * A store behind host memory that several servers share.
 *
 * @param archive closed with the cache
 * @param namespace what tells apart models, and whatever else gives other numbers
 * @param origin names of the shards' tensors that go there, for people
 */
public record SharedCacheStore(SharedArchive archive, byte[] namespace, String origin) {
    /** Checks that nothing is missing, and copies the bytes. */
    public SharedCacheStore {
        Objects.requireNonNull(archive);
        Objects.requireNonNull(origin);
        namespace = namespace.clone();
    }

    /** The same store for one more cache, which closes it as well. */
    public SharedCacheStore share() {
        return new SharedCacheStore(archive.share(), namespace, origin);
    }

    @Override
    public byte[] namespace() {
        return namespace.clone();
    }
}

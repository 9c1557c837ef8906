package dev.varve.platform.prefix;

import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.ObjectKey;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reserves memory for hidden states that a store has and host memory lacks, from the end of a
 * prefix to its beginning: hidden states before a gap are not usable.
 */
record FeaturePrefetchAllocator(
        DiskArchive archive, FeaturePagePool featurePages, ChainKeys keys, StorePrefetch load) {
    /** Adds those of a checkpoint; returns whether the ones before it are usable. */
    boolean add(ObjectKey of, Checkpoint checkpoint) {
        return holds(checkpoint.features())
                || add(of, checkpoint.position(), checkpoint.tail(), checkpoint::setFeatures);
    }

    /** Adds those of a block; returns whether the ones before it are usable. */
    boolean add(ObjectKey of, CachedBlock block) {
        return holds(block.features()) || add(of, block.end(), block.tokens(), block::setFeatures);
    }

    private boolean holds(Optional<FeaturePage> known) {
        known.ifPresent(load::pin);
        return known.isPresent();
    }

    private boolean add(ObjectKey of, int end, int[] tokens, Consumer<FeaturePage> keep) {
        ObjectKey key = keys.features(featurePages.kind(), of);
        if (archive.find(key).isEmpty()) {
            return false;
        }
        FeaturePage page = featurePages.open(0);
        if (!featurePages.extend(page, tokens.length)) {
            return false;
        }
        page.pin();
        load.add(new FeaturePrefetch(featurePages, key, end, tokens, page, keep));
        return true;
    }
}

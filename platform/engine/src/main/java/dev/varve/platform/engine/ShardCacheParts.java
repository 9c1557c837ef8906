package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartTransfer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a cache transfer that belong to one shard.
 *
 * @param parts parts of the shard
 * @param places index of each part in the whole transfer
 * @param all transfer of all parts
 */
record ShardCacheParts(List<CachePart> parts, List<Integer> places, CachePartTransfer all)
        implements CachePartTransfer {
    static ShardCacheParts of(LayerRange range, List<CachePart> all, CachePartTransfer bytes) {
        List<CachePart> parts = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (range.contains(all.get(i).layer())) {
                parts.add(all.get(i));
                places.add(i);
            }
        }
        return new ShardCacheParts(parts, places, bytes);
    }

    @Override
    public void take(int index, ByteBuffer bytes) {
        all.take(places.get(index), bytes);
    }

    @Override
    public void give(int index, ByteBuffer target) {
        all.give(places.get(index), target);
    }
}

package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;

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
record ShardTransferParts(List<CachePart> parts, List<Integer> places, CachePartCallback all)
        implements CachePartCallback {
    static ShardTransferParts of(LayerRange range, List<CachePart> all, CachePartCallback bytes) {
        List<CachePart> parts = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (range.contains(all.get(i).layer())) {
                parts.add(all.get(i));
                places.add(i);
            }
        }
        return new ShardTransferParts(parts, places, bytes);
    }

    @Override
    public void accept(int index, ByteBuffer bytes) {
        all.accept(places.get(index), bytes);
    }

    @Override
    public void give(int index, ByteBuffer target) {
        all.give(places.get(index), target);
    }
}

package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartHandler;

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
record ShardTransfer(List<CachePart> parts, List<Integer> places, CachePartHandler all)
        implements CachePartHandler {
    static ShardTransfer of(LayerRange range, List<CachePart> all, CachePartHandler bytes) {
        List<CachePart> parts = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (range.contains(all.get(i).layer())) {
                parts.add(all.get(i));
                places.add(i);
            }
        }
        return new ShardTransfer(parts, places, bytes);
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

package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.PartBytes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Those of some parts that belong to one shard.
 *
 * @param parts the shard's
 * @param places where they stand among all
 * @param all bytes of all parts
 */
record PartsOfShard(List<CachePart> parts, List<Integer> places, PartBytes all)
        implements PartBytes {
    static PartsOfShard of(LayerRange range, List<CachePart> all, PartBytes bytes) {
        List<CachePart> parts = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (range.contains(all.get(i).layer())) {
                parts.add(all.get(i));
                places.add(i);
            }
        }
        return new PartsOfShard(parts, places, bytes);
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

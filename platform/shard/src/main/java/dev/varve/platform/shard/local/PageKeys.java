package dev.varve.platform.shard.local;

import dev.varve.api.ggml.RowConversion;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.KeyBounds;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.Pages;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds of the keys of pages, by the pages' names, and scores of pages for queries. A page's keys
 * are read once, when it first moves to host memory or is first scored; they do not change after
 * that.
 */
final class PageKeys {
    private final KvPool pool;
    private final HostPages pages;
    private final SharedKvLayers layers;

    /** Bounds of a page's keys by layer; without layers whose keys are not finite. */
    private final Map<Long, Map<Integer, float[]>> known = new HashMap<>();

    private ByteBuffer bytes = ByteBuffer.allocate(0);

    PageKeys(KvPool pool, HostPages pages, SharedKvLayers layers) {
        this.pool = pool;
        this.pages = pages;
        this.layers = layers;
    }

    /** Computes the bounds of a page in host memory, unless they are known. */
    void load(long page) {
        keys(new PageQuery.PagePlace(page, PageQuery.PagePlace.ON_HOST));
    }

    /** Bytes of all bounds. */
    long bytes() {
        long page = 0;
        for (KvPool.Layer layer : pool.layers().values()) {
            page += 2L * KeyBounds.GROUPS * layer.keys().ne(0) * Float.BYTES;
        }
        return known.size() * page;
    }

    void remove(long page) {
        known.remove(page);
    }

    /** Scores the pages of a query, layer by layer. */
    List<PageScores> score(int number, PageQuery query, Map<Integer, List<Tensor>> queries) {
        List<PageScores> scores = new ArrayList<>();
        queries.forEach(
                (layer, parts) ->
                        scores.add(
                                new PageScores(
                                        number,
                                        layer,
                                        score(
                                                layer,
                                                parts.get(query.chunkIndex()),
                                                query.pages()))));
        return scores;
    }

    private float[] score(int layer, Tensor query, List<PageQuery.PagePlace> places) {
        int source = layers.rowsOf(layer);
        LayerState.Attention sizes = pool.layer(source).state();
        float[] queries = new float[Math.toIntExact(query.elements())];
        query.read(queries, 0, queries.length, 0);
        List<Optional<float[]>> bounds = new ArrayList<>(places.size());
        for (PageQuery.PagePlace place : places) {
            bounds.add(Optional.ofNullable(keys(place).get(source)));
        }
        return KeyBounds.score(
                queries, (int) query.ne(1), sizes.keyLength(), sizes.kvHeads(), bounds);
    }

    private Map<Integer, float[]> keys(PageQuery.PagePlace place) {
        return known.computeIfAbsent(place.page(), name -> computeBounds(place));
    }

    private Map<Integer, float[]> computeBounds(PageQuery.PagePlace place) {
        Map<Integer, float[]> result = new HashMap<>();
        pool.layers()
                .forEach(
                        (number, layer) -> {
                            ByteBuffer rows = rows(place, number, layer);
                            int length = Math.toIntExact(layer.keys().ne(0));
                            float[] keys = new float[length * Pages.TOKENS];
                            RowConversion.toFloats(layer.keys().type(), rows, keys);
                            KeyBounds.of(keys, length)
                                    .ifPresent(bounds -> result.put(number, bounds));
                        });
        return result;
    }

    private ByteBuffer rows(PageQuery.PagePlace place, int number, KvPool.Layer layer) {
        if (!place.isResident()) {
            return pages.rows(place.page(), number, true, false);
        }
        int count = (int) (Pages.TOKENS * layer.keys().nb(1));
        if (bytes.capacity() < count) {
            bytes = ByteBuffer.allocateDirect(count);
        }
        bytes.clear().limit(count);
        layer.keys().readBytes(bytes, place.slot() * layer.keys().nb(1));
        return bytes.flip();
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.RowConversion;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.paging.KeyPooling;
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
 * What the keys of pages have in common, by the pages' names, and how much queries look for it. A
 * page's keys are looked at once, when it first goes to host memory or is first asked for; they do
 * not change after that.
 */
final class PageKeys {
    /** Runs of positions of a page whose keys are told apart. */
    private static final int GROUPS = 8;

    private final KvPool pool;
    private final HostPages pages;
    private final AttentionLayers layers;

    /** Pooled keys of a page by layer; nothing of layers whose keys are no numbers. */
    private final Map<Long, Map<Integer, float[]>> known = new HashMap<>();

    private ByteBuffer bytes = ByteBuffer.allocate(0);

    PageKeys(KvPool pool, HostPages pages, AttentionLayers layers) {
        this.pool = pool;
        this.pages = pages;
        this.layers = layers;
    }

    /** Looks at a page that is in host memory, unless that was done. */
    void learn(long page) {
        keys(new PageQuery.PagePlace(page, PageQuery.PagePlace.ON_HOST));
    }

    void forget(long page) {
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
                                        score(layer, parts.get(query.slice()), query.pages()))));
        return scores;
    }

    private float[] score(int layer, Tensor query, List<PageQuery.PagePlace> places) {
        int source = layers.rowsOf(layer);
        LayerState.Attention sizes = pool.layer(source).state();
        float[] queries = new float[Math.toIntExact(query.elements())];
        query.read(queries, 0, queries.length, 0);
        boolean sound = KeyPooling.normalise(queries, sizes.keyLength());
        float[] scores = new float[places.size()];
        for (int i = 0; i < scores.length; i++) {
            float[] keys = keys(places.get(i)).get(source);
            scores[i] =
                    !sound || keys == null
                            ? KeyPooling.UNKNOWN
                            : KeyPooling.best(
                                    queries,
                                    (int) query.ne(1),
                                    keys,
                                    sizes.keyLength(),
                                    sizes.kvHeads());
        }
        return scores;
    }

    private Map<Integer, float[]> keys(PageQuery.PagePlace place) {
        return known.computeIfAbsent(place.page(), name -> pooled(place));
    }

    private Map<Integer, float[]> pooled(PageQuery.PagePlace place) {
        Map<Integer, float[]> result = new HashMap<>();
        pool.layers()
                .forEach(
                        (number, layer) -> {
                            ByteBuffer rows = rows(place, number, layer);
                            float[] keys =
                                    new float[Math.toIntExact(layer.keys().ne(0) * Pages.TOKENS)];
                            RowConversion.toFloats(layer.keys().type(), rows, keys);
                            Optional<float[]> directions =
                                    KeyPooling.pool(
                                            keys,
                                            layer.state().keyLength(),
                                            (int) layer.keys().ne(0),
                                            GROUPS);
                            directions.ifPresent(found -> result.put(number, found));
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

package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.KeyBounds;
import dev.varve.platform.shard.PageScores;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A scorer combines the answers of several layers into one score for each page. */
class QueryScorerTest {
    private final QueryScorer scorer = new QueryScorer();

    private float[] score(float[]... layers) {
        List<PageScores> answers =
                IntStream.range(0, layers.length)
                        .mapToObj(layer -> new PageScores(0, 3 * layer, layers[layer]))
                        .toList();
        return scorer.score(new TokenList(new int[0]), answers, layers[0].length).orElseThrow();
    }

    @Test
    void pageScoreIsTheMaximumOverLayers() {
        float[] scores = score(new float[] {0, 3, -1, 0.5f}, new float[] {1, -2, -1.5f, 0.5f});

        assertArrayEquals(new float[] {1, 3, -1, 0.5f}, scores);
    }

    @Test
    void pageUnknownToALayerScoresLowest() {
        float[] scores =
                score(
                        new float[] {KeyBounds.UNKNOWN, Float.NaN, Float.POSITIVE_INFINITY, -50, 7},
                        new float[] {9, 9, 9, -60, Float.NEGATIVE_INFINITY});

        float unknown = KeyBounds.UNKNOWN;
        assertArrayEquals(new float[] {unknown, unknown, unknown, -50, unknown}, scores);
    }

    @Test
    void scoringNeedsShardScores() {
        assertEquals(Optional.empty(), scorer.score(new TokenList(new int[0]), List.of(), 3));
        assertTrue(scorer.needsShardScores());
    }
}

package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.paging.KeyPooling;
import dev.varve.platform.shard.PageScores;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Two layers of 6 heads that read 2 heads of keys. All queries look along axis 0, but the last one
 * of the first layer, which looks along axis 1.
 */
class QueryScorerTest {
    private static final int LENGTH = 8;
    private static final int HEADS = 2;
    private static final int QUERY_HEADS = 6;
    private static final int TOKENS = 64;

    /** The term that keeps lengths from being zero shortens vectors by a part in a million. */
    private static final float TOLERANCE = 1e-5f;

    private final QueryScorer scorer = new QueryScorer();

    /** Keys of a page in a layer: of each head all along one direction. */
    private record Keys(float[] first, float[] second) {}

    private static final float[] NEITHER = axis(2);
    private static final Keys OFF = new Keys(NEITHER, NEITHER);
    private static final Keys ALONG = new Keys(axis(0), axis(0));

    private static float[] axis(int axis) {
        float[] vector = new float[LENGTH];
        vector[axis] = 1;
        return vector;
    }

    private static float[] queries(int layer, float scale) {
        float[] queries = new float[QUERY_HEADS * LENGTH];
        for (int head = 0; head < QUERY_HEADS; head++) {
            queries[head * LENGTH + (layer == 0 && head == 5 ? 1 : 0)] = scale;
        }
        KeyPooling.normalise(queries, LENGTH);
        return queries;
    }

    private static float cosine(int layer, Keys keys, float scale) {
        float[] rows = new float[TOKENS * HEADS * LENGTH];
        for (int token = 0; token < TOKENS; token++) {
            System.arraycopy(keys.first(), 0, rows, token * HEADS * LENGTH, LENGTH);
            System.arraycopy(keys.second(), 0, rows, (token * HEADS + 1) * LENGTH, LENGTH);
        }
        return KeyPooling.pool(rows, LENGTH, HEADS * LENGTH, 1)
                .map(
                        pooled ->
                                KeyPooling.best(
                                        queries(layer, scale), QUERY_HEADS, pooled, LENGTH, HEADS))
                .orElse(KeyPooling.UNKNOWN);
    }

    /** Scores pages, each of which has keys in both layers. */
    private float[] scores(float scale, Keys[]... pages) {
        List<PageScores> answers = new ArrayList<>();
        for (int layer = 0; layer < 2; layer++) {
            float[] values = new float[pages.length];
            for (int page = 0; page < values.length; page++) {
                values[page] = cosine(layer, pages[page][layer], scale);
            }
            answers.add(new PageScores(0, layer, values));
        }
        return scorer.score(new TokenList(new int[0]), answers, pages.length).orElseThrow();
    }

    private static Keys[] page(Keys first, Keys second) {
        return new Keys[] {first, second};
    }

    @Test
    void aPageScoresTheMeanOfItsLayers() {
        Keys toTheLastHead = new Keys(NEITHER, axis(1));
        Keys toAnotherGroup = new Keys(axis(1), NEITHER);
        float half = (float) Math.sqrt(0.5);
        float[] between = {half, half, 0, 0, 0, 0, 0, 0};
        Keys diagonal = new Keys(between, between);

        float[] scores =
                scores(
                        1,
                        page(OFF, OFF),
                        page(ALONG, ALONG),
                        page(ALONG, OFF),
                        page(OFF, ALONG),
                        page(toTheLastHead, OFF),
                        page(toAnotherGroup, OFF),
                        page(OFF, toTheLastHead),
                        page(diagonal, diagonal));

        assertArrayEquals(new float[] {0, 1, 0.5f, 0.5f, 0.5f, 0, 0, half}, scores, TOLERANCE);
    }

    @Test
    void pagesAlikeScoreAlike() {
        float[] scores = scores(1, page(ALONG, OFF), page(OFF, OFF), page(ALONG, OFF));

        assertEquals(scores[0], scores[2]);
    }

    @Test
    void theLengthOfAQueryDoesNotMatter() {
        Keys toTheLastHead = new Keys(NEITHER, axis(1));

        assertArrayEquals(
                scores(1, page(ALONG, OFF), page(toTheLastHead, OFF)),
                scores(37.5f, page(ALONG, OFF), page(toTheLastHead, OFF)),
                TOLERANCE);
    }

    @Test
    void theLengthOfKeysDoesNotMatter() {
        float[] tall = axis(2);
        tall[2] = 1000;
        Keys sink = new Keys(tall, tall);

        float[] scores = scores(1, page(sink, sink), page(ALONG, ALONG));

        assertArrayEquals(new float[] {0, 1}, scores, TOLERANCE);
    }

    @Test
    void aPageOfWhichALayerKnowsNothingScoresBelowAllOthers() {
        Keys broken = new Keys(axis(0), new float[LENGTH]);
        broken.second()[3] = Float.NaN;
        Keys against = new Keys(axis(0).clone(), axis(0).clone());
        against.first()[0] = -1;
        against.second()[0] = -1;

        float[] scores =
                scores(
                        1,
                        page(ALONG, broken),
                        page(broken, ALONG),
                        page(broken, broken),
                        page(against, against));

        assertEquals(KeyPooling.UNKNOWN, scores[0]);
        assertEquals(KeyPooling.UNKNOWN, scores[1]);
        assertEquals(KeyPooling.UNKNOWN, scores[2]);
        assertTrue(scores[3] >= -1 && KeyPooling.UNKNOWN < -1, "a cosine is more");
    }

    @Test
    void whatIsNoNumberIsNotKnown() {
        List<PageScores> answers =
                List.of(
                        new PageScores(
                                0,
                                3,
                                new float[] {Float.NaN, Float.POSITIVE_INFINITY, 0.25f, 0.5f}),
                        new PageScores(0, 9, new float[] {1, 1, Float.NEGATIVE_INFINITY, 1}));

        float[] scores = scorer.score(new TokenList(new int[0]), answers, 4).orElseThrow();

        assertArrayEquals(new float[] {-2, -2, -2, 0.75f}, scores);
    }

    @Test
    void withoutAnswersThereIsNoTelling() {
        assertEquals(Optional.empty(), scorer.score(new TokenList(new int[0]), List.of(), 3));
        assertTrue(scorer.asksShards());
    }
}

package dev.varve.platform.prefix;

import static dev.varve.platform.prefix.CacheRig.SCOPE;
import static dev.varve.platform.prefix.CacheRig.join;
import static dev.varve.platform.prefix.CacheRig.request;
import static dev.varve.platform.prefix.CacheRig.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.prefix.CacheRig.Answer;
import dev.varve.platform.prefix.CacheRig.Kind;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CapturedFeature;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Hidden states go with the sequences of which they are, wherever these lie. */
class HiddenStatesTest {
    private static final int LENGTH = 572;
    private static final int[] PROMPT = text(1, LENGTH);

    private static void assertSame(
            TrailingFeatures expected, TrailingFeatures actual, int from, int to) {
        for (int layer = 0; layer < 2; layer++) {
            assertArrayEquals(
                    expected.read(from, to - from).orElseThrow().get(layer),
                    actual.read(from, to - from).orElseThrow().get(layer),
                    "layer " + layer);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void statesAreRestoredWithTheRowsFromHostMemory(boolean forgets) {
        int[] next = join(PROMPT, text(2, 40));
        try (CacheRig cold = new CacheRig(Kind.of(forgets).withFeatures());
                CacheRig rig = new CacheRig(Kind.of(forgets).withFeatures())) {
            TrailingFeatures computed =
                    cold.cache().features(cold.run(next, SCOPE).sequence()).orElseThrow();
            rig.finish(PROMPT);
            rig.pushOff();

            Answer restored = rig.run(next, SCOPE);

            TrailingFeatures span = rig.cache().features(restored.sequence()).orElseThrow();
            assertEquals(LENGTH, restored.use().tokens());
            assertEquals(0, span.begin());
            assertEquals(next.length, span.end());
            assertSame(computed, span, 0, next.length);
        }
    }

    @Test
    void statesOfAResidentSequenceContinueInTheNextOne() {
        int[] next = join(PROMPT, text(2, 40));
        try (CacheRig cold = new CacheRig(Kind.of(false).withFeatures());
                CacheRig rig = new CacheRig(Kind.of(false).withFeatures())) {
            TrailingFeatures computed =
                    cold.cache().features(cold.run(next, SCOPE).sequence()).orElseThrow();
            rig.finish(PROMPT);

            Answer again = rig.run(next, SCOPE);

            assertEquals(Optional.of(CacheSource.DEVICE), again.use().source());
            assertSame(
                    computed, rig.cache().features(again.sequence()).orElseThrow(), 0, next.length);
        }
    }

    @Test
    void withoutHostMemoryNoStatesAreKept() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            Answer answer = rig.run(PROMPT, SCOPE);

            assertEquals(Optional.empty(), rig.cache().features(answer.sequence()));
        }
    }

    @Test
    void sequenceThatIsNotCachedHasNoStates() {
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures())) {
            Answer answer = rig.run(PROMPT, CacheScope.none());

            assertEquals(Optional.empty(), rig.cache().features(answer.sequence()));
        }
    }

    @Test
    void statesOfAnotherKindAreNotKept() {
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures())) {
            Answer answer = rig.run(PROMPT, SCOPE);
            TrailingFeatures before = rig.cache().features(answer.sequence()).orElseThrow();
            float[] wrong = new float[8 * LENGTH];
            Arrays.fill(wrong, 7);

            // One layer of two, and then too few columns.
            rig.cache()
                    .recordFeatures(
                            answer.sequence(),
                            0,
                            List.of(new CapturedFeature(1, wrong, LENGTH)),
                            0,
                            LENGTH);
            rig.cache()
                    .recordFeatures(
                            answer.sequence(),
                            0,
                            List.of(
                                    new CapturedFeature(1, wrong, LENGTH),
                                    new CapturedFeature(2, wrong, LENGTH)),
                            1,
                            LENGTH);

            TrailingFeatures after = rig.cache().features(answer.sequence()).orElseThrow();
            assertEquals(before.end(), after.end());
            assertSame(before, after, 0, LENGTH);
        }
    }

    @Test
    void statesOfUncomputedPositionsAreNotKept() {
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures())) {
            Answer answer = rig.run(PROMPT, SCOPE);
            float[] values = new float[8 * 2];

            rig.cache()
                    .recordFeatures(
                            answer.sequence(),
                            LENGTH - 1,
                            List.of(
                                    new CapturedFeature(1, values, 2),
                                    new CapturedFeature(2, values, 2)),
                            0,
                            2);

            assertEquals(LENGTH, rig.cache().features(answer.sequence()).orElseThrow().end());
        }
    }

    /** A fourth of host memory is theirs: the oldest states go, and rows do not. */
    @Test
    void earliestStatesAreEvictedFirst() {
        // A fourth of the memory has room for the states of one prompt and not of two.
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures().host(1 << 20))) {
            for (int seed = 1; seed <= 5; seed++) {
                rig.finish(text(seed, LENGTH));
                rig.pushOff();
            }

            Answer last = rig.run(join(text(5, LENGTH), 5), SCOPE);
            int lastBegin = rig.cache().features(last.sequence()).orElseThrow().begin();
            Answer first = rig.run(join(text(1, LENGTH), 5), SCOPE);
            int firstBegin = rig.cache().features(first.sequence()).orElseThrow().begin();

            assertEquals(LENGTH, first.use().tokens());
            assertEquals(0, lastBegin);
            assertTrue(firstBegin > 0, "all states of the first prompt are still there");
            PrefixCacheStatus.HostTierStatus host = rig.cache().status().host();
            assertTrue(host.usedBytes() <= host.limitBytes(), host::toString);
            assertEquals(1 << 20, host.limitBytes());
        }
    }

    @Test
    void evictedPrefixHoldsNoStates() {
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures())) {
            rig.finish(PROMPT);
            assertTrue(rig.cache().find(request(join(PROMPT, 5), SCOPE), true).length() > 0);

            rig.cache().clear();

            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }

    @Test
    void kindNamesLayersAndElements() {
        FeatureKind kind = new FeatureKind(List.of(1, 3), 8);

        assertEquals(2 * 8 * Float.BYTES, kind.bytesPerToken());
        CapturedFeature first = new CapturedFeature(1, new float[16], 2);
        CapturedFeature second = new CapturedFeature(3, new float[16], 2);
        assertTrue(kind.isOf(List.of(first, second), 2));
        assertEquals(false, kind.isOf(List.of(first, second), 3));
        assertEquals(false, kind.isOf(List.of(second, first), 2));
        assertEquals(false, kind.isOf(List.of(first), 2));
        assertThrows(IllegalArgumentException.class, () -> new FeatureKind(List.of(), 8));
        assertThrows(IllegalArgumentException.class, () -> new FeatureKind(List.of(1), 0));
        assertEquals(1, new FeatureKind(List.of(0), 1).hidden());
    }
}

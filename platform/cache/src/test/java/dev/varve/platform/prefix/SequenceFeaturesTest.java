package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.CapturedFeature;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class SequenceFeaturesTest {
    private static final FeatureKind KIND = new FeatureKind(List.of(1, 4, 6), 5);
    private static final long PLENTY = 64 << 20;

    /** A trail, and what it should have: the value of each position, from a first one on. */
    private static final class Pair {
        private final SequenceFeatures sequenceFeatures;
        private final List<Integer> values;
        private int begin;

        Pair(SequenceFeatures sequenceFeatures, List<Integer> values, int begin) {
            this.sequenceFeatures = sequenceFeatures;
            this.values = new ArrayList<>(values);
            this.begin = begin;
        }

        static Pair empty(FeaturePagePool featurePages) {
            return new Pair(
                    new SequenceFeatures(featurePages, new TrailingFeatures(List.of(), 0)),
                    List.of(),
                    0);
        }

        int end() {
            return begin + values.size();
        }

        void add(Random random, int position, int count) {
            int[] fresh = random.ints(count).toArray();
            if (position > end() || position <= begin) {
                values.clear();
                begin = position;
            }
            while (end() > position) {
                values.removeLast();
            }
            IntStream.of(fresh).forEach(values::add);
            int column = random.nextInt(4);
            sequenceFeatures.add(position, features(fresh, column), column, count);
        }

        Pair fork(int position) {
            List<Integer> kept =
                    position <= begin ? List.of() : values.subList(0, position - begin);
            return new Pair(
                    (SequenceFeatures) sequenceFeatures.upTo(position),
                    kept,
                    Math.min(begin, position));
        }

        void require(String what) {
            TrailingFeatures span = sequenceFeatures.before(end());
            int first = Math.max(begin, end() - TrailingFeatures.MOST);
            assertEquals(first, span.begin(), what);
            assertEquals(end(), span.end(), what);
            for (int at = first; at < end(); at += 100) {
                int count = Math.min(100, end() - at);
                List<float[]> read = span.read(at, count).orElseThrow();
                for (int layer = 0; layer < read.size(); layer++) {
                    for (int i = 0; i < count; i++) {
                        float value = value(values.get(at + i - begin), layer, 4);
                        assertEquals(value, read.get(layer)[5 * i + 4], what + ", " + (at + i));
                    }
                }
            }
        }
    }

    private static float value(int seed, int layer, int element) {
        return Float.intBitsToFloat((seed * 31 + 7 * layer + element) & 0x3FFF_FFFF);
    }

    private static List<CapturedFeature> features(int[] seeds, int column) {
        List<CapturedFeature> features = new ArrayList<>();
        for (int layer = 0; layer < KIND.captures().size(); layer++) {
            float[] values = new float[(column + seeds.length) * KIND.hidden()];
            for (int i = 0; i < seeds.length; i++) {
                for (int element = 0; element < KIND.hidden(); element++) {
                    values[(column + i) * KIND.hidden() + element] =
                            value(seeds[i], layer, element);
                }
            }
            features.add(
                    new CapturedFeature(KIND.captures().get(layer), values, column + seeds.length));
        }
        return features;
    }

    /** Compares with plain lists: chunks, rejected draft tokens, gaps, and forks of forks. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    @ByDay({1, 3})
    void recordHoldsTheLastStatesOfItsSequence(long seed) {
        Random random = new Random(seed);
        // Half of the time all but the shortest are copied by another thread.
        long large = seed % 2 == 0 ? Long.MAX_VALUE : 4L * KIND.bytesPerToken();
        try (FeaturePagePool featurePages = new FeaturePagePool(KIND, PLENTY, large)) {
            List<Pair> pairs = new ArrayList<>(List.of(Pair.empty(featurePages)));
            for (int step = 0; step < Effort.of(120, 400); step++) {
                Pair pair = pairs.get(random.nextInt(pairs.size()));
                int kind = random.nextInt(20);
                if (kind == 0) {
                    pairs.add(pair.fork(random.nextInt(pair.end() + 1)));
                } else if (kind == 1) {
                    pair.add(random, pair.end() + 1 + random.nextInt(300), 30);
                } else {
                    int back = pairs.size() == 1 ? Math.min(random.nextInt(5), pair.end()) : 0;
                    pair.add(
                            random,
                            pair.end() - back,
                            kind < 6 ? 1 + random.nextInt(600) : 1 + random.nextInt(8));
                }
                String what = "seed " + seed + ", step " + step;
                pairs.forEach(each -> each.require(what));
            }
        }
    }

    @Test
    void oldestRecordsAreEvictedUnlessInUse() {
        long page = HostMemoryPool.rounded(FeaturePage.GROUP * (long) KIND.bytesPerToken()) * 8;
        try (FeaturePagePool featurePages = new FeaturePagePool(KIND, 3 * page)) {
            Random random = new Random(1);
            Pair first = Pair.empty(featurePages);
            first.add(random, 0, 256);
            Pair pinned = Pair.empty(featurePages);
            pinned.add(random, 0, 256);
            FeaturePage kept = pinned.sequenceFeatures.before(256).page(256).orElseThrow();
            kept.pin();
            Pair long1 = Pair.empty(featurePages);

            long1.add(random, 0, 1000);

            assertEquals(1000, long1.sequenceFeatures.before(1000).end());
            assertEquals(
                    512, long1.sequenceFeatures.before(1000).begin(), "two pages are left for it");
            assertTrue(first.sequenceFeatures.before(256).read(0, 10).isEmpty());
            pinned.require("pinned");
            assertEquals(3 * page, featurePages.memory().used());
            kept.unpin();
            featurePages.clear();
            assertEquals(0, featurePages.memory().used());
            assertTrue(kept.isFreed());
        }
    }

    @Test
    void recordWithoutMemoryIsSkipped() {
        try (FeaturePagePool featurePages = new FeaturePagePool(KIND, HostMemoryPool.CELL_BYTES)) {
            Pair pair = Pair.empty(featurePages);
            pair.add(new Random(1), 0, 300);

            assertEquals(300, pair.sequenceFeatures.before(300).end());
            assertTrue(pair.sequenceFeatures.before(300).read(299, 1).isEmpty());
        }
    }

    @Test
    void headerRoundTrips() {
        FeatureHeader header = new FeatureHeader(KIND, 4096, 512, 2, new int[] {7, 8, 9});

        FeatureHeader read = FeatureHeader.decode(header.encode()).orElseThrow();

        assertArrayEquals(header.tokens(), read.tokens());
        long bytes = 2L * KIND.bytesPerToken();
        assertTrue(read.fits(KIND, 512, new int[] {7, 8, 9}, bytes));
        assertFalse(read.fits(KIND, 513, new int[] {7, 8, 9}, bytes));
        assertFalse(read.fits(KIND, 512, new int[] {7, 8, 8}, bytes));
        assertFalse(read.fits(KIND, 512, new int[] {7, 8, 9}, bytes - 4));
        assertFalse(
                read.fits(new FeatureKind(List.of(1, 4, 5), 5), 512, new int[] {7, 8, 9}, bytes));
        assertFalse(
                read.fits(new FeatureKind(List.of(1, 4, 6), 6), 512, new int[] {7, 8, 9}, bytes));
    }

    /** Every number of it, torn or wrong, is nothing or another header; nothing is thrown. */
    @Test
    void invalidHeaderIsIgnored() {
        FeatureHeader header = new FeatureHeader(KIND, 4096, 512, 2, new int[] {7, 8, 9});
        byte[] bytes = new byte[header.encode().remaining()];
        header.encode().get(bytes);
        for (int length = 0; length < bytes.length; length++) {
            assertTrue(
                    FeatureHeader.decode(ByteBuffer.wrap(bytes, 0, length)).isEmpty(),
                    "cut to " + length);
        }
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] other = bytes.clone();
            other[bit / 8] ^= (byte) (1 << bit % 8);
            FeatureHeader.decode(ByteBuffer.wrap(other))
                    .ifPresent(
                            read ->
                                    assertFalse(
                                            read.most() == 4096
                                                    && read.fits(
                                                            KIND,
                                                            512,
                                                            new int[] {7, 8, 9},
                                                            2L * KIND.bytesPerToken())));
        }
    }
}

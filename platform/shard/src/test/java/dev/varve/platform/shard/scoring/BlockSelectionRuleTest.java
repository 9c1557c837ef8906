package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class BlockSelectionRuleTest {
    private static final BlockSelectionRule RULE = BlockSelectionRule.of(0.5);

    @Test
    void sinksWindowAndHighScoringBlocksAreSelected() {
        double[] scores = new double[11];
        scores[5] = 100;
        scores[4] = 50;
        scores[3] = 49;

        assertArrayEquals(new int[] {0, 1, 4, 5, 7, 8, 9, 10}, RULE.select(10, 20, scores));
    }

    @Test
    void lastBlocksAttendToEverything() {
        double[] scores = new double[11];
        scores[0] = 1;

        assertArrayEquals(
                new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, RULE.select(10, 11, scores));
        assertArrayEquals(
                new int[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, RULE.select(10, 12, scores));
        assertArrayEquals(new int[] {0, 1, 7, 8, 9, 10}, RULE.select(10, 13, scores));
    }

    @Property(tries = 300)
    void selectionMatchesItsDefinition(
            @ForAll @IntRange(min = 1, max = 40) int blocks,
            @ForAll @IntRange(min = 1, max = 99) int percent,
            @ForAll long seed) {
        Random random = new Random(seed);
        double alpha = percent / 100.0;
        BlockSelectionRule rule =
                new BlockSelectionRule(
                        alpha, random.nextInt(4), 1 + random.nextInt(5), random.nextInt(4));
        for (int m = 0; m < blocks; m++) {
            double[] scores = random.doubles(m + 1, 1, 128).toArray();
            double best = 0;
            for (double score : scores) {
                best = Math.max(best, score);
            }
            List<Integer> expected = new ArrayList<>();
            for (int n = 0; n <= m; n++) {
                boolean sink = n < rule.sinks();
                boolean near = m - n < rule.window();
                boolean last = m >= blocks - rule.full();
                if (sink || near || last || scores[n] >= alpha * best) {
                    expected.add(n);
                }
            }

            int[] actual = rule.select(m, blocks, scores);

            assertArrayEquals(
                    expected.stream().mapToInt(Integer::intValue).toArray(),
                    actual,
                    rule + ", block " + m + " of " + blocks + ", seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -0.1, 1.1, Double.NaN})
    void alphaIsBetweenZeroAndOne(double alpha) {
        assertThrows(IllegalArgumentException.class, () -> BlockSelectionRule.of(alpha));
    }

    @Test
    void scoresOfOtherBlocksAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> RULE.select(3, 8, new double[3]));
        assertThrows(IllegalArgumentException.class, () -> RULE.select(8, 8, new double[9]));
    }
}

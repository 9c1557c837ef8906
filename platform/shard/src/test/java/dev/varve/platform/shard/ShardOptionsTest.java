package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

class ShardOptionsTest {
    private static final CacheCapacities SIZES = new CacheCapacities(512, 3, 256);
    private static final ShardOptions PLAIN = ShardOptions.of(CacheTypes.f16(), SIZES);

    @Test
    void everyChangeKeepsTheOtherOptions() {
        Numerics numerics = new Numerics(FlashAttention.OFF, BatchInvariance.ON);

        ShardOptions all =
                PLAIN.withWeights(WeightLayout.AS_IN_FILE)
                        .withFlashAttention(FlashAttention.OFF)
                        .withExactRows(BatchInvariance.ON)
                        .withCaptures(List.of(0, 2));

        assertEquals(
                new ShardOptions(
                        CacheTypes.f16(), SIZES, WeightLayout.AS_IN_FILE, numerics, List.of(0, 2)),
                all);
        assertEquals(all, all.withNumerics(numerics));
    }

    @Test
    void defaultsRepackWeightsAndLetTheDeviceChoose() {
        assertEquals(WeightLayout.REPACKED, PLAIN.weights());
        assertEquals(Numerics.AUTO, PLAIN.numerics());
        assertEquals(List.of(), PLAIN.captures());
    }

    @Test
    void capturesMustAscend() {
        for (List<Integer> captures :
                List.of(List.of(-1), List.of(1, 1), List.of(2, 1), List.of(0, 3, 2))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> PLAIN.withCaptures(captures),
                    captures.toString());
        }
    }

    @Test
    void capturesAreCopied() {
        List<Integer> captures = new ArrayList<>(List.of(1));
        ShardOptions options = PLAIN.withCaptures(captures);

        captures.add(2);

        assertEquals(List.of(1), options.captures());
    }

    @Test
    void otherOptionsDoNotChangePageScoring() {
        ShardOptions scoring = PLAIN.scoringPages();

        assertFalse(PLAIN.scoresPages());
        assertTrue(scoring.scoresPages());
        assertTrue(scoring.withCaptures(List.of(1)).scoresPages());
        assertTrue(scoring.withWeights(WeightLayout.AS_IN_FILE).scoresPages());
        assertTrue(scoring.withExactRows(BatchInvariance.ON).scoresPages());
        assertTrue(scoring.withFlashAttention(FlashAttention.OFF).scoresPages());
        assertEquals(List.of(1), PLAIN.withCaptures(List.of(1)).scoringPages().captures());
    }

    @ParameterizedTest
    @EnumSource
    void onlyCacheTypesAreAccepted(GgmlType type) {
        if (CacheTypes.TYPES.contains(type)) {
            assertEquals(type.ggufName() + "/f16", new CacheTypes(type, GgmlType.F16).toString());
            return;
        }
        VarveException key =
                assertThrows(VarveException.class, () -> new CacheTypes(type, GgmlType.F16));
        VarveException value =
                assertThrows(VarveException.class, () -> new CacheTypes(GgmlType.F16, type));

        assertEquals(VarveException.Kind.INVALID_REQUEST, key.kind());
        assertTrue(key.getMessage().startsWith(Setting.KEY_CACHE_TYPE + ": "), key.getMessage());
        assertTrue(
                value.getMessage().startsWith(Setting.VALUE_CACHE_TYPE + ": ")
                        && value.getMessage().endsWith("found " + type.ggufName()),
                value.getMessage());
    }
}

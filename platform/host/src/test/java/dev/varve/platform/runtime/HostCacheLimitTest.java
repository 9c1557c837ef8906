package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.OptionalLong;

class HostCacheLimitTest {
    private static final long GIB = 1L << 30;

    @ParameterizedTest
    @CsvSource({"0, 0", "3, 0", "4096, 1024", "34359738368, 8589934592", "-1, 0"})
    void defaultSizeIsAQuarterOfTheFreeMemory(long left, long bytes) {
        assertEquals(bytes, HostCacheLimit.USUAL.bytes(OptionalLong.of(left)));
    }

    @Test
    void defaultSizeHasAnUpperBound() {
        assertEquals(8 * GIB, HostCacheLimit.USUAL.bytes(OptionalLong.of(1000 * GIB)));
        assertEquals(8 * GIB, HostCacheLimit.USUAL.bytes(OptionalLong.of(Long.MAX_VALUE)));
    }

    @Test
    void onlyAFixedSizeIsUsedIfFreeMemoryIsUnknown() {
        assertEquals(0, HostCacheLimit.USUAL.bytes(OptionalLong.empty()));
        assertEquals(GIB, new HostCacheLimit.Fixed(GIB).bytes(OptionalLong.empty()));
        assertEquals(0, HostCacheLimit.NONE.bytes(OptionalLong.of(GIB)));
    }

    @Test
    void onlyAFixedSizeIsGuaranteed() {
        assertEquals(GIB, new HostCacheLimit.Fixed(GIB).reservedBytes());
        assertEquals(0, HostCacheLimit.USUAL.reservedBytes());
        assertEquals(0, HostCacheLimit.NONE.reservedBytes());
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 8, (1 << 20) - 1, (1L << 50) + 1, Long.MAX_VALUE})
    void zeroAndImpossibleSizesAreRefused(long bytes) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> new HostCacheLimit.Fixed(bytes))
                        .getMessage();

        assertEquals(
                Setting.CACHE_RAM + ": expected 0 for none, or 1M to 1048576G, found " + bytes,
                message);
    }
}

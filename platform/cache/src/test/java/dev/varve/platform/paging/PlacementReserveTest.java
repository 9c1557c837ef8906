package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device of 24 GiB, and a model with experts of 13 GiB and 195 MiB. */
class PlacementReserveTest {
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;
    private static final long PER_TOKEN = 80 << 10;

    private static PlacementReserve.Bytes sizes(long draft) {
        return new PlacementReserve.Bytes(
                24 * GIB,
                3 * GIB + 122 * MIB,
                13 * GIB + 195 * MIB,
                200 * MIB,
                256 * MIB,
                draft * MIB);
    }

    @ParameterizedTest
    @CsvSource({
        "65536,  0,     1200, 65536,  true,  false",
        "65536,  49152, 1200, 65536,  true,  false",
        "131072, 49152, 1200, 49152,  false, true",
        "131072, 0,     1200, 131072, false, false",
        "32768,  49152, 1200, 32768,  true,  false",
        "131072, 16384, 0,    16384,  false, true",
    })
    void roomIsKeptForTheContextUnlessThatPushesExpertsOffTheDevice(
            int context, int pool, long draft, long tokens, boolean allExperts, boolean reduced) {
        PlacementReserve reserve = PlacementReserve.of(sizes(draft), PER_TOKEN, context, pool);

        assertEquals(
                new PlacementReserve(tokens, PER_TOKEN * tokens, allExperts, reduced), reserve);
    }

    @Test
    void aDeviceThatIsTooSmallHoldsNoExpertsAndMakesNoNegativeSums() {
        PlacementReserve.Bytes sizes = new PlacementReserve.Bytes(GIB, 2 * GIB, GIB, 0, 0, 0);

        assertEquals(
                new PlacementReserve(1024, 1024 * PER_TOKEN, false, false),
                PlacementReserve.of(sizes, PER_TOKEN, 1024, 1024));
    }
}

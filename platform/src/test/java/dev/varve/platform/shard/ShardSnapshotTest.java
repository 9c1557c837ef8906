package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.shard.ShardTraffic.Payloads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class ShardSnapshotTest {
    @ParameterizedTest
    @CsvSource({"F32, 3, 2, 24", "F16, 3, 2, 12", "Q8_0, 64, 2, 136", "Q4_0, 32, 0, 0"})
    void aTensorHasTheBytesOfItsRows(GgmlType type, int length, int rows, int bytes) {
        SnapshotTensor tensor = new SnapshotTensor("k.1", type, length, rows, new byte[bytes]);

        assertEquals(bytes, new ShardSnapshot(rows, List.of(tensor)).bytes());
    }

    @ParameterizedTest
    @CsvSource({"F32, 3, 2, 23", "F32, 3, 2, 25", "F32, 3, -1, 0", "Q8_0, 64, 2, 0"})
    void aTensorWithOtherBytesIsRefused(GgmlType type, int length, int rows, int bytes) {
        IllegalArgumentException refusal =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> new SnapshotTensor("k.1", type, length, rows, new byte[bytes]));

        assertTrue(refusal.getMessage().contains("k.1"), refusal.getMessage());
    }

    @Test
    void theBytesOfASnapshotAreThoseOfAllItsTensors() {
        ShardSnapshot snapshot =
                new ShardSnapshot(
                        2,
                        List.of(
                                new SnapshotTensor("k.0", GgmlType.F16, 4, 2, new byte[16]),
                                new SnapshotTensor("conv.1", GgmlType.F32, 5, 1, new byte[20])));

        assertEquals(36, snapshot.bytes());
    }

    @Test
    void trafficAddsUpAndKeepsTheWayOfTheLater() {
        ShardTraffic before = new ShardTraffic(1, 2, Payloads.STREAM);

        ShardTraffic sum = before.plus(new ShardTraffic(10, 20, Payloads.SHARED));

        assertEquals(new ShardTraffic(11, 22, Payloads.SHARED), sum);
    }

    @Test
    void memoryIsTheSumOfItsParts() {
        assertEquals(1111, new ShardMemory(1, 10, 100, 1000).total());
    }

    @Test
    void aReadyShardHasNoReasonAndNothingToLoad() {
        assertEquals(
                new ShardHealth(ShardHealth.State.READY, Optional.empty(), 0, Optional.empty()),
                ShardHealth.ready());
        assertEquals(3, ShardHealth.ready(3).restarts());
    }

    @Test
    void shardsComputeOnOneUnitWhereTheirIdentityIsTheSame() {
        Object cores = new Object();

        ComputeUnit all = new ComputeUnit(cores);

        assertTrue(all.sharesWith(new ComputeUnit(cores)));
        assertFalse(all.sharesWith(new ComputeUnit(new Object())));
        assertTrue(all.sharesWith(all.only(Set.of(1))));
        assertTrue(all.only(Set.of(0, 1)).sharesWith(all.only(Set.of(1, 2))));
        assertFalse(all.only(Set.of(0, 1)).sharesWith(all.only(Set.of(2, 3))));
    }

    @Test
    void anActivationOnTheHostCountsFourBytesForEachValue() {
        HostBoundary boundary = new HostBoundary(new float[12], 3);

        assertEquals(48, boundary.bytes());
        assertEquals(3, boundary.tokens());
    }
}

package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.function.Function;

class MemoryClaimsTest {
    private static final DeviceReference CPU = DeviceReference.PROCESSOR;
    private static final ModelSettings SETTINGS =
            ModelSettings.of(SequenceLimits.of(256, 1)).with(new HostCacheLimit.Fixed(1 << 20));

    private final MemoryClaims claims = new MemoryClaims();
    private final PlainModel model = PlainModel.attentionOnly(4, 4096);

    private static DeviceInfo cpu(long free) {
        return new DeviceInfo("cpu:0", "", 1L << 40, free, true);
    }

    private long left(long free) {
        return claims.left(CPU, cpu(free)).memoryFreeBytes();
    }

    private SplitMemoryPlan plan(long free) {
        Function<DeviceReference, DeviceInfo> devices = device -> claims.left(device, cpu(free));
        return SplitMemoryPlan.of(
                model, Placement.single(CPU, model.shape().allLayers()), devices, SETTINGS);
    }

    private static long needed(SplitMemoryPlan plan) {
        return plan.total().need().totalBytes() + plan.hostCache().bytes();
    }

    @Test
    void memoryReservedForOneModelIsUnavailableToAnother() {
        SplitMemoryPlan plan = plan(1 << 30);
        MemoryClaims.Claim claim = claims.claim(plan, device -> cpu(1 << 30));

        // Nothing was touched yet, then half of it, then more than was promised.
        assertEquals((1 << 30) - needed(plan), left(1 << 30));
        assertEquals((1 << 30) - needed(plan), left((1 << 30) - needed(plan) / 2));
        assertEquals(1000, left(1000));

        claim.close();
        claim.close();
        assertEquals(1 << 29, left(1 << 29));
    }

    @Test
    void modelThatDoesNotFitBesideAnotherIsRefusedWithTheNumbers() {
        long enoughForOne = needed(plan(1 << 30)) * 3 / 2;
        claims.claim(plan(enoughForOne), device -> cpu(enoughForOne));

        VarveException refusal = assertThrows(VarveException.class, () -> plan(enoughForOne));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, refusal.kind());
    }

    @Test
    void auxiliaryModelHasItsOwnReservation() {
        Map<DeviceReference, Long> needs = Map.of(CPU, 1000L);
        MemoryClaims.Claim claim = claims.claim(needs, device -> claims.left(device, cpu(5000)));

        assertEquals(4000, left(5000));

        claim.close();
        assertEquals(5000, left(5000));
    }

    @Test
    void partOfARunningModelGetsOnlyWhatTheClaimsLeave() {
        claims.claim(Map.of(CPU, 1000L), device -> claims.left(device, cpu(5000)));

        MemoryClaims.Claim claim = claims.claimLeft("parts", Map.of(CPU, 3000L), d -> cpu(5000));
        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () -> claims.claimLeft("parts", Map.of(CPU, 1001L), device -> cpu(5000)));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, refused.kind());
        assertTrue(
                refused.getMessage().startsWith("parts need 1001 bytes on cpu:0, found 1000 bytes"),
                refused.getMessage());
        claim.close();
        claims.claimLeft("parts", Map.of(CPU, 4000L), device -> cpu(5000));
        assertEquals(0, left(5000));
    }

    @Test
    void devicesOfOneMemoryAreAddedUp() {
        DeviceReference process = DeviceReference.parse("cpu:0@process");

        assertThrows(
                VarveException.class,
                () ->
                        claims.claimLeft(
                                "parts", Map.of(CPU, 3000L, process, 3000L), device -> cpu(5000)));

        assertEquals(5000, left(5000));
    }

    @Test
    void memoriesAreIndependent() {
        claims.claim(plan(1 << 30), device -> cpu(1 << 30));

        DeviceInfo card = new DeviceInfo("cuda:0", "", 100, 77, false);
        assertEquals(77, claims.left(DeviceReference.parse("cuda:0"), card).memoryFreeBytes());
    }
}

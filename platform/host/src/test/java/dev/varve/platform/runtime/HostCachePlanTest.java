package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Host memory for the prefix cache in the plan of a model. */
class HostCachePlanTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(2, 4096);
    private static final ModelSettings SETTINGS = ModelSettings.of(SequenceLimits.of(4096, 2));
    private static final long MIB = 1 << 20;
    private static final long HOST_FREE = 1024 * MIB;

    /** The host and a card, each with some memory. */
    private static Function<DeviceReference, DeviceInfo> devices(long host) {
        return device ->
                device.backend().equals("cpu")
                        ? new DeviceInfo(device.device(), "", host, host, true)
                        : new DeviceInfo(device.device(), "", 1L << 40, 1L << 40, false);
    }

    private static SplitMemoryPlan plan(HostCacheLimit limit, String device, long host) {
        return plan(limit, device, devices(host));
    }

    private static SplitMemoryPlan plan(
            HostCacheLimit limit, String device, Function<DeviceReference, DeviceInfo> devices) {
        return SplitMemoryPlan.of(
                MODEL,
                Placement.of(DeviceReference.parseList(device), List.of(MODEL.shape().allLayers())),
                devices,
                SETTINGS.with(limit));
    }

    private static String refusal(HostCacheLimit limit, String device, long host) {
        VarveException error = assertThrows(VarveException.class, () -> plan(limit, device, host));
        assertEquals(VarveException.Kind.OUT_OF_MEMORY, error.kind());
        return error.getMessage();
    }

    @Test
    void withoutACacheTheProcessorIsNotOpened() {
        SplitMemoryPlan plan =
                plan(
                        HostCacheLimit.NONE,
                        "cuda:0",
                        device -> {
                            assertFalse(device.backend().equals("cpu"), "nobody asked for it");
                            return devices(HOST_FREE).apply(device);
                        });

        assertEquals(HostCachePlan.NONE, plan.hostCache());
        assertFalse(plan.describe().contains("host cache"), plan.describe());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu:0", "cpu:0@process", "cpu:0@unix:/run/a"})
    void defaultSizeIsAQuarterOfTheHostMemoryBehindTheShards(String device) {
        long model = plan(HostCacheLimit.NONE, device, HOST_FREE).total().need().totalBytes();
        assertTrue(model > 0);

        HostCachePlan cache = plan(HostCacheLimit.USUAL, device, HOST_FREE).hostCache();

        assertEquals(OptionalLong.of(HOST_FREE - model), cache.leftBytes());
        assertEquals((HOST_FREE - model) / 4, cache.bytes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuda:0", "cuda:0@process", "cpu:0@grpc:box:1"})
    void modelOnOtherDevicesLeavesAllHostMemory(String device) {
        assertEquals(
                new HostCachePlan(HOST_FREE / 4, OptionalLong.of(HOST_FREE)),
                plan(HostCacheLimit.USUAL, device, HOST_FREE).hostCache());
    }

    @Test
    void defaultSizeShrinksForTheModel() {
        long model = plan(HostCacheLimit.NONE, "cpu:0", HOST_FREE).total().need().totalBytes();

        SplitMemoryPlan tight = plan(HostCacheLimit.USUAL, "cpu:0", model);

        assertEquals(model, tight.total().need().totalBytes());
        assertEquals(HostCachePlan.NONE, tight.hostCache());
    }

    @Test
    void automaticPoolShrinksForARequestedCacheSize() {
        long roomy = plan(HostCacheLimit.NONE, "cpu:0", HOST_FREE).total().need().totalBytes();
        int oneContext = 4096;

        SplitMemoryPlan plan = plan(new HostCacheLimit.Fixed(MIB), "cpu:0", roomy + MIB - 1);

        assertEquals(MIB, plan.hostCache().bytes());
        int slots = plan.total().capacities().slots();
        assertTrue(slots >= oneContext && slots < 2 * oneContext, "slots " + slots);
    }

    @Test
    void sizeThatDoesNotFitBesideTheModelIsRefusedWithTheSums() {
        String message = refusal(new HostCacheLimit.Fixed(HOST_FREE), "cpu:0", HOST_FREE);

        assertTrue(message.startsWith("cpu:0 layers [0, 2): weights 6.3 KiB + KV "), message);
        assertTrue(message.contains("; host cache 1.0 GiB; together "), message);
        assertTrue(message.contains(" of 1.0 GiB free; it does not fit"), message);
        assertTrue(message.endsWith(", or a smaller " + Setting.CACHE_RAM), message);
    }

    @Test
    void sizeThatDoesNotFitTheHostIsRefusedForAnyPlacement() {
        String message = refusal(new HostCacheLimit.Fixed(HOST_FREE + 1), "cuda:0", HOST_FREE);

        assertTrue(
                message.startsWith("host cache 1.0 GiB; together 1.0 GiB of 1.0 GiB free"),
                message);
        plan(new HostCacheLimit.Fixed(HOST_FREE), "cuda:0", HOST_FREE);
    }

    @Test
    void largestSizeIsRefusedToo() {
        HostCacheLimit most = new HostCacheLimit.Fixed(1L << 50);

        assertTrue(refusal(most, "cpu:0", HOST_FREE).contains("it does not fit"));
        assertTrue(refusal(most, "cuda:0", HOST_FREE).contains("it does not fit"));
    }

    @Test
    void hostOfUnknownMemoryAcceptsAFixedSizeOnly() {
        Function<DeviceReference, DeviceInfo> devices =
                device -> {
                    if (device.backend().equals("cpu")) {
                        throw new VarveException(VarveException.Kind.UNAVAILABLE, "no such plugin");
                    }
                    return devices(0).apply(device);
                };

        assertEquals(HostCachePlan.NONE, plan(HostCacheLimit.USUAL, "cuda:0", devices).hostCache());
        assertEquals(
                new HostCachePlan(MIB, OptionalLong.empty()),
                plan(new HostCacheLimit.Fixed(MIB), "cuda:0", devices).hostCache());
    }

    @Test
    void hostCacheTakesNothingFromACard() {
        ModelSettings settings = SETTINGS.with(new HostCacheLimit.Fixed(MIB));
        DeviceInfo host = new DeviceInfo("cpu:0", "", 5 * MIB, 5 * MIB, true);
        DeviceInfo card = new DeviceInfo("cuda:0", "", 5 * MIB, 5 * MIB, false);

        assertEquals(
                4 * MIB,
                SplitMemoryPlan.memoryForShards(DeviceReference.parse("cpu:0"), host, settings));
        assertEquals(
                5 * MIB,
                SplitMemoryPlan.memoryForShards(DeviceReference.parse("cuda:0"), card, settings));
    }

    @Test
    void planHasALineForTheHostCache() {
        assertEquals(
                "host cache 2.0 GiB of 8.0 GiB that the model leaves free",
                new HostCachePlan(2L << 30, OptionalLong.of(8L << 30)).describe());
        assertEquals("host cache 1.0 MiB", new HostCachePlan(MIB, OptionalLong.empty()).describe());
        String plan = plan(HostCacheLimit.USUAL, "cpu:0", HOST_FREE).describe();
        assertEquals(2, plan.lines().count(), plan);
        assertTrue(plan.contains("\nhost cache "), plan);
    }
}

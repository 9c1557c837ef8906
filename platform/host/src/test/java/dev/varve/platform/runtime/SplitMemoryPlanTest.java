package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.ExpertModel;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.PlainModel;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Function;

/**
 * Sums that were worked out by hand, for models of width 8, heads of 4 and a vocabulary of 61, all
 * weights F32.
 */
class SplitMemoryPlanTest {
    /** Three products of 8 x 4, one of 4 x 8, two of 8 x 12. */
    private static final long LAYER_BYTES = (3 * 32 + 32 + 2 * 96) * 4;

    /** 61 rows of 8; the head is as large. */
    private static final long EMBEDDING_BYTES = 61 * 8 * 4;

    /** A row of 4 in F16, for K and for V. */
    private static final long SLOT_BYTES = 2 * 4 * 2;

    private static final long PLENTY = 1L << 40;

    private static ModelSettings settings(int context, int parallel) {
        return ModelSettings.of(SequenceLimits.of(context, parallel));
    }

    private static Function<DeviceReference, DeviceInfo> devices(long free) {
        return device ->
                new DeviceInfo(device.device(), "", PLENTY, free, device.backend().equals("cpu"));
    }

    private static SplitMemoryPlan plan(
            PlainModel model, ModelSettings settings, long free, String list, int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, model.shape().layerCount()));
        return SplitMemoryPlan.of(
                model,
                Placement.of(DeviceReference.parseList(list), ranges),
                devices(free),
                settings);
    }

    /**
     * The bytes that two replicas need together for a model of one layer with 2 contexts of 512.
     */
    private static long twoReplicas(String device) {
        return plan(
                        PlainModel.attentionOnly(1, 4096),
                        settings(512, 2).withReplicas(2),
                        PLENTY,
                        device)
                .bytesOfAll();
    }

    @Test
    void localReplicasShareTheWeightsAndRemoteOnesDoNot() {
        MemoryNeed one =
                plan(PlainModel.attentionOnly(1, 4096), settings(512, 2), PLENTY, "cpu:0")
                        .total()
                        .need();

        assertEquals(2 * one.totalBytes() - one.weightBytes(), twoReplicas("cpu:0"));
        assertEquals(2 * one.totalBytes(), twoReplicas("cpu:0@process"));
        assertEquals(2 * one.totalBytes(), twoReplicas("cpu:0@grpc:host:1"));
    }

    private static SplitMemoryPlan expertsOnProcessor(long free) {
        ExpertModel model = new ExpertModel(3, 1);
        return SplitMemoryPlan.of(
                model,
                new TensorRules(TensorRule.parseNamed("exps=cpu:0"))
                        .apply(
                                Placement.single(
                                        DeviceReference.local("cuda", 0),
                                        model.shape().allLayers()),
                                model),
                devices(free),
                settings(512, 1));
    }

    @Test
    void expertsElsewhereCountOnTheirDevice() {
        long experts = 2 * (3 * ExpertModel.EXPERT_BYTES + ExpertModel.BIAS_BYTES);
        long all =
                new ExpertModel(3, 1)
                        .tensors(new LayerRange(0, 3)).entries().stream()
                                .mapToLong(entry -> entry.tensor().bytes())
                                .sum();

        SplitMemoryPlan plan = expertsOnProcessor(PLENTY);

        SplitMemoryPlan.Part part = plan.parts().getFirst();
        assertEquals(all - experts, part.memory().need().weightBytes());
        OtherDeviceMemory other = part.others().getFirst();
        assertEquals("host", other.memory());
        assertEquals(experts, other.need().weightBytes());
        assertEquals(all, plan.total().need().weightBytes());
        assertEquals(2 * PLENTY, plan.total().availableBytes());
        assertEquals(plan.total().need().totalBytes(), plan.bytesOfAll());
        assertTrue(
                plan.describe().contains("\ncpu:0 for cuda:0 layers [0, 3): weights "),
                plan.describe());
    }

    @Test
    void expertsThatDoNotFitElsewhereAreRefused() {
        long need = expertsOnProcessor(PLENTY).parts().getFirst().memory().need().totalBytes();

        String message =
                assertThrows(VarveException.class, () -> expertsOnProcessor(need)).getMessage();

        assertTrue(message.startsWith("cpu:0 for cuda:0 layers [0, 3): weights "), message);
    }

    @Test
    void memoryThatShardsShareIsCountedOnce() {
        PlainModel model = PlainModel.attentionOnly(3, 4096);

        SplitMemoryPlan plan =
                plan(
                        model,
                        settings(512, 1),
                        PLENTY,
                        "cpu:0,cpu:0@process,cpu:0@grpc:host:1",
                        1,
                        2);

        assertEquals(2 * PLENTY, plan.total().availableBytes());
    }

    @Test
    void replicasMustFitTogetherAndShareTheSlots() {
        PlainModel model = PlainModel.attentionOnly(1, 4096);
        ModelSettings two = settings(512, 2).withReplicas(2);
        long enough = twoReplicas("cpu:0");

        assertEquals(2 * 512, plan(model, two, enough, "cpu:0").total().capacities().slots());
        SplitMemoryPlan tight = plan(model, two, enough - 2 * 512 * SLOT_BYTES, "cpu:0");
        assertEquals(512, tight.total().capacities().slots());
        assertTrue(
                tight.describe().contains("2 replicas of that, with one copy of the weights"),
                tight.describe());
        long tooLittle = enough - 2 * 1024 * SLOT_BYTES;
        VarveException failure =
                assertThrows(VarveException.class, () -> plan(model, two, tooLittle, "cpu:0"));
        assertEquals(VarveException.Kind.OUT_OF_MEMORY, failure.kind());
        assertTrue(failure.getMessage().contains(Setting.REPLICAS + ": 2"), failure.getMessage());
    }

    @Test
    void weightsAndCachesOfAShardAreTheSumOfItsLayers() {
        MemoryPlan plan =
                plan(PlainModel.attentionOnly(3, 4096), settings(512, 2), PLENTY, "cpu:0").total();

        assertEquals(512, plan.contextTokens());
        assertEquals(2 * 512, plan.capacities().slots());
        assertEquals(3 * LAYER_BYTES + 2 * EMBEDDING_BYTES, plan.need().weightBytes());
        assertEquals(3 * SLOT_BYTES * 2 * 512, plan.need().kvBytes());
        assertEquals(0, plan.need().stateBytes());
        assertEquals(PLENTY, plan.availableBytes());
    }

    @Test
    void recurrentStatesCountPerRowAndWindowsPerRegion() {
        PlainModel model =
                PlainModel.seeded(
                        List.of(PlainModel.recurrent(), PlainModel.sliding(100)), 4096, 1);

        MemoryPlan plan = plan(model, settings(2048, 3), PLENTY, "cpu:0").total();

        // Zero, and two rows per sequence.
        assertEquals(1 + 2 * 3, plan.capacities().stateRows());
        // The window and a chunk of 512, in blocks of 256.
        assertEquals(256 + 512, plan.capacities().regionSlots());
        long recurrent = (2 * 8 + 4 * 4) * 4;
        // The zero row has no region.
        assertEquals(7 * recurrent + 6 * 768 * SLOT_BYTES, plan.need().stateBytes());
        assertEquals(0, plan.need().kvBytes());
    }

    @Test
    void computeBuffersHoldTheWidestRowsMasksAndLogits() {
        MemoryPlan plan =
                plan(PlainModel.attentionOnly(2, 4096), settings(512, 2), PLENTY, "cpu:0").total();

        long column = 4 * (4 * 12 + 8 * 8);
        long mask = 2 * 512;
        long logits = 61 * 4;
        long prefill = 512 * (column + mask) + 128 * logits;
        long decode = 2 * (column + 16 * mask + logits);
        assertEquals(prefill + 4 * decode, plan.need().computeBytes());
    }

    @Property(tries = 100)
    void shardsOfAnySplitHoldTheWeightsAndCachesOfTheWholeModel(@ForAll long seed) {
        Random random = new Random(seed);
        PlainModel model = PlainModel.attentionOnly(2 + random.nextInt(8), 4096);
        int cut = 1 + random.nextInt(model.shape().layerCount() - 1);
        ModelSettings settings = settings(1 + random.nextInt(4096), 1 + random.nextInt(8));

        MemoryNeed whole = plan(model, settings, PLENTY, "cpu:0").total().need();
        MemoryNeed split = plan(model, settings, PLENTY, "cpu:0,cpu:0", cut).total().need();

        assertEquals(whole.weightBytes(), split.weightBytes(), "seed " + seed);
        assertEquals(whole.kvBytes(), split.kvBytes(), "seed " + seed);
        assertEquals(whole.stateBytes(), split.stateBytes(), "seed " + seed);
    }

    @Property(tries = 100)
    void defaultSlotsAreWholeBlocksFromOneContextToAll(
            @ForAll @IntRange(min = 1, max = 4096) int context,
            @ForAll @IntRange(min = 1, max = 16) int parallel,
            @ForAll @IntRange(min = 0, max = 1 << 20) int more) {
        PlainModel model = PlainModel.attentionOnly(2, 4096);
        ModelSettings settings = settings(context, parallel);
        RangeMemory need =
                RangeMemory.of(
                        model,
                        model.shape().allLayers(),
                        new DeviceInfo("cpu:0", "", PLENTY, PLENTY, true),
                        settings);
        int oneContext = (context + 255) / 256 * 256;

        int slots =
                plan(model, settings, need.bytes(oneContext) + more, "cpu:0")
                        .total()
                        .capacities()
                        .slots();

        assertEquals(0, slots % 256);
        assertTrue(slots >= oneContext && slots <= oneContext * parallel, "slots " + slots);
        assertTrue(need.bytes(slots) <= need.bytes(oneContext) + more, "slots " + slots);
    }

    @Test
    void planThatDoesNotFitIsRefusedWithTheSumsOfEachDevice() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                plan(
                                        PlainModel.attentionOnly(2, 4096),
                                        settings(4096, 1),
                                        1 << 16,
                                        "cpu:0,cpu:0@process",
                                        1));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, error.kind());
        String message = error.getMessage();
        assertTrue(message.startsWith("cpu:0 layers [0, 1): weights 3.2 KiB + KV "), message);
        assertTrue(message.contains("; cpu:0@process layers [1, 2): weights"), message);
        assertTrue(message.contains("; together "), message);
        assertTrue(message.contains("of 64.0 KiB free; it does not fit"), message);
        assertTrue(message.contains(Setting.CONTEXT_TOKENS.toString()), message);
    }

    @Test
    void shardsThatShareAMemoryMustFitTogether() {
        PlainModel model = PlainModel.attentionOnly(2, 4096);
        ModelSettings settings = settings(256, 1);
        SplitMemoryPlan fits = plan(model, settings, PLENTY, "cpu:0,cpu:0", 1);
        long sum = fits.total().need().totalBytes();

        assertEquals(sum, plan(model, settings, sum, "cpu:0,cpu:0", 1).total().need().totalBytes());
        assertThrows(VarveException.class, () -> plan(model, settings, sum - 1, "cpu:0,cpu:0", 1));
        // Two devices with memories of their own need not.
        SplitMemoryPlan apart = plan(model, settings, PLENTY, "cuda:0,cuda:1", 1);
        long larger =
                apart.parts().stream()
                        .mapToLong(part -> part.memory().need().totalBytes())
                        .max()
                        .orElseThrow();
        assertTrue(larger < apart.total().need().totalBytes());
        plan(model, settings, larger, "cuda:0,cuda:1", 1);
    }

    @ParameterizedTest
    @CsvSource({
        "cpu:0, true, host",
        "vulkan:0, true, host",
        "cpu:0@process, true, host",
        "cpu:0@unix:/run/a, true, host",
        "cpu:0@grpc:box:1, true, cpu:0@grpc:box:1",
        "cuda:1, false, cuda:1",
        "cuda:1@process, false, cuda:1",
        "cuda:1@grpc:box:1, false, cuda:1@grpc:box:1",
    })
    void memoryIsIdentifiedByItsOwner(String device, boolean hostCores, String memory) {
        DeviceInfo info = new DeviceInfo("any:0", "", 1, 1, hostCores);

        assertEquals(memory, SplitMemoryPlan.memoryOf(DeviceReference.parse(device), info));
    }

    @Test
    void embeddingTablesStayInTheFileOutsideOfHostMemory() {
        PlainModel model = PlainModel.attentionOnly(2, 4096);

        long host = plan(model, settings(256, 1), PLENTY, "cpu:0").total().need().weightBytes();
        long own = plan(model, settings(256, 1), PLENTY, "cuda:0").total().need().weightBytes();

        assertEquals(EMBEDDING_BYTES, host - own);
    }

    @Test
    void defaultContextIsTheModelLimitUpToAMaximum() {
        ModelSettings unset = ModelSettings.of(SequenceLimits.parallel(1));

        assertEquals(
                300, RangeMemory.contextTokens(PlainModel.attentionOnly(1, 300).shape(), unset));
        assertEquals(
                SequenceLimits.DEFAULT_CONTEXT,
                RangeMemory.contextTokens(PlainModel.attentionOnly(1, 1 << 20).shape(), unset));
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "301", "2147483647"})
    void contextBeyondTheTrainingLengthIsRefused(int context) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                RangeMemory.contextTokens(
                                        PlainModel.attentionOnly(1, 300).shape(),
                                        settings(context, 1)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertEquals(
                Setting.CONTEXT_TOKENS
                        + ": expected 1 to 300 (the model's training context), found "
                        + context,
                error.getMessage());
    }

    @Test
    void slotsForLessThanOneSequenceAreRefused() {
        SequenceLimits limits = new SequenceLimits(OptionalInt.of(1000), 1, OptionalInt.of(700));

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                plan(
                                        PlainModel.attentionOnly(1, 4096),
                                        ModelSettings.of(limits),
                                        PLENTY,
                                        "cpu:0"));

        assertEquals(
                Setting.KV_TOKENS
                        + ": expected at least 1000 ("
                        + Setting.CONTEXT_TOKENS
                        + ", one whole sequence), found 700",
                error.getMessage());
    }

    @Test
    void requestedSlotsAreRoundedToWholeBlocks() {
        SequenceLimits limits = SequenceLimits.of(256, 4).withKvTokens(257);

        assertEquals(
                512,
                plan(PlainModel.attentionOnly(1, 4096), ModelSettings.of(limits), PLENTY, "cpu:0")
                        .total()
                        .capacities()
                        .slots());
    }

    @Test
    void planIsDescribedWithItsPartsAndTheirSum() {
        MemoryPlan plan =
                new MemoryPlan(
                        256,
                        new CacheCapacities(512, 3, 0),
                        new MemoryNeed(1 << 20, 2 << 20, 3 << 20, 512 << 10),
                        100 << 20);

        assertEquals(
                "cpu:0: weights 1.0 MiB + KV 2.0 MiB (512 tokens) + states 3.0 MiB + compute 512.0"
                        + " KiB = 6.5 MiB of 100.0 MiB free",
                plan.describe("cpu:0"));
    }
}

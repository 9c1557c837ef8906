package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.paging.ResidentPoolMemory;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.PlainModel;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Bounded attention caches in the plan of a model. A layer has heads of 4, so a slot of one is a
 * row of 4 in F16, for K and for V.
 */
class PoolPlanTest {
    /** State of a recurrent layer. */
    private static final long RECURRENT_BYTES = (2 * 8 + 4 * 4) * 4;

    private static final long SLOT_BYTES = 2 * 4 * 2;
    private static final int CONTEXT = 1 << 17;
    private static final long PLENTY = 1L << 40;
    private static final long MIB = 1 << 20;

    private static final PlainModel MODEL = PlainModel.attentionOnly(3, CONTEXT);

    private static ModelSettings settings(int context, int parallel) {
        return ModelSettings.of(SequenceLimits.of(context, parallel));
    }

    private static ModelSettings pooled(int pool, int parallel) {
        return settings(CONTEXT, parallel).withPool(Optional.of(RequestedPaging.of(pool)));
    }

    private static Function<DeviceReference, DeviceInfo> devices(long free) {
        return device ->
                new DeviceInfo(device.device(), "", PLENTY, free, device.backend().equals("cpu"));
    }

    private static SplitMemoryPlan plan(PlainModel model, ModelSettings settings, long free) {
        return plan(model, settings, devices(free), "cpu:0");
    }

    private static SplitMemoryPlan plan(
            PlainModel model,
            ModelSettings settings,
            Function<DeviceReference, DeviceInfo> devices,
            String list,
            int... cuts) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            ranges.add(new LayerRange(begin, cut));
            begin = cut;
        }
        ranges.add(new LayerRange(begin, model.shape().layerCount()));
        return SplitMemoryPlan.of(
                model, Placement.of(DeviceReference.parseList(list), ranges), devices, settings);
    }

    private static String refusal(ModelSettings settings, long free) {
        VarveException error =
                assertThrows(VarveException.class, () -> plan(MODEL, settings, free));
        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        return error.getMessage();
    }

    @Test
    void withoutARequestThereIsNoPool() {
        SplitMemoryPlan plan = plan(MODEL, settings(CONTEXT, 2), PLENTY);

        assertEquals(PoolPlan.NONE, plan.pool());
        assertEquals(2 * CONTEXT, plan.total().capacities().slots());
        assertFalse(plan.describe().contains("resident"), plan.describe());
    }

    @Test
    void everySequenceHasItsPoolAndTheContextIsUnchanged() {
        SplitMemoryPlan plan = plan(MODEL, pooled(1000, 4), PLENTY);

        assertEquals(CONTEXT, plan.total().contextTokens());
        assertEquals(4 * 1024, plan.total().capacities().slots());
        assertEquals(3 * SLOT_BYTES * 4 * 1024, plan.total().need().kvBytes());
        assertEquals(
                Optional.of(new PagingOptions(1024, PagePolicy.QK, 64)), plan.pool().options());
        assertEquals(PoolPlan.Remarks.NONE, plan.pool().remarks());
    }

    @Test
    void masksAndScoresHaveThePoolWidth() {
        ModelSettings plainAttention =
                settings(1024, 2).with(ComputeSettings.defaults().with(FlashAttention.OFF));

        for (ModelSettings unbounded : List.of(settings(1024, 2), plainAttention)) {
            long expected = plan(MODEL, unbounded, PLENTY).total().need().computeBytes();

            ModelSettings bounded =
                    unbounded
                            .with(SequenceLimits.of(CONTEXT, 2))
                            .withPool(Optional.of(RequestedPaging.of(1024)));

            assertEquals(expected, plan(MODEL, bounded, PLENTY).total().need().computeBytes());
        }
    }

    @Test
    void contextThatFitsOnlyWithAPoolFitsWithOne() {
        long enough = plan(MODEL, pooled(512, 1), PLENTY).total().need().totalBytes();

        assertEquals(512, plan(MODEL, pooled(512, 1), enough).total().capacities().slots());
        assertThrows(VarveException.class, () -> plan(MODEL, settings(CONTEXT, 1), enough));
        assertThrows(VarveException.class, () -> plan(MODEL, pooled(512, 1), enough - 1));
    }

    @Property(tries = 100)
    void slotsAreWholeBlocksFromOnePoolToAllPools(
            @ForAll @IntRange(min = 1, max = 1 << 15) int pool,
            @ForAll @IntRange(min = 1, max = 16) int parallel,
            @ForAll @IntRange(min = 0, max = 1 << 22) int more) {
        ModelSettings settings = pooled(pool, parallel);
        int tokens = plan(MODEL, settings, PLENTY).pool().options().orElseThrow().poolTokens();
        RangeMemory need =
                RangeMemory.of(
                        MODEL,
                        MODEL.shape().allLayers(),
                        devices(PLENTY).apply(DeviceReference.PROCESSOR),
                        settings);
        long free = need.bytes(tokens) + more;

        int slots = plan(MODEL, settings, free).total().capacities().slots();

        assertEquals(0, slots % 256);
        assertTrue(slots >= tokens && slots <= tokens * parallel, "slots " + slots);
        assertTrue(need.bytes(slots) <= free, "slots " + slots);
    }

    @ParameterizedTest
    @CsvSource({"1024, 1024", "1025, 1280", "769, 1024", "100000, 100096"})
    void requestedSlotsHoldAtLeastOnePool(int kvTokens, int slots) {
        ModelSettings settings =
                pooled(1024, 4).with(SequenceLimits.of(CONTEXT, 4).withKvTokens(kvTokens));

        assertEquals(slots, plan(MODEL, settings, PLENTY).total().capacities().slots());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 768})
    void fewerSlotsThanAPoolAreRefused(int kvTokens) {
        ModelSettings settings =
                pooled(1000, 4).with(SequenceLimits.of(CONTEXT, 4).withKvTokens(kvTokens));

        assertEquals(
                Setting.KV_TOKENS
                        + ": expected at least 1024 ("
                        + Setting.KVFLASH
                        + ", the pool of one sequence), found "
                        + kvTokens,
                refusal(settings, PLENTY));
    }

    @Test
    void poolBeyondTheContextIsClampedWithAWarning() {
        ModelSettings settings =
                settings(8192, 1).withPool(Optional.of(RequestedPaging.of(10_000)));

        SplitMemoryPlan plan = plan(MODEL, settings, PLENTY);

        assertEquals(8192, plan.pool().options().orElseThrow().poolTokens());
        assertEquals(8192, plan.total().capacities().slots());
        assertEquals(
                List.of(
                        Setting.KVFLASH
                                + ": requested pool 10240 > max_ctx 8192; clamping to 8192"),
                plan.pool().remarks().warnings());
        assertEquals(
                Optional.of(
                        "resident pool 8192 tokens per sequence (of up to 8192), tau=64, policy=qk;"
                                + " no page is paged out"),
                plan.pool().describe());
    }

    @Test
    void contextWithoutRoomForAPoolIsRefused() {
        assertEquals(
                Setting.KVFLASH
                        + ": expected "
                        + Setting.CONTEXT_TOKENS
                        + " of at least 512, the smallest pool, found 300",
                refusal(settings(300, 1).withPool(Optional.of(RequestedPaging.of(512))), PLENTY));
    }

    @Test
    void modelWithoutFullAttentionRunsWithoutAPoolAndReportsIt() {
        PlainModel model =
                PlainModel.seeded(
                        List.of(PlainModel.recurrent(), PlainModel.sliding(100)), 4096, 1);
        ModelSettings settings = settings(300, 2);

        SplitMemoryPlan plan =
                plan(model, settings.withPool(Optional.of(RequestedPaging.of(512))), PLENTY);

        assertFalse(plan.pool().isPresent());
        assertEquals(plan(model, settings, PLENTY).parts(), plan.parts());
        List<String> warnings = plan.pool().remarks().warnings();
        assertEquals(1, warnings.size());
        assertTrue(
                warnings.getFirst().startsWith(Setting.KVFLASH + ": has no effect: "),
                warnings.toString());
    }

    @Test
    void automaticPoolIsHalfOfTheMemoryBehindWeightsStatesAndReserve() {
        ModelSettings settings =
                settings(CONTEXT, 2).withPool(Optional.of(RequestedPaging.automatic()));
        long weights = plan(MODEL, settings, PLENTY).total().need().weightBytes();
        // Room for pools of 1,000 tokens.
        long room = 2 * 2 * 1000 * 3 * SLOT_BYTES;

        SplitMemoryPlan plan =
                plan(MODEL, settings, weights + ResidentPoolMemory.RESERVE_BYTES + room);

        assertEquals(1024, plan.pool().options().orElseThrow().poolTokens());
        assertEquals(2 * 1024, plan.total().capacities().slots());
        String note = plan.pool().remarks().notes().getFirst();
        assertTrue(note.startsWith(Setting.KVFLASH + ": auto pool: 1024 tokens (1.5 GiB"), note);
    }

    @Test
    void largeMemoryGivesAnAutomaticPoolItsBound() {
        RequestedPaging request = RequestedPaging.of(new RequestedPaging.Size.Automatic(20_000));

        SplitMemoryPlan plan =
                plan(MODEL, settings(CONTEXT, 1).withPool(Optional.of(request)), PLENTY);

        assertEquals(20_224, plan.pool().options().orElseThrow().poolTokens());
    }

    @Test
    void automaticPoolWithoutMemoryBeyondTheReserveIsRefused() {
        ModelSettings settings =
                settings(CONTEXT, 1).withPool(Optional.of(RequestedPaging.automatic()));

        String message = refusal(settings, ResidentPoolMemory.RESERVE_BYTES);

        assertTrue(
                message.startsWith(
                        Setting.KVFLASH
                                + ": expected memory for a pool beside a reserve of 1.5 GiB"),
                message);
    }

    /** Two layers on the one card, one on the other, which has less memory. */
    @Test
    void smallestMemoryAndFullestShardDetermineThePool() {
        long weights =
                plan(MODEL, pooled(512, 1), devices(PLENTY), "cuda:0,cuda:1", 2)
                        .parts()
                        .getLast()
                        .memory()
                        .need()
                        .weightBytes();
        long small = weights + ResidentPoolMemory.RESERVE_BYTES + 2 * 1000 * 2 * SLOT_BYTES;
        Function<DeviceReference, DeviceInfo> devices =
                device ->
                        new DeviceInfo(
                                device.device(),
                                "",
                                PLENTY,
                                device.device().equals("cuda:1") ? small : PLENTY,
                                false);

        SplitMemoryPlan plan =
                plan(
                        MODEL,
                        settings(CONTEXT, 1).withPool(Optional.of(RequestedPaging.automatic())),
                        devices,
                        "cuda:0,cuda:1",
                        2);

        assertEquals(1024, plan.pool().options().orElseThrow().poolTokens());
        plan.parts().forEach(part -> assertEquals(1024, part.memory().capacities().slots()));
    }

    @Test
    void shardsOfOneMemoryShareThePoolMemory() {
        ModelSettings settings =
                settings(CONTEXT, 1).withPool(Optional.of(RequestedPaging.automatic()));
        long weights = plan(MODEL, settings, PLENTY).total().need().weightBytes();
        long free = weights + ResidentPoolMemory.RESERVE_BYTES + 2 * 1000 * 3 * SLOT_BYTES;

        SplitMemoryPlan plan = plan(MODEL, settings, devices(free), "cpu:0,cpu:0@process", 1);

        assertEquals(1024, plan.pool().options().orElseThrow().poolTokens());
    }

    @ParameterizedTest
    @CsvSource({
        "cpu:0, 3",
        "cuda:0, 3",
        "'cpu:0,cuda:0@process,cuda:1@unix:/run/a', 3",
        "'cpu:0,cuda:0@grpc:box:1,cuda:1', 2",
        "cuda:0@grpc:box:1, 0",
    })
    void hostPagesCountForTheirMachine(String list, int layersHere) {
        int[] cuts = list.contains(",") ? new int[] {1, 2} : new int[0];

        PoolPlan pool = plan(MODEL, pooled(1024, 2), devices(PLENTY), list, cuts).pool();

        assertEquals((CONTEXT - 1024) * 2L * layersHere * SLOT_BYTES, pool.pages().mostBytes());
    }

    @Test
    void hostPagesGetTheMemoryBehindModelAndPrefixCache() {
        ModelSettings settings = pooled(1024, 1).with(new HostCacheLimit.Fixed(MIB));
        long model = plan(MODEL, settings, PLENTY).total().need().totalBytes();

        PoolPlan pool = plan(MODEL, settings, model + 100 * MIB).pool();

        assertEquals(OptionalLong.of(99 * MIB), pool.pages().leftBytes());
        // 130,048 tokens of 48 bytes.
        assertEquals(
                Optional.of(
                        "resident pool 1024 tokens per sequence (of up to 131072), tau=64,"
                                + " policy=qk; pages in host memory at most 6.0 MiB of 99.0 MiB"
                                + " free after loading the model"),
                pool.describe());
        assertEquals(List.of(), pool.remarks().warnings());
    }

    @Test
    void hostPagesThatMayNotFitCauseAWarningWithBothSizes() {
        ModelSettings settings = pooled(1024, 1);
        long model = plan(MODEL, settings, PLENTY).total().need().totalBytes();

        PoolPlan pool = plan(MODEL, settings, model + 5 * MIB).pool();

        assertTrue(pool.isPresent());
        assertEquals(
                List.of(
                        Setting.KVFLASH
                                + ": pages may take 6.0 MiB of host memory, but only 5.0 MiB are"
                                + " free after loading the model; see "
                                + Setting.CONTEXT_TOKENS
                                + " and "
                                + Setting.PARALLEL),
                pool.remarks().warnings());
    }

    @Test
    void hostOfUnknownMemoryCausesNoWarning() {
        Function<DeviceReference, DeviceInfo> devices =
                device -> {
                    if (device.backend().equals("cpu")) {
                        throw new VarveException(VarveException.Kind.UNAVAILABLE, "no such plugin");
                    }
                    return devices(PLENTY).apply(device);
                };

        PoolPlan pool = plan(MODEL, pooled(1024, 1), devices, "cuda:0").pool();

        assertEquals(OptionalLong.empty(), pool.pages().leftBytes());
        assertEquals(List.of(), pool.remarks().warnings());
        String line = pool.describe().orElseThrow();
        assertTrue(line.endsWith("; pages in host memory at most 6.0 MiB"), line);
    }

    @Test
    void planHasALineForThePool() {
        String plan = plan(MODEL, pooled(1024, 1), PLENTY).describe();

        assertEquals(2, plan.lines().count(), plan);
        assertTrue(plan.contains(" (1024 tokens) + states "), plan);
        assertTrue(
                plan.contains("\nresident pool 1024 tokens per sequence (of up to 131072)"), plan);
    }

    @Test
    void nonFullAttentionLayersKeepTheirContextMemory() {
        PlainModel model =
                PlainModel.seeded(
                        List.of(PlainModel.full(), PlainModel.recurrent(), PlainModel.sliding(100)),
                        CONTEXT,
                        1);

        MemoryPlan bounded = plan(model, pooled(512, 2), PLENTY).total();
        MemoryPlan whole = plan(model, settings(CONTEXT, 2), PLENTY).total();

        // One state more, with which the end of a prompt is tried out.
        int rows = whole.capacities().stateRows();
        assertEquals(rows + 1, bounded.capacities().stateRows());
        long perRow = RECURRENT_BYTES + (long) whole.capacities().regionSlots() * SLOT_BYTES;
        assertEquals(whole.need().stateBytes() + perRow, bounded.need().stateBytes());
        assertEquals(whole.capacities().regionSlots(), bounded.capacities().regionSlots());
        assertEquals(2 * 512 * SLOT_BYTES, bounded.need().kvBytes());
    }

    @Test
    void poolReserveReducesTheCardMemoryForShards() {
        ModelSettings automatic =
                settings(CONTEXT, 1).withPool(Optional.of(RequestedPaging.automatic()));
        DeviceReference card = DeviceReference.parse("cuda:0");
        DeviceInfo info = devices(PLENTY).apply(card);

        assertEquals(
                PLENTY - ResidentPoolMemory.RESERVE_BYTES,
                SplitMemoryPlan.memoryForShards(card, info, automatic));
        assertEquals(PLENTY, SplitMemoryPlan.memoryForShards(card, info, pooled(512, 1)));
    }

    @Test
    void manyLayersDoNotOverflow() {
        PlainModel large = PlainModel.seeded(Collections.nCopies(8, PlainModel.full()), 1 << 29, 1);
        ModelSettings settings =
                settings(1 << 29, 256).withPool(Optional.of(RequestedPaging.of(512)));

        assertEquals(
                ((1L << 29) - 512) * 256 * 8 * SLOT_BYTES,
                plan(large, settings, PLENTY).pool().pages().mostBytes());
    }
}

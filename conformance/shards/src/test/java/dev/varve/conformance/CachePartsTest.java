package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A sequence continues from its state at any place that adopts it. A shard refuses parts that do
 * not fit.
 */
@Timeout(300)
class CachePartsTest {
    private static final int KILLS = Integer.getInteger("varve.test.kills", 5);
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";

    /** At this position, small windows have dropped whole blocks. */
    private static final int MOVED_AT = 350;

    private static final int TOKENS = 420;
    private static final ShardChain.Place FIRST = new ShardChain.Place(0, 1);
    private static final ShardChain.Place OTHER = new ShardChain.Place(512, 3);
    private static final ShardChain.Place SPARE = new ShardChain.Place(1024, 2);

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        program = ShardProgram.install(models, installation);
        process = ListeningShard.start(program);
    }

    @AfterAll
    static void endProcess() {
        process.close();
    }

    private record Sample(RandomModel spec, SplitModel split, int[] tokens) {
        static Sample of(Family family, long seed) throws Exception {
            RandomModel spec = family.odd(seed);
            SplitModel split =
                    SplitModel.of(
                            spec.write(models),
                            Cpu.settings(512, 1, Cpu.F16),
                            BoundaryType.F32,
                            device -> process.link());
            return new Sample(spec, split, spec.tokens(TOKENS, seed));
        }

        ShardChain load(List<String> devices, int... cuts) {
            return ShardChain.load(split, Cpu.F16, devices, cuts);
        }

        float[][] runTo(ShardChain chain, int from, int to, ShardChain.Place place) {
            return chain.run(tokens, from, to, place, List.of()).rows();
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1"})
    @ByDay({1, 3, 5})
    void stateContinuesInAnotherRowSplitAndProcess(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed);
        int first = sample.split().cuts().getFirst();
        int last = sample.split().cuts().getLast();
        Map<Integer, byte[]> here;
        Map<Integer, byte[]> there;
        float[][] expected;
        try (ShardChain chain = sample.load(List.of(HERE, HERE), first)) {
            sample.runTo(chain, 0, MOVED_AT, FIRST);
            here = chain.export(FIRST, MOVED_AT);
            expected = sample.runTo(chain, MOVED_AT, TOKENS, FIRST);
        }
        try (ShardChain chain = sample.load(List.of(THERE, HERE), first)) {
            sample.runTo(chain, 0, MOVED_AT, OTHER);
            there = chain.export(OTHER, MOVED_AT);
        }

        assertEquals(here.keySet(), there.keySet());
        here.forEach((layer, bytes) -> assertArrayEquals(bytes, there.get(layer), "" + layer));
        for (List<String> devices : List.of(List.of(HERE, THERE), List.of(THERE, HERE))) {
            try (ShardChain chain = sample.load(devices, last)) {
                // Somebody else's rows are there already.
                chain.run(sample.spec().tokens(400, 77), 0, 400, OTHER, List.of());
                chain.adopt(OTHER, MOVED_AT, there);
                requireEqual(
                        expected,
                        sample.runTo(chain, MOVED_AT, TOKENS, OTHER),
                        sample.spec() + " on " + devices);
            }
        }
    }

    private static void requireEqual(float[][] expected, float[][] actual, String what) {
        assertEquals(0, Comparison.worstRelativeL2(expected, actual), what);
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "GEMMA4, 60", "LAGUNA, 1"})
    @ByDay(2)
    void statesMovedTogetherDoNotMix(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed);
        int[] tokens = sample.spec().tokens(TOKENS, 99);
        try (ShardChain chain = sample.load(List.of(THERE))) {
            Shard shard = chain.shards().getFirst();
            List<CachePart> inFirst = chain.parts(shard, FIRST, MOVED_AT);
            List<CachePart> inOther = chain.parts(shard, OTHER, MOVED_AT);
            sample.runTo(chain, 0, MOVED_AT, FIRST);
            chain.run(tokens, 0, MOVED_AT, OTHER, List.of());
            KeptParts one = new KeptParts();
            KeptParts other = new KeptParts();
            CompletableFuture<Void> exporting = shard.export(inFirst, one);
            shard.export(inOther, other).join();
            exporting.join();
            float[][] expected = sample.runTo(chain, MOVED_AT, TOKENS, FIRST);
            float[][] expectedOther = chain.run(tokens, MOVED_AT, TOKENS, OTHER, List.of()).rows();

            // Each into the other's place, with a third one that nobody waits for.
            shard.adopt(chain.parts(shard, SPARE, MOVED_AT), one).cancel(true);
            CompletableFuture<Void> adopting = shard.adopt(inOther, one);
            shard.adopt(inFirst, other).join();
            adopting.join();

            String what = sample.spec().toString();
            requireEqual(expected, sample.runTo(chain, MOVED_AT, TOKENS, OTHER), what);
            requireEqual(
                    expectedOther,
                    chain.run(tokens, MOVED_AT, TOKENS, FIRST, List.of()).rows(),
                    what);
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "GEMMA4, 60", "LAGUNA, 1"})
    @ByDay(1)
    void mismatchedPartsAreRefusedAndChangeNothing(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed);
        int cut = sample.split().cuts().getLast();
        for (List<String> devices : List.of(List.of(HERE, HERE), List.of(THERE, THERE))) {
            try (ShardChain chain = sample.load(devices, cut)) {
                sample.runTo(chain, 0, MOVED_AT, FIRST);
                Map<Integer, byte[]> kept = chain.export(FIRST, MOVED_AT);
                float[][] expected = sample.runTo(chain, MOVED_AT, TOKENS, FIRST);
                chain.adopt(FIRST, MOVED_AT, kept);

                for (Shard shard : chain.shards()) {
                    List<CachePart> fitting = chain.parts(shard, FIRST, MOVED_AT);
                    for (CachePart part : fitting) {
                        broken(part)
                                .forEach(
                                        (what, wrong) ->
                                                requireRefused(
                                                        shard,
                                                        fitting,
                                                        wrong,
                                                        devices + ": " + what + ": " + wrong));
                    }
                }

                requireEqual(
                        expected,
                        sample.runTo(chain, MOVED_AT, TOKENS, FIRST),
                        sample.spec() + " on " + devices);
            }
        }
    }

    /** The fitting parts come first, as zeros. */
    private static void requireRefused(
            Shard shard, List<CachePart> fitting, CachePart wrong, String what) {
        List<CachePart> parts = new ArrayList<>(fitting);
        parts.add(wrong);
        CompletionException failure =
                assertThrows(
                        CompletionException.class,
                        () -> shard.adopt(parts, KeptParts.zeros(parts)).join(),
                        what);
        VarveException reason = (VarveException) failure.getCause();
        assertEquals(
                VarveException.Kind.INVALID_REQUEST,
                reason.kind(),
                () -> what + ": " + reason.getMessage());
    }

    /** Parts that differ from a fitting one in one thing. */
    private static Map<String, CachePart> broken(CachePart part) {
        Map<String, CachePart> broken = new TreeMap<>();
        switch (part) {
            case CachePart.Rows(int layer, RowLayout rows, int slot, int position, int count) -> {
                broken.put("layer", new CachePart.Rows(999, rows, slot, position, count));
                broken.put("type", new CachePart.Rows(layer, typed(rows), slot, position, count));
                broken.put("length", new CachePart.Rows(layer, twice(rows), slot, position, count));
                broken.put("slot", new CachePart.Rows(layer, rows, 1400, position, count));
                broken.put("kind", new CachePart.Window(layer, rows, 1, 0, count));
            }
            case CachePart.HostPageRows(
                            int layer,
                            RowLayout rows,
                            long page,
                            int position,
                            int count) -> {
                broken.put("layer", new CachePart.HostPageRows(999, rows, page, position, count));
                broken.put(
                        "type",
                        new CachePart.HostPageRows(layer, typed(rows), page, position, count));
                broken.put(
                        "length",
                        new CachePart.HostPageRows(layer, twice(rows), page, position, count));
            }
            case CachePart.Window(int layer, RowLayout rows, int row, int first, int end) -> {
                broken.put("layer", new CachePart.Window(999, rows, row, first, end));
                broken.put("type", new CachePart.Window(layer, typed(rows), row, first, end));
                broken.put("length", new CachePart.Window(layer, twice(rows), row, first, end));
                broken.put("state row", new CachePart.Window(layer, rows, 4, first, end));
                broken.put(
                        "begin", new CachePart.Window(layer, rows, row, first == 0 ? 256 : 0, end));
                broken.put("end", new CachePart.Window(layer, rows, row, first, 100_000));
                broken.put("kind", new CachePart.Rows(layer, rows, 0, 0, end - first));
            }
            case CachePart.State(int layer, List<Long> elements, int row, int end) -> {
                List<Long> more = new ArrayList<>(elements);
                more.add(1L);
                broken.put("layer", new CachePart.State(999, elements, row, end));
                broken.put("more", new CachePart.State(layer, more, row, end));
                broken.put("fewer", new CachePart.State(layer, more.subList(0, 1), row, end));
                broken.put("state row", new CachePart.State(layer, elements, 4, end));
            }
        }
        return broken;
    }

    private static RowLayout typed(RowLayout rows) {
        return new RowLayout(GgmlType.BF16, rows.keyLength(), rows.value(), rows.valueLength());
    }

    private static RowLayout twice(RowLayout rows) {
        return new RowLayout(rows.key(), rows.keyLength(), rows.value(), 2 * rows.valueLength());
    }

    @Test
    @Tag("nightly")
    void killDuringATransferLosesNoExportedState() throws Exception {
        Sample sample = Sample.of(Family.LAGUNA, 1);
        FragileLink link = new FragileLink(program.child("parts"));
        SplitModel split =
                new SplitModel(
                        sample.split().file(),
                        sample.split().adapter(),
                        BoundaryType.F32,
                        device -> link);
        try (ShardChain chain = ShardChain.load(split, Cpu.F16, List.of(THERE))) {
            Shard shard = chain.shards().getFirst();
            List<CachePart> parts = chain.parts(shard, FIRST, MOVED_AT);
            sample.runTo(chain, 0, MOVED_AT, FIRST);
            Map<Integer, byte[]> kept = chain.export(FIRST, MOVED_AT);
            float[][] expected = sample.runTo(chain, MOVED_AT, TOKENS, FIRST);
            chain.adopt(FIRST, MOVED_AT, kept);

            for (int kill = 0; kill < KILLS; kill++) {
                CompletableFuture<?> transfer =
                        kill % 2 == 0
                                ? shard.export(parts, new KeptParts())
                                : shard.adopt(parts, KeptParts.zeros(parts));
                link.kill();
                requireLostOrDone(transfer);
                // A transfer may be done before the death is noticed.
                awaitRestarts(shard, kill + 1);

                shard.recover().join();
                chain.adopt(OTHER, MOVED_AT, kept);
                requireEqual(
                        expected, sample.runTo(chain, MOVED_AT, TOKENS, OTHER), "kill " + kill);
                chain.adopt(FIRST, MOVED_AT, kept);
            }
        }
    }

    private static void awaitRestarts(Shard shard, int count) {
        Await.value(count + " restarts", shard::health, health -> health.restarts() >= count);
    }

    private static void requireLostOrDone(CompletableFuture<?> transfer) {
        try {
            transfer.join();
        } catch (CompletionException e) {
            assertEquals(ShardLostException.class, e.getCause().getClass());
        }
    }
}

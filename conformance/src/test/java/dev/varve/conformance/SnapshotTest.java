package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.testkit.Await;
import dev.varve.testkit.Comparison;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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

/** The state of a sequence goes on wherever it is put, and nothing else is let in. */
@Timeout(300)
class SnapshotTest {
    private static final int KILLS = Integer.getInteger("varve.test.kills", 5);
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";
    private static final int SAVED_AT = 150;
    private static final int TOKENS = 300;
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
    void aStateGoesOnInAnotherPlaceSplitAndProcess(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed);
        int first = sample.split().cuts().getFirst();
        int last = sample.split().cuts().getLast();
        List<SnapshotTensor> here;
        List<SnapshotTensor> there;
        float[][] expected;
        try (ShardChain chain = sample.load(List.of(HERE, HERE), first)) {
            sample.runTo(chain, 0, SAVED_AT, FIRST);
            here = chain.save(FIRST, SAVED_AT);
            expected = sample.runTo(chain, SAVED_AT, TOKENS, FIRST);
        }
        try (ShardChain chain = sample.load(List.of(THERE, HERE), first)) {
            sample.runTo(chain, 0, SAVED_AT, OTHER);
            there = chain.save(OTHER, SAVED_AT);
        }

        requireSame(here, there);
        for (List<String> devices : List.of(List.of(HERE, THERE), List.of(THERE, HERE))) {
            try (ShardChain chain = sample.load(devices, last)) {
                // Somebody else's rows are there already.
                chain.run(sample.spec().tokens(200, 77), 0, 200, OTHER, List.of());
                chain.restore(OTHER, SAVED_AT, there);
                assertEquals(
                        0,
                        Comparison.worstRelativeL2(
                                expected, sample.runTo(chain, SAVED_AT, TOKENS, OTHER)),
                        sample.spec() + " on " + devices);
            }
        }
    }

    private static void requireSame(List<SnapshotTensor> one, List<SnapshotTensor> other) {
        assertEquals(
                one.stream().map(SnapshotTensor::name).toList(),
                other.stream().map(SnapshotTensor::name).toList());
        for (int i = 0; i < one.size(); i++) {
            assertArrayEquals(one.get(i).data(), other.get(i).data(), one.get(i).name());
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "GEMMA4, 60", "LAGUNA, 1"})
    void statesThatAreRestoredTogetherDoNotMix(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed);
        int[] tokens = sample.spec().tokens(TOKENS, 99);
        try (ShardChain chain = sample.load(List.of(THERE))) {
            Shard shard = chain.shards().getFirst();
            sample.runTo(chain, 0, SAVED_AT, FIRST);
            chain.run(tokens, 0, SAVED_AT, OTHER, List.of());
            CompletableFuture<ShardSnapshot> saving = shard.save(FIRST.at(SAVED_AT));
            CompletableFuture<ShardSnapshot> savingOther = shard.save(OTHER.at(SAVED_AT));
            ShardSnapshot one = saving.join();
            ShardSnapshot other = savingOther.join();
            float[][] expected = sample.runTo(chain, SAVED_AT, TOKENS, FIRST);
            List<float[]> expectedOther =
                    chain.run(tokens, SAVED_AT, TOKENS, OTHER, List.of()).logits();

            // Each into the other's place, with a third one that is given up on its way.
            CompletableFuture<Void> abandoned = shard.restore(SPARE.at(SAVED_AT), one);
            CompletableFuture<Void> first = shard.restore(OTHER.at(SAVED_AT), one);
            CompletableFuture<Void> second = shard.restore(FIRST.at(SAVED_AT), other);
            abandoned.cancel(true);
            first.join();
            second.join();

            String what = sample.spec().toString();
            requireEqual(expected, sample.runTo(chain, SAVED_AT, TOKENS, OTHER), what);
            requireEqual(
                    expectedOther.toArray(float[][]::new),
                    chain.run(tokens, SAVED_AT, TOKENS, FIRST, List.of()).rows(),
                    what);
            // Refused if anything were still staged for that place.
            shard.restore(SPARE.at(SAVED_AT), one).join();
            requireEqual(expected, sample.runTo(chain, SAVED_AT, TOKENS, SPARE), what);
        }
    }

    private static void requireEqual(float[][] expected, float[][] actual, String what) {
        assertEquals(0, Comparison.worstRelativeL2(expected, actual), what);
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "GEMMA4, 60", "LAGUNA, 1"})
    void aSnapshotThatDoesNotFitIsRefusedAndChangesNothing(Family family, long seed)
            throws Exception {
        Sample sample = Sample.of(family, seed);
        int cut = sample.split().cuts().getLast();
        for (List<String> devices : List.of(List.of(HERE, HERE), List.of(THERE, THERE))) {
            float[][] expected;
            try (ShardChain chain = sample.load(devices, cut)) {
                sample.runTo(chain, 0, SAVED_AT, FIRST);
                List<SnapshotTensor> tensors = chain.save(FIRST, SAVED_AT);
                expected = sample.runTo(chain, SAVED_AT, TOKENS, FIRST);
                sample.runTo(chain, 0, SAVED_AT, FIRST);
                for (Shard shard : chain.shards()) {
                    ShardSnapshot fitting = ShardChain.part(shard.range(), SAVED_AT, tensors);
                    broken(fitting)
                            .forEach(
                                    (what, snapshot) ->
                                            requireRefused(shard, snapshot, devices + ": " + what));
                }

                assertEquals(
                        0,
                        Comparison.worstRelativeL2(
                                expected, sample.runTo(chain, SAVED_AT, TOKENS, FIRST)),
                        sample.spec() + " on " + devices);
            }
        }
    }

    private static void requireRefused(Shard shard, ShardSnapshot snapshot, String what) {
        CompletionException failure =
                assertThrows(
                        CompletionException.class,
                        () -> shard.restore(FIRST.at(SAVED_AT), snapshot).join(),
                        what);
        VarveException reason = (VarveException) failure.getCause();
        assertEquals(
                VarveException.Kind.INVALID_REQUEST,
                reason.kind(),
                () -> what + ": " + reason.getMessage());
    }

    /** Snapshots that differ from a fitting one in one thing; all bytes of others are zero. */
    private static Map<String, ShardSnapshot> broken(ShardSnapshot fitting) {
        Map<String, ShardSnapshot> broken = new TreeMap<>();
        List<SnapshotTensor> tensors = fitting.tensors();
        SnapshotTensor last = tensors.getLast();
        List<SnapshotTensor> others = tensors.subList(0, tensors.size() - 1);
        broken.put("one is missing", snapshot(others));
        broken.put("one twice", snapshot(tensors, last));
        broken.put("foreign name", snapshot(tensors, zero("k.999", last.type(), last.length(), 1)));
        broken.put(
                "renamed", snapshot(others, zero("x.1", last.type(), last.length(), last.rows())));
        broken.put(
                "other type",
                snapshot(others, zero(last.name(), GgmlType.BF16, last.length(), last.rows())));
        broken.put(
                "longer rows",
                snapshot(others, zero(last.name(), last.type(), 2 * last.length(), last.rows())));
        broken.put(
                "more rows",
                snapshot(others, zero(last.name(), last.type(), last.length(), last.rows() + 1)));
        broken.put("other position", new ShardSnapshot(SAVED_AT - 1, tensors));
        broken.put("nothing", snapshot(List.of()));
        return broken;
    }

    private static ShardSnapshot snapshot(List<SnapshotTensor> tensors, SnapshotTensor... more) {
        List<SnapshotTensor> all = new ArrayList<>(tensors);
        all.addAll(List.of(more));
        return new ShardSnapshot(SAVED_AT, all);
    }

    private static SnapshotTensor zero(String name, GgmlType type, long length, int rows) {
        return new SnapshotTensor(
                name, type, length, rows, new byte[Math.toIntExact(rows * type.rowBytes(length))]);
    }

    @Test
    void aKillDuringASnapshotLosesNothingThatWasSaved() throws Exception {
        Sample sample = Sample.of(Family.LAGUNA, 1);
        FragileLink link = new FragileLink(program.child("snapshot"));
        SplitModel split =
                new SplitModel(
                        sample.split().file(),
                        sample.split().adapter(),
                        BoundaryType.F32,
                        device -> link);
        try (ShardChain chain = ShardChain.load(split, Cpu.F16, List.of(THERE))) {
            Shard shard = chain.shards().getFirst();
            sample.runTo(chain, 0, SAVED_AT, FIRST);
            ShardSnapshot saved = shard.save(FIRST.at(SAVED_AT)).join();
            float[][] expected = sample.runTo(chain, SAVED_AT, TOKENS, FIRST);
            shard.restore(FIRST.at(SAVED_AT), saved).join();

            for (int kill = 0; kill < KILLS; kill++) {
                CompletableFuture<?> transfer =
                        kill % 2 == 0
                                ? shard.save(FIRST.at(SAVED_AT))
                                : shard.restore(OTHER.at(SAVED_AT), saved);
                link.kill();
                requireLostOrDone(transfer);
                // A transfer may be done before the death is noticed.
                awaitRestarts(shard, kill + 1);

                shard.recover().join();
                shard.restore(OTHER.at(SAVED_AT), saved).join();
                assertEquals(
                        0,
                        Comparison.worstRelativeL2(
                                expected, sample.runTo(chain, SAVED_AT, TOKENS, OTHER)),
                        "kill " + kill);
                shard.restore(FIRST.at(SAVED_AT), saved).join();
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

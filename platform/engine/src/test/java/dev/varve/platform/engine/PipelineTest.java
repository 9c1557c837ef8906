package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Tests that batches overlap in shards with separate devices, and keep their order. */
class PipelineTest {
    private static final int LAYERS = 6;
    private static final int CHUNKS = 8;
    private static final Duration TIME = Duration.ofMillis(50);

    private final AtomicInteger together = new AtomicInteger();

    private List<TimedShard> shards(Object firstTurn, Object secondTurn) {
        return List.of(
                new TimedShard(new LayerRange(0, 2), false, firstTurn, TIME, together),
                new TimedShard(new LayerRange(2, LAYERS), true, secondTurn, TIME, together));
    }

    private static Batch batch(int sequence, List<Integer> captures) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                sequence,
                                new int[] {100 + sequence},
                                ChunkPlacement.start(new KvSlotSpan(0, KvSlotSpan.BLOCK), 1),
                                RequestedOutput.BEST)),
                Phase.PREFILL,
                captures);
    }

    private static List<CompletableFuture<ShardResult>> submitAll(ShardPipeline pipeline) {
        return IntStream.range(0, CHUNKS)
                .mapToObj(i -> pipeline.submit(batch(i, List.of())))
                .toList();
    }

    private static List<Long> inOrder() {
        return IntStream.range(0, CHUNKS).mapToObj(i -> (long) i).toList();
    }

    @Test
    void shardsOnSeparateUnitsOverlap() {
        List<TimedShard> shards = shards(new Object(), new Object());
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            List<CompletableFuture<ShardResult>> results = submitAll(pipeline);
            results.forEach(CompletableFuture::join);

            assertEquals(2, mostTogether(shards));
            for (int i = 0; i < CHUNKS; i++) {
                assertEquals(100 + i + LAYERS, results.get(i).join().best()[0], "chunk " + i);
            }
            shards.forEach(shard -> assertEquals(inOrder(), shard.order()));
        }
    }

    @Test
    void shardsOnSeparateProcessorsOverlap() {
        ComputeResource cores = new ComputeResource("cores");
        List<TimedShard> shards = shards(cores.only(Set.of(0, 1)), cores.only(Set.of(2, 3)));
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            submitAll(pipeline).forEach(CompletableFuture::join);

            assertEquals(3, pipeline.depth());
            assertEquals(2, mostTogether(shards));
        }
    }

    /** The first and the second shard share resources only with the third. */
    @Test
    void shardsThatShareProcessorsTakeTurns() {
        ComputeResource cores = new ComputeResource("cores");
        List<TimedShard> shards = new ArrayList<>();
        List<Set<Integer>> processors = List.of(Set.of(0, 1), Set.of(2, 3), Set.of(1, 2));
        for (int i = 0; i < 3; i++) {
            shards.add(
                    new TimedShard(
                            new LayerRange(2 * i, 2 * i + 2),
                            i == 2,
                            cores.only(processors.get(i)),
                            TIME,
                            together));
        }
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            submitAll(pipeline).forEach(CompletableFuture::join);

            assertEquals(1, pipeline.depth());
            assertEquals(1, mostTogether(shards));
        }
    }

    @Test
    void shardsOfOneUnitNeverComputeConcurrently() {
        Object turn = new Object();
        List<TimedShard> shards = shards(turn, turn);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            submitAll(pipeline).forEach(CompletableFuture::join);

            shards.forEach(shard -> assertEquals(1, shard.mostTogether()));
        }
    }

    @Test
    void promptOfEightChunksOverlapsInTheEngine() throws Exception {
        List<TimedShard> shards = shards(new Object(), new Object());
        try (EngineCore engine = engine(shards, 1)) {
            Collected answer = Collected.ask(engine, prompt(CHUNKS * PlannedChunk.WINDOW, 1), 1);
            answer.await();

            assertEquals(2, mostTogether(shards));
            assertEquals(CHUNKS, shards.getLast().order().size());
        }
    }

    @Test
    void failedBatchDoesNotAffectOthers() {
        List<TimedShard> shards = shards(new Object(), new Object());
        shards.getFirst().failAt(103);
        shards.getLast().failAt(105);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            List<CompletableFuture<ShardResult>> results = submitAll(pipeline);

            for (int i = 0; i < CHUNKS; i++) {
                CompletableFuture<ShardResult> result = results.get(i);
                if (i == 3 || i == 5) {
                    assertThrows(VarveException.class, () -> ShardPipeline.join(result));
                } else {
                    assertEquals(100 + i + LAYERS, result.join().best()[0], "chunk " + i);
                }
            }
        }
    }

    @Test
    void failedChunkEndsItsRequestOnly() throws Exception {
        List<TimedShard> shards = shards(new Object(), new Object());
        shards.getLast().failAt(7);
        // A chunk after a failed one does not match the caches, and is rejected at once.
        shards.getLast().refuseAt(8);
        try (EngineCore engine = engine(shards, 2)) {
            int[] bad = prompt(3 * PlannedChunk.WINDOW, 1);
            bad[PlannedChunk.WINDOW + 9] = 7;
            bad[2 * PlannedChunk.WINDOW + 9] = 8;

            Collected failing = Collected.ask(engine, bad, 2);
            Collected good = Collected.ask(engine, prompt(2 * PlannedChunk.WINDOW, 2), 2);

            ExecutionException failure = assertThrows(ExecutionException.class, failing::await);
            assertEquals(
                    VarveException.Kind.BACKEND_FAILED,
                    ((VarveException) failure.getCause()).kind());
            assertEquals(2, good.await().size());
            assertEquals(2, Collected.ask(engine, prompt(600, 3), 2).await().size());
            assertTrue(engine.drain(Duration.ofSeconds(10)));
            assertEquals(0, PlainEngine.status(engine).slots().running());
        }
    }

    /** Otherwise two bad prompts would end the process. */
    @Test
    void requestWhoseChunksAllFailIsOneFailure() throws Exception {
        List<TimedShard> shards = shards(new Object(), new Object());
        shards.getFirst().failAt(7);
        try (EngineCore engine = engine(shards, 2)) {
            for (int i = 0; i < 6; i++) {
                Collected failing = Collected.ask(engine, prompt(4 * PlannedChunk.WINDOW, 7), 2);

                assertThrows(ExecutionException.class, failing::await);
            }
            assertEquals(2, Collected.ask(engine, prompt(600, 3), 2).await().size());
        }
    }

    @Test
    void featuresOfAllShardsAreMerged() {
        List<TimedShard> shards = shards(new Object(), new Object());
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            List<Integer> captures = IntStream.rangeClosed(0, LAYERS).boxed().toList();

            ShardResult result = pipeline.forward(batch(0, captures));

            assertEquals(captures, result.features().stream().map(CapturedFeature::layer).toList());
        }
    }

    /** A shard that returns the indexes of its layers as scores of every query. */
    private static final class ScoringShard extends FakeShard {
        ScoringShard(LayerRange range) {
            super(range, "scoring:" + range.begin(), new Object());
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            List<PageScores> scores = new ArrayList<>();
            for (int query = 0; query < batch.queries().size(); query++) {
                for (int layer = range().begin(); layer < range().end(); layer++) {
                    scores.add(new PageScores(query, layer, new float[] {layer}));
                }
            }
            return CompletableFuture.completedFuture(
                    new ShardResult(
                            new float[0],
                            new int[1],
                            0,
                            Optional.of(new HostActivations(new float[1], 1)),
                            List.of(),
                            scores));
        }

        @Override
        public ShardMemory memory() {
            int unit = range().end();
            return new ShardMemory(unit, 10 * unit, 100 * unit, 1000 * unit, 10_000 * unit);
        }
    }

    @Test
    void scoresOfAllShardsAreMergedInLayerOrder() {
        List<ScoringShard> shards =
                List.of(
                        new ScoringShard(new LayerRange(0, 2)),
                        new ScoringShard(new LayerRange(2, LAYERS)));
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            Batch plain = batch(0, List.of());
            PageQuery query = new PageQuery(0, List.of(new PageQuery.PagePlace(1, 0)));
            Batch asking =
                    new Batch(
                            CacheChanges.NONE,
                            plain.chunks(),
                            Phase.DECODE,
                            List.of(),
                            List.of(query, query));

            ShardResult result = pipeline.forward(asking);

            for (int number = 0; number < 2; number++) {
                assertEquals(
                        List.of(0, 1, 2, 3, 4, 5),
                        result.scoresOf(number).stream().map(PageScores::layer).toList());
            }
            assertEquals(List.of(), pipeline.forward(plain).scores());
        }
    }

    @Test
    void memoryIsTheSumOverShardsOnDevicesAndHost() {
        List<ScoringShard> shards =
                List.of(
                        new ScoringShard(new LayerRange(0, 2)),
                        new ScoringShard(new LayerRange(2, LAYERS)));
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            assertEquals(new ShardMemory(8, 80, 800, 8000, 80_000), pipeline.memory());
        }
    }

    @Test
    void missingFeaturesAreNamed() {
        List<TimedShard> shards = shards(new Object(), new Object());
        shards.getFirst().offerNot(2);
        shards.getLast().offerNot(LAYERS);
        try (ShardPipeline pipeline = new ShardPipeline(shards)) {
            FeaturesNotCapturedException failure =
                    assertThrows(
                            FeaturesNotCapturedException.class,
                            () -> pipeline.forward(batch(0, List.of(1, 2, 3, LAYERS))));

            assertEquals(List.of(2, LAYERS), failure.layers());
            assertTrue(
                    failure.getMessage().contains(List.of(2, LAYERS).toString()),
                    failure.getMessage());
        }
    }

    private static int mostTogether(List<TimedShard> shards) {
        return shards.stream().mapToInt(TimedShard::mostTogether).max().orElseThrow();
    }

    private static int[] prompt(int length, int token) {
        int[] prompt = new int[length];
        Arrays.fill(prompt, token);
        return prompt;
    }

    private static EngineCore engine(List<TimedShard> shards, int parallel) {
        int context = 2 * CHUNKS * PlannedChunk.WINDOW;
        ModelShape shape =
                new ModelShape(
                        "timed",
                        new ModelShape.Sizes(1, 1000, context),
                        Collections.nCopies(LAYERS, new LayerState.FullAttention(1, 1, 1)),
                        0);
        return EngineCore.start(
                new ShardPipeline(shards),
                shape,
                new EngineOptions(
                        EngineOptions.Capacity.of(
                                context, parallel, KvSlotSpan.roundUp(context) * parallel),
                        8));
    }
}

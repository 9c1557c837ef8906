package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

/** Tests that prefill and decode share batches without an effect on each other's tokens. */
@Timeout(60)
class MixedBatchTest {
    private static final int CONTEXT = 4 * KvSlotSpan.BLOCK;
    private static final int COUNT = 40;
    private static final PlainModel MODEL = PlainModel.attentionOnly(2, CONTEXT);

    /** Prompt lengths: of a stream, and of two requests beside it. */
    private static final int[] LENGTHS = {5, 300, 90};

    /** A shard that records its batches, and fails the first shared one. */
    private static final class Watched extends PlainShard {
        private final List<Batch> batches = new CopyOnWriteArrayList<>();
        private int failures;

        Watched(EngineOptions options, int failures) {
            super(
                    MODEL,
                    MODEL.shape().allLayers(),
                    new Sizes(
                            options.capacity().caches().slots(),
                            options.capacity().caches().stateRows()));
            this.failures = failures;
        }

        @Override
        protected void beforeBatch(Batch batch) {
            batches.add(batch);
            if (isMixed(batch) && failures > 0) {
                failures--;
                throw new VarveException(VarveException.Kind.BACKEND_FAILED, "not together");
            }
        }

        private static boolean isMixed(Batch batch) {
            long rows =
                    batch.chunks().stream()
                            .filter(each -> each.kind() == ChunkComputeMode.ROWS)
                            .count();
            return rows > 0 && rows < batch.chunks().size();
        }

        long mixed() {
            return batches.stream().filter(Watched::isMixed).count();
        }
    }

    private static List<int[]> prompts() {
        Random random = new Random(9);
        List<int[]> prompts = new ArrayList<>();
        for (int length : LENGTHS) {
            prompts.add(random.ints(length, 0, MODEL.shape().vocabularySize()).toArray());
        }
        return prompts;
    }

    private static EngineOptions options() {
        return new EngineOptions(EngineOptions.Capacity.of(CONTEXT, 3, 3 * CONTEXT), 8);
    }

    private static List<List<Integer>> together(Watched shard, EngineOptions options)
            throws Exception {
        List<Engine.NewRequest> submissions = new ArrayList<>();
        List<Collected> collected = new ArrayList<>();
        for (int[] prompt : prompts()) {
            collected.add(new Collected());
            submissions.add(
                    new Engine.NewRequest(
                            Collected.request(prompt, 0, COUNT), collected.getLast()));
        }
        List<List<Integer>> answers = new ArrayList<>();
        try (EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), options)) {
            engine.submit(submissions);
            for (Collected each : collected) {
                answers.add(each.await());
            }
        }
        return answers;
    }

    private static List<List<Integer>> alone() throws Exception {
        List<List<Integer>> answers = new ArrayList<>();
        for (int[] prompt : prompts()) {
            try (EngineCore engine =
                    EngineCore.start(
                            new ShardPipeline(List.of(new Watched(options(), 0))),
                            MODEL.shape(),
                            options())) {
                answers.add(Collected.ask(engine, prompt, COUNT).await());
            }
        }
        return answers;
    }

    @Test
    void promptsShareBatchesWithAStreamAndChangeNoToken() throws Exception {
        Watched shard = new Watched(options(), 0);

        List<List<Integer>> answers = together(shard, options());

        assertEquals(alone(), answers);
        assertTrue(shard.mixed() > 0, "no batch was shared");
    }

    /** The shortest gap has room only for the smallest pieces. */
    @Test
    void smallTimeBudgetGivesSmallPieces() throws Exception {
        EngineOptions hurried =
                options().withPace(new EngineOptions.PrefillScheduling(Duration.ofNanos(1), true));
        Watched shard = new Watched(hurried, 0);

        List<List<Integer>> answers = together(shard, hurried);

        assertEquals(alone(), answers);
        assertTrue(
                shard.batches.stream()
                        .filter(Watched::isMixed)
                        .allMatch(batch -> batch.tokens() < 3 + 2 * PlannedChunk.PIECE),
                "pieces are larger than they need be");
    }

    @Test
    void noBatchIsMixedWhereSharingIsDisabled() throws Exception {
        EngineOptions apart =
                options()
                        .withPace(
                                new EngineOptions.PrefillScheduling(Duration.ofMillis(150), false));
        Watched shard = new Watched(apart, 0);

        List<List<Integer>> answers = together(shard, apart);

        assertEquals(alone(), answers);
        assertEquals(0, shard.mixed());
    }

    /** Each of the requests may be the cause, so each runs alone. */
    @Test
    void requestsOfAFailedMixedBatchAreRetriedSeparately() throws Exception {
        Watched shard = new Watched(options(), 1);

        List<List<Integer>> answers = together(shard, options());

        assertEquals(alone(), answers);
    }

    /**
     * Alone the remainder is a window of less than a tile, with another attention path than the
     * abandoned one.
     */
    @Test
    void shortPromptBehindAPieceIsNoPiece() throws Exception {
        EngineOptions hurried =
                options().withPace(new EngineOptions.PrefillScheduling(Duration.ofNanos(1), true));
        Watched shard = new Watched(hurried, 0);
        int[] longPrompt = prompts().get(1);
        int[] shortPrompt = Arrays.copyOf(longPrompt, 50);
        Arrays.fill(shortPrompt, 32, 50, 1);
        CompletableFuture<GenerationHandle> given = new CompletableFuture<>();
        Collected stopped =
                new Collected() {
                    @Override
                    public void onPrefill(int done, int total) {
                        if (done == 32) {
                            given.join().cancel();
                        }
                    }
                };
        try (EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), hurried)) {
            Collected stream = Collected.ask(engine, prompts().getFirst(), 500);
            given.complete(engine.submit(Collected.request(longPrompt, 0, 1), stopped));
            assertThrows(ExecutionException.class, stopped::end);

            GenerationEnd end = Collected.ask(engine, shortPrompt, 1).end();

            assertEquals(32, end.tokens().cached());
            stream.end();
        }
        List<SequenceChunk> chunks =
                shard.batches.stream()
                        .flatMap(batch -> batch.chunks().stream())
                        .filter(chunk -> chunk.firstPosition() == 32)
                        .filter(chunk -> chunk.tokens().length == 18)
                        .toList();
        assertEquals(
                List.of(ChunkComputeMode.CHUNK),
                chunks.stream().map(SequenceChunk::kind).distinct().toList());
    }
}

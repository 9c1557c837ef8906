package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.sampling.AdvancedSampling;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SequenceBreakers;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Tests that draft tokens change only the number of forward passes of a response. */
@Timeout(120)
class SpeculationTest {
    private static final int CONTEXT = 4 * KvSlotSpan.BLOCK;
    private static final int COUNT = 60;
    private static final int MOST = 7;
    private static final int PARALLEL = 3;
    private static final int BLOCKS = 12;

    /** Models whose state can be rolled back, and models whose state cannot. */
    private enum Kind {
        ATTENTION(PlainModel.attentionOnly(3, CONTEXT)),
        MIXED(PlainModel.mixed(CONTEXT));

        final PlainModel model;

        Kind(PlainModel model) {
            this.model = model;
        }

        int vocabulary() {
            return model.shape().vocabularySize();
        }
    }

    /** Quality of the draft tokens. */
    private enum Proposals {
        RIGHT(depth -> 0),
        WRONG(depth -> 1),
        RIGHT_ONCE(depth -> depth < 1 ? 0 : 1),
        RIGHT_FOR_A_WHILE(depth -> depth < 4 ? 0 : 3),
        NOW_AND_THEN_RIGHT(new Random(5), 3);

        final IntUnaryOperator error;

        Proposals(IntUnaryOperator error) {
            this.error = error;
        }

        Proposals(Random random, int of) {
            this(depth -> random.nextInt(of) == 0 ? 1 : 0);
        }
    }

    /** A shard that is lost in the middle of a batch, and returns at once with empty caches. */
    private static final class FragileShard extends PlainShard {
        private final int slots;
        private int batches;
        private int losesAt = Integer.MAX_VALUE;

        FragileShard(PlainModel model, LayerRange range, Sizes sizes) {
            super(model, range, sizes);
            slots = sizes.slots();
        }

        synchronized void loseAfter(int more) {
            losesAt = batches + more;
        }

        @Override
        protected synchronized void beforeBatch(Batch batch) {
            if (batches++ == losesAt) {
                lose("test");
                comeBack();
            }
        }
    }

    private static EngineOptions options(int blocks) {
        return new EngineOptions(
                new EngineOptions.Capacity(
                        CONTEXT,
                        PARALLEL,
                        new KvCacheConfig(
                                blocks * KvSlotSpan.BLOCK,
                                EngineOptions.Capacity.rowsFor(PARALLEL),
                                new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                64);
    }

    private static List<FragileShard> shards(Kind kind, int blocks, int stages, boolean captures) {
        PlainShard.Sizes plain = PlainEngine.sizes(options(blocks));
        PlainShard.Sizes sizes =
                new PlainShard.Sizes(
                        plain.slots(),
                        plain.stateRows(),
                        captures ? all(kind) : List.of(),
                        plain.rollbackBuffers());
        return PlainEngine.ranges(kind.model, stages).stream()
                .map(range -> new FragileShard(kind.model, range, sizes))
                .toList();
    }

    private static List<Integer> all(Kind kind) {
        return IntStream.rangeClosed(0, kind.model.shape().layerCount()).boxed().toList();
    }

    private static EngineCore plain(Kind kind) {
        return PlainEngine.start(kind.model, options(BLOCKS), 1);
    }

    private static EngineCore engine(
            Kind kind, List<FragileShard> shards, Speculator speculator, OptionalInt width) {
        int blocks = shards.getFirst().slots / KvSlotSpan.BLOCK;
        return EngineCore.start(
                new ShardPipeline(shards),
                kind.model.shape(),
                options(blocks),
                Optional.of(new SpeculationOptions(speculator, MOST, width)));
    }

    private static EngineCore engine(Kind kind, Speculator speculator) {
        return engine(kind, shards(kind, BLOCKS, 1, false), speculator, OptionalInt.of(MOST));
    }

    /** Returns prompts of which none is a prefix of another one. */
    private static List<int[]> prompts(Kind kind) {
        Random random = new Random(3);
        return IntStream.range(0, PARALLEL)
                .mapToObj(i -> random.ints(20 + 7 * i, 0, kind.vocabulary()).toArray())
                .toList();
    }

    private static GenerationRequest request(int[] prompt, SamplingOptions sampling) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt),
                new GenerationRequest.Ending(COUNT, Set.of()),
                GenerationRequest.Choice.of(sampling));
    }

    private static List<Collected> ask(
            EngineCore engine, List<int[]> prompts, SamplingOptions sampling) {
        List<Collected> collected = prompts.stream().map(prompt -> new Collected()).toList();
        engine.submit(
                IntStream.range(0, prompts.size())
                        .mapToObj(
                                i ->
                                        new Engine.NewRequest(
                                                request(prompts.get(i), sampling),
                                                collected.get(i)))
                        .toList());
        return collected;
    }

    private static List<List<Integer>> answers(List<Collected> collected) throws Exception {
        List<List<Integer>> answers = new ArrayList<>();
        for (Collected each : collected) {
            answers.add(each.await());
        }
        return answers;
    }

    private static List<List<Integer>> plainAnswers(Kind kind, SamplingOptions sampling)
            throws Exception {
        try (EngineCore engine = plain(kind)) {
            return answers(ask(engine, prompts(kind), sampling));
        }
    }

    private static List<int[]> texts(List<int[]> prompts, List<List<Integer>> answers) {
        return IntStream.range(0, prompts.size())
                .mapToObj(
                        i ->
                                PlainEngine.join(
                                        prompts.get(i),
                                        answers.get(i).stream()
                                                .mapToInt(Integer::intValue)
                                                .toArray()))
                .toList();
    }

    private static ScriptedSpeculator scripted(
            Kind kind, List<List<Integer>> answers, IntUnaryOperator error) {
        return new ScriptedSpeculator(
                texts(prompts(kind), answers), MOST, error, kind.vocabulary(), List.of());
    }

    /** Returns options whose choices depend on all earlier ones: mirostat and DRY. */
    private static SamplingOptions withState() {
        return sampled()
                .with(
                        new AdvancedSampling(
                                -1,
                                1,
                                AdvancedSampling.Xtc.OFF,
                                new AdvancedSampling.Dry(1, 1.5f, 1, -1, SequenceBreakers.NONE),
                                new AdvancedSampling.Mirostat(2, 2, 0.5f),
                                AdvancedSampling.EndDelay.NONE));
    }

    private static SamplingOptions sampled() {
        return SamplingOptions.greedy().atTemperature(0.9f).seededWith(11);
    }

    @ParameterizedTest
    @EnumSource(Proposals.class)
    @ByDay({1, 3})
    void draftTokensDoNotChangeTheOutput(Proposals guesses) throws Exception {
        for (Kind kind : Kind.values()) {
            for (SamplingOptions sampling :
                    List.of(SamplingOptions.greedy(), sampled(), withState())) {
                List<List<Integer>> plain = plainAnswers(kind, sampling);
                for (int stages = 1; stages <= 3; stages++) {
                    for (OptionalInt width :
                            List.of(
                                    OptionalInt.of(1),
                                    OptionalInt.of(3),
                                    OptionalInt.of(MOST),
                                    OptionalInt.empty())) {
                        List<FragileShard> shards = shards(kind, BLOCKS, stages, false);
                        Speculator speculator = scripted(kind, plain, guesses.error);
                        try (EngineCore engine = engine(kind, shards, speculator, width)) {
                            assertEquals(
                                    plain,
                                    answers(ask(engine, prompts(kind), sampling)),
                                    () -> kind + " " + shards.size() + " " + width);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void acceptedDraftTokensSaveForwardsAndAreCounted(Kind kind) throws Exception {
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        ScriptedSpeculator speculator = scripted(kind, plain, Proposals.RIGHT.error);

        try (EngineCore engine = engine(kind, speculator)) {
            List<Collected> asked = ask(engine, prompts(kind), SamplingOptions.greedy());

            for (Collected each : asked) {
                GenerationEnd.Speculation figures = each.end().speculation();
                assertEquals(figures.drafted(), figures.accepted());
                assertEquals(COUNT - 1, figures.accepted() + figures.verifySteps());
                assertEquals(8, figures.verifySteps(), "steps of up to " + (MOST + 1));
                assertEquals((COUNT - 1) / 8.0, figures.acceptanceLength(), 1e-9);
            }
        }
        assertTrue(speculator.isClosed(), "the engine closes what guesses");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void rejectedDraftTokensAreCounted(Kind kind) throws Exception {
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());

        try (EngineCore engine = engine(kind, scripted(kind, plain, Proposals.WRONG.error))) {
            for (Collected each : ask(engine, prompts(kind), SamplingOptions.greedy())) {
                GenerationEnd.Speculation figures = each.end().speculation();
                assertEquals(0, figures.accepted());
                assertEquals(COUNT - 2, figures.verifySteps(), "the last token needs no guess");
                assertEquals(1, figures.acceptanceLength());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void requestWithoutDraftsGetsNone(Kind kind) throws Exception {
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        ScriptedSpeculator speculator = scripted(kind, plain, Proposals.RIGHT.error);

        try (EngineCore engine = engine(kind, speculator)) {
            Collected none = new Collected();
            Collected two = new Collected();
            int[] prompt = prompts(kind).getFirst();
            engine.submit(request(prompt, SamplingOptions.greedy()).drafting(0), none);

            assertEquals(plain.getFirst(), none.await());
            assertEquals(GenerationEnd.Speculation.NONE, none.end().speculation());
            assertEquals(0, speculator.proposals());

            engine.submit(request(prompt, SamplingOptions.greedy()).drafting(2), two);

            assertEquals(plain.getFirst(), two.await());
            assertEquals(3, two.end().speculation().acceptanceLength(), 0.1);
        }
    }

    /** A rejected draft token is neither returned nor kept for the next turn. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void conversationContinuesBehindRejectedDraftTokens(Kind kind) throws Exception {
        int[] prompt = prompts(kind).getFirst();
        List<Integer> first;
        List<Integer> second;
        try (EngineCore engine = plain(kind)) {
            first = Collected.ask(engine, prompt, 20).await();
            second = Collected.ask(engine, turn(prompt, first), 20).await();
        }
        List<int[]> texts =
                List.of(
                        PlainEngine.join(prompt, ints(first)),
                        PlainEngine.join(turn(prompt, first), ints(second)));
        ScriptedSpeculator speculator =
                new ScriptedSpeculator(
                        texts, MOST, Proposals.RIGHT_ONCE.error, kind.vocabulary(), List.of());

        try (EngineCore engine = engine(kind, speculator)) {
            List<Integer> answer = Collected.ask(engine, prompt, 20).await();
            List<Integer> next = Collected.ask(engine, turn(prompt, answer), 20).await();

            assertEquals(first, answer);
            assertEquals(second, next);
            assertTrue(
                    PlainEngine.status(engine).counts().tokens().cachedPrompt() > 0,
                    "nothing was kept");
        }
    }

    private static int[] ints(List<Integer> tokens) {
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    private static int[] turn(int[] prompt, List<Integer> answer) {
        return PlainEngine.join(PlainEngine.join(prompt, ints(answer)), new int[] {1, 2, 3});
    }

    /** Three sequences fill the pool; it has no slots for draft tokens. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void draftTokensEvictNothing(Kind kind) throws Exception {
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        List<FragileShard> shards = shards(kind, CONTEXT / KvSlotSpan.BLOCK, 1, false);
        Speculator speculator = scripted(kind, plain, Proposals.RIGHT.error);

        try (EngineCore engine = engine(kind, shards, speculator, OptionalInt.of(MOST))) {
            assertEquals(plain, answers(ask(engine, prompts(kind), SamplingOptions.greedy())));
            assertEquals(0, PlainEngine.status(engine).counts().preemptions());
        }
    }

    /** Requeued sequences get draft tokens again, and continue with the same tokens. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aLostShardChangesNoToken(Kind kind) throws Exception {
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled(), withState())) {
            List<List<Integer>> plain = plainAnswers(kind, sampling);
            List<FragileShard> shards = shards(kind, BLOCKS, 2, false);
            Speculator speculator = scripted(kind, plain, Proposals.RIGHT_FOR_A_WHILE.error);
            try (EngineCore engine = engine(kind, shards, speculator, OptionalInt.of(MOST))) {
                for (int batch = 6; batch < 26; batch += 5) {
                    shards.get(batch % 2).loseAfter(batch);
                    List<Collected> asked = ask(engine, prompts(kind), sampling);

                    assertEquals(plain, answers(asked), "lost in batch " + batch);
                }
            }
        }
    }

    /** The speculator gets the features of every accepted token, and of no other. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void hiddenStatesAreThoseOfAcceptedTokens(Kind kind) throws Exception {
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        List<int[]> texts = texts(prompts(kind), plain);
        for (int stages = 1; stages <= 3; stages++) {
            ScriptedSpeculator speculator =
                    new ScriptedSpeculator(
                            texts, MOST, Proposals.RIGHT_ONCE.error, kind.vocabulary(), all(kind));
            List<FragileShard> shards = shards(kind, BLOCKS, stages, true);
            try (EngineCore engine = engine(kind, shards, speculator, OptionalInt.of(MOST))) {
                answers(ask(engine, prompts(kind), SamplingOptions.greedy()));
                Await.until("all are forgotten", () -> speculator.seen().size() == PARALLEL);
            }

            for (Map<Integer, List<Float>> seen : speculator.seen()) {
                int[] text =
                        texts.stream()
                                .filter(each -> states(kind, each).equals(first(seen, each)))
                                .findFirst()
                                .orElseThrow(() -> new AssertionError("states of no text"));
                int missing = text.length - seen.size();
                assertTrue(missing == 1 || missing == 2, missing + " tokens were not seen");
            }
        }
    }

    /** The last tokens are chosen and never computed. */
    private static List<List<Float>> first(Map<Integer, List<Float>> seen, int[] text) {
        return IntStream.range(0, text.length - 2)
                .mapToObj(position -> seen.getOrDefault(position, List.of()))
                .toList();
    }

    private static List<List<Float>> states(Kind kind, int[] text) {
        int layers = kind.model.shape().layerCount();
        KvSlotSpan span = new KvSlotSpan(0, CONTEXT);
        PlainShard.Sizes sizes =
                new PlainShard.Sizes(CONTEXT, 2, all(kind), RollbackBufferSizes.NONE);
        try (PlainShard shard = new PlainShard(kind.model, new LayerRange(0, layers), sizes)) {
            SequenceChunk chunk =
                    new SequenceChunk(0, text, ChunkPlacement.start(span, 1), RequestedOutput.NONE);
            Batch batch = new Batch(List.of(chunk), Phase.PREFILL, all(kind));
            List<CapturedFeature> features =
                    shard.forward(batch, Optional.empty()).join().features();
            return IntStream.range(0, text.length - 2)
                    .mapToObj(position -> state(features, position))
                    .toList();
        }
    }

    private static List<Float> state(List<CapturedFeature> features, int position) {
        List<Float> values = new ArrayList<>();
        for (CapturedFeature feature : features) {
            for (int i = 0; i < ScriptedSpeculator.WIDTH; i++) {
                values.add(feature.values()[position * ScriptedSpeculator.WIDTH + i]);
            }
        }
        return values;
    }

    @Test
    void failingSpeculatorIsDisabled() throws Exception {
        List<List<Integer>> plain = plainAnswers(Kind.MIXED, SamplingOptions.greedy());
        Speculator failing =
                new Speculator() {
                    private int calls;

                    @Override
                    public int mostTokens() {
                        return MOST;
                    }

                    @Override
                    public List<Draft> propose(List<DraftRequest> sequences) {
                        if (calls++ > 5) {
                            throw new IllegalStateException("out of guesses");
                        }
                        return sequences.stream().map(each -> Draft.of(1, 2)).toList();
                    }

                    @Override
                    public void forget(long sequence) {
                        // This speculator keeps no state per sequence.
                    }

                    @Override
                    public void close() {
                        throw new IllegalStateException("cannot even be closed");
                    }
                };

        try (EngineCore engine = engine(Kind.MIXED, failing)) {
            assertEquals(
                    plain, answers(ask(engine, prompts(Kind.MIXED), SamplingOptions.greedy())));
        }
    }
}

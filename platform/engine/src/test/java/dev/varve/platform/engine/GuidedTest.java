package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Tests that forbidden tokens never occur and forced ones do, however the tokens are computed. */
@Timeout(120)
class GuidedTest {
    private static final int CONTEXT = 4 * KvSlotSpan.BLOCK;
    private static final int COUNT = 120;
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

    /** A shard that is lost in the middle of a batch, and returns at once with empty caches. */
    private static final class FragileShard extends PlainShard {
        private int batches;
        private int losesAt = Integer.MAX_VALUE;

        FragileShard(PlainModel model, LayerRange range, Sizes sizes) {
            super(model, range, sizes);
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

    private static List<FragileShard> shards(Kind kind, int blocks, int stages) {
        PlainShard.Sizes sizes = PlainEngine.sizes(options(blocks));
        return PlainEngine.ranges(kind.model, stages).stream()
                .map(range -> new FragileShard(kind.model, range, sizes))
                .toList();
    }

    private static EngineCore engine(
            Kind kind,
            List<FragileShard> shards,
            int blocks,
            Optional<SpeculationOptions> speculation) {
        return EngineCore.start(
                new ShardPipeline(shards), kind.model.shape(), options(blocks), speculation);
    }

    private static EngineCore plain(Kind kind, int blocks) {
        return engine(kind, shards(kind, blocks, 1), blocks, Optional.empty());
    }

    private static List<int[]> prompts(Kind kind) {
        Random random = new Random(3);
        return IntStream.range(0, PARALLEL)
                .mapToObj(i -> random.ints(20 + 7 * i, 0, kind.vocabulary()).toArray())
                .toList();
    }

    /** Returns one constraint per request. */
    private static List<ScriptedGuide> guides(Kind kind) {
        return IntStream.range(0, PARALLEL)
                .mapToObj(i -> ScriptedGuide.of(17 + i, COUNT, kind.vocabulary()))
                .toList();
    }

    private static List<ScriptedGuide> silent(Kind kind) {
        return guides(kind).stream().map(ScriptedGuide::silent).toList();
    }

    private static GenerationRequest request(
            int[] prompt, SamplingOptions sampling, TokenConstraint constraint) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt),
                new GenerationRequest.Ending(COUNT, Set.of()),
                new GenerationRequest.Choice(sampling, OptionalInt.empty(), constraint));
    }

    private static List<Collected> ask(
            EngineCore engine,
            Kind kind,
            SamplingOptions sampling,
            List<? extends TokenConstraint> guides) {
        List<Collected> collected = guides.stream().map(guide -> new Collected()).toList();
        engine.submit(
                IntStream.range(0, guides.size())
                        .mapToObj(
                                i ->
                                        new Engine.NewRequest(
                                                request(
                                                        prompts(kind).get(i),
                                                        sampling,
                                                        guides.get(i)),
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

    /** Returns the responses of an engine that computes one token at a time. */
    private static List<List<Integer>> plainAnswers(Kind kind, SamplingOptions sampling)
            throws Exception {
        try (EngineCore engine = plain(kind, BLOCKS)) {
            return answers(ask(engine, kind, sampling, silent(kind)));
        }
    }

    private static int[] ints(List<Integer> tokens) {
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    private static SamplingOptions sampled() {
        return SamplingOptions.greedy().atTemperature(0.9f).seededWith(11);
    }

    private static ScriptedSpeculator speculator(
            Kind kind, List<List<Integer>> answers, int rightOnes) {
        List<int[]> texts =
                IntStream.range(0, answers.size())
                        .mapToObj(i -> PlainEngine.join(prompts(kind).get(i), ints(answers.get(i))))
                        .toList();
        return new ScriptedSpeculator(
                texts, MOST, depth -> depth < rightOnes ? 0 : 1, kind.vocabulary(), List.of());
    }

    private static SpeculationOptions guessing(ScriptedSpeculator speculator) {
        return new SpeculationOptions(speculator, MOST, OptionalInt.of(MOST));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void forbiddenTokensAreNeverSampled(Kind kind) throws Exception {
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled())) {
            List<List<Integer>> plain = plainAnswers(kind, sampling);

            for (int i = 0; i < PARALLEL; i++) {
                List<Integer> answer = plain.get(i);
                assertEquals(COUNT, answer.size());
                assertTrue(guides(kind).get(i).accepts(ints(answer)), () -> "answer " + answer);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void forcedTokensAndDraftTokensDoNotChangeTheOutput(Kind kind) throws Exception {
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled())) {
            List<List<Integer>> plain = plainAnswers(kind, sampling);
            for (int stages = 1; stages <= 2; stages++) {
                for (int right : new int[] {-1, 0, 2, MOST}) {
                    Optional<SpeculationOptions> speculation =
                            right < 0
                                    ? Optional.empty()
                                    : Optional.of(guessing(speculator(kind, plain, right)));
                    String what = sampling + ", " + stages + " stages, " + right + " right";
                    try (EngineCore engine =
                            engine(kind, shards(kind, BLOCKS, stages), BLOCKS, speculation)) {
                        List<Collected> told = ask(engine, kind, sampling, guides(kind));
                        assertEquals(plain, answers(told), what);
                        List<Collected> untold = ask(engine, kind, sampling, silent(kind));
                        assertEquals(plain, answers(untold), what + ", one at a time");
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void forcedTokensAreComputedTogether(Kind kind) throws Exception {
        int[] wanted = new Random(5).ints(COUNT, 0, kind.vocabulary()).toArray();
        ScriptedGuide guide = ScriptedGuide.forcing(wanted, kind.vocabulary());
        try (EngineCore engine = plain(kind, BLOCKS)) {
            Collected answer = new Collected();

            engine.submit(
                    request(prompts(kind).getFirst(), SamplingOptions.greedy(), guide), answer);

            assertEquals(IntStream.of(wanted).boxed().toList(), answer.await());
            assertEquals(GenerationEnd.Speculation.NONE, answer.end().speculation());
            int group = 1 + DecodeScheduler.MOST_FORCED;
            long steps = 1 + Math.ceilDiv(COUNT - 1, group);
            assertTrue(
                    PlainEngine.status(engine).counts().steps() <= steps + 1,
                    engine.status()::toString);
        }
    }

    /** A draft token that the constraint forbids is not verified. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void forbiddenDraftTokensAreNotVerified(Kind kind) throws Exception {
        List<ScriptedGuide> free = List.of(ScriptedGuide.free(COUNT, kind.vocabulary()));
        List<List<Integer>> plain;
        try (EngineCore engine = plain(kind, BLOCKS)) {
            plain = answers(ask(engine, kind, SamplingOptions.greedy(), free));
        }
        // The third draft token of each draft is odd.
        ScriptedSpeculator speculator = speculator(kind, plain, 2);
        try (EngineCore engine =
                engine(kind, shards(kind, BLOCKS, 1), BLOCKS, Optional.of(guessing(speculator)))) {
            List<Collected> asked =
                    ask(
                            engine,
                            kind,
                            SamplingOptions.greedy(),
                            List.of(ScriptedGuide.free(COUNT, kind.vocabulary())));

            assertEquals(plain, answers(asked));
            GenerationEnd.Speculation figures = asked.getFirst().end().speculation();
            assertTrue(figures.drafted() > 0);
            assertEquals(figures.drafted(), figures.accepted());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void lostShardChangesNoToken(Kind kind) throws Exception {
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled())) {
            List<List<Integer>> plain = plainAnswers(kind, sampling);
            List<FragileShard> shards = shards(kind, BLOCKS, 2);
            SpeculationOptions speculation = guessing(speculator(kind, plain, 2));
            try (EngineCore engine = engine(kind, shards, BLOCKS, Optional.of(speculation))) {
                for (int batch = 4; batch < 34; batch += 3) {
                    shards.get(batch % 2).loseAfter(batch);
                    List<Collected> asked = ask(engine, kind, sampling, guides(kind));

                    assertEquals(plain, answers(asked), "lost in batch " + batch);
                }
            }
        }
    }

    /** The prompts are so long that the responses need more blocks than there are. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void preemptedRequestResumesWithTheSameTokens(Kind kind) throws Exception {
        int[] prompt = PlainEngine.text(1, 2 * KvSlotSpan.BLOCK - 70);
        List<Integer> alone;
        try (EngineCore engine = plain(kind, BLOCKS)) {
            Collected answer = new Collected();
            TokenConstraint constraint = ScriptedGuide.of(9, COUNT, kind.vocabulary()).silent();
            engine.submit(request(prompt, sampled(), constraint), answer);
            alone = answer.await();
        }
        int blocks = 5;
        try (EngineCore engine = plain(kind, blocks)) {
            List<Collected> answers = Stream.generate(Collected::new).limit(PARALLEL).toList();
            engine.submit(
                    answers.stream()
                            .map(
                                    answer ->
                                            new Engine.NewRequest(
                                                    request(
                                                            prompt,
                                                            sampled(),
                                                            ScriptedGuide.of(
                                                                    9, COUNT, kind.vocabulary())),
                                                    answer))
                            .toList());
            for (Collected answer : answers) {
                assertEquals(alone, answer.await());
            }
            long preemptions = PlainEngine.status(engine).counts().preemptions();
            assertTrue(preemptions > 0, "there was too much room");
            assertEquals(
                    preemptions,
                    answers.stream().mapToLong(Collected::preemptions).sum(),
                    "each listener is notified of each preemption of its request");
        }
    }

    /** The remainder of a forced run is computed, but not part of the response. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void conversationContinuesBehindATruncatedForcedRun(Kind kind) throws Exception {
        int[] prompt = prompts(kind).getFirst();
        int[] wanted = new Random(5).ints(COUNT, 0, kind.vocabulary()).toArray();
        for (int heard = 1; heard < 2 * DecodeScheduler.MOST_FORCED; heard += 3) {
            int stop = heard;
            int[] said = IntStream.of(wanted).limit(stop).toArray();
            int[] next = PlainEngine.join(PlainEngine.join(prompt, said), new int[] {1, 2, 3});
            List<Integer> expected;
            try (EngineCore engine = plain(kind, BLOCKS)) {
                expected = Collected.ask(engine, next, 20).await();
            }
            try (EngineCore engine = plain(kind, BLOCKS)) {
                Collected first =
                        new Collected() {
                            private int count;

                            @Override
                            public boolean onToken(GeneratedToken token) {
                                super.onToken(token);
                                return ++count < stop;
                            }
                        };
                ScriptedGuide guide = ScriptedGuide.forcing(wanted, kind.vocabulary());
                engine.submit(request(prompt, SamplingOptions.greedy(), guide), first);

                assertEquals(IntStream.of(said).boxed().toList(), first.await());
                assertEquals(stop, first.end().tokens().generated());
                assertEquals(expected, Collected.ask(engine, next, 20).await());
                // Tokens that were computed ahead are correct too.
                int[] all = PlainEngine.join(prompt, wanted);
                assertEquals(
                        Collected.ask(engine, all, 5).await(),
                        Collected.ask(engine, all, 5).await());
            }
        }
    }

    private enum Fault {
        CERTAIN,
        ALLOWS,
        MASK,
        UNKNOWN_TOKEN,
        EMPTY_MASK
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void failingGuideEndsItsRequestOnly(Fault fault) throws Exception {
        Kind kind = Kind.MIXED;
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        List<TokenConstraint> guides = new ArrayList<>(guides(kind));
        guides.set(1, new FaultyGuide(fault));
        try (EngineCore engine = plain(kind, BLOCKS)) {
            List<Collected> asked = ask(engine, kind, SamplingOptions.greedy(), guides);

            assertThrows(ExecutionException.class, asked.get(1)::await);
            assertEquals(plain.get(0), asked.get(0).await());
            assertEquals(plain.get(2), asked.get(2).await());
        }
    }

    /** A constraint that accepts some tokens before it fails. */
    private static final class FaultyGuide implements TokenConstraint {
        private final Fault fault;
        private int tokens;

        FaultyGuide(Fault fault) {
            this.fault = fault;
        }

        private boolean failsAs(Fault kind) {
            return tokens >= 5 && fault == kind;
        }

        private void failAs(Fault kind) {
            if (failsAs(kind)) {
                throw new IllegalStateException("test: " + kind);
            }
        }

        @Override
        public boolean constrains() {
            return true;
        }

        @Override
        public OptionalInt forced() {
            return failsAs(Fault.UNKNOWN_TOKEN) ? OptionalInt.of(1 << 20) : OptionalInt.empty();
        }

        @Override
        public int[] forcedTokens(int most) {
            failAs(Fault.CERTAIN);
            return failsAs(Fault.UNKNOWN_TOKEN) ? new int[] {1 << 20} : new int[0];
        }

        @Override
        public boolean allows(int token) {
            failAs(Fault.ALLOWS);
            return false;
        }

        @Override
        public TokenMask mask() {
            failAs(Fault.MASK);
            return failsAs(Fault.EMPTY_MASK) ? TokenMask.ofTokens() : TokenMask.ofTokens(2, 3);
        }

        @Override
        public void accept(int token) {
            tokens++;
        }
    }

    /** Log probabilities of alternatives are reported for forced tokens too. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void logProbabilitiesAreReportedForEveryToken(int top) throws Exception {
        Kind kind = Kind.MIXED;
        List<List<Integer>> plain = plainAnswers(kind, SamplingOptions.greedy());
        List<Integer> told = new ArrayList<>();
        Collected answer =
                new Collected() {
                    @Override
                    public boolean onToken(GeneratedToken token) {
                        told.add(token.logprobs().orElseThrow().top().size());
                        return super.onToken(token);
                    }
                };
        try (EngineCore engine = plain(kind, BLOCKS)) {
            GenerationRequest request =
                    request(
                                    prompts(kind).getFirst(),
                                    SamplingOptions.greedy(),
                                    TokenConstraint.none())
                            .choosing(
                                    new GenerationRequest.Choice(
                                            SamplingOptions.greedy(),
                                            OptionalInt.of(top),
                                            guides(kind).getFirst()));

            engine.submit(request, answer);

            assertEquals(plain.getFirst(), answer.await());
            assertEquals(IntStream.generate(() -> top).limit(COUNT).boxed().toList(), told);
        }
    }
}

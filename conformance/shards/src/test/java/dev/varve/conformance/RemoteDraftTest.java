package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.DraftLoadRequest;
import dev.varve.platform.remote.RemoteDraft;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A draft model in a process of its own. It drafts the tokens that it would draft in this process.
 * A fault of its process does not change the target's tokens.
 */
@Timeout(600)
class RemoteDraftTest {
    /** Mishaps of each kind; each takes as long as it takes to find out and to load again. */
    private static final int MISHAPS = Math.ceilDiv(Integer.getInteger("varve.test.kills", 5), 2);

    private static final int COUNT = 40;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;

    @BeforeAll
    static void install() throws Exception {
        program = ShardProgram.install(models, installation);
    }

    /** Hidden states of some tokens of a sequence, in columns of a longer batch. */
    private static HiddenStates states(DraftPair pair, long sequence, int first, int tokens) {
        int hidden = pair.adapter().shape().embeddingLength();
        List<HiddenStates.Layer> layers = new ArrayList<>();
        for (int layer : pair.draft().captures()) {
            float[] values = new float[(tokens + 2) * hidden];
            for (int token = 0; token < tokens; token++) {
                // By the position, not by how the tokens were cut.
                Random random =
                        new Random(TestSeed.of(31 * (sequence * 1000 + first + token) + layer));
                for (int i = 0; i < hidden; i++) {
                    values[(token + 1) * hidden + i] = (float) random.nextGaussian();
                }
            }
            layers.add(new HiddenStates.Layer(layer, values, 1));
        }
        return new HiddenStates(sequence, first, tokens, layers);
    }

    private record Text(int size, long seed) implements TokenHistory {
        @Override
        public int get(int position) {
            return new Random(TestSeed.of(seed + position)).nextInt(3, 200);
        }
    }

    private static DraftRequest ask(long sequence, int known) {
        return new DraftRequest(
                sequence, new Text(known, sequence), DraftPair.MOST, known % 2 == 0 ? 0 : 22);
    }

    private static void requireAlike(List<Draft> expected, List<Draft> found, String what) {
        assertEquals(expected.size(), found.size(), what);
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i).tokens(), found.get(i).tokens(), what + ", " + i);
            assertArrayEquals(expected.get(i).parents(), found.get(i).parents(), what + ", " + i);
        }
    }

    @Test
    void remoteDraftsEqualLocalDrafts() throws Exception {
        DraftPair pair = DraftPair.of(Family.QWEN35, models);
        try (DflashSpeculator here = pair.local();
                RemoteDraft there = pair.remote(program.child("alike"))) {
            int[] known = {0, 0, 0};
            Random random = new Random(TestSeed.of(4));
            for (int round = 0; round < 40; round++) {
                for (int sequence = 0; sequence < DraftPair.PARALLEL; sequence++) {
                    // Long prompts, single tokens, and a gap now and then.
                    int tokens = known[sequence] == 0 ? 40 + 150 * sequence : 1 + random.nextInt(4);
                    int skipped = random.nextInt(20) == 0 ? 3 : 0;
                    HiddenStates states = states(pair, sequence, known[sequence] + skipped, tokens);
                    here.observe(states);
                    there.observe(states);
                    known[sequence] += skipped + tokens;
                    if (random.nextInt(25) == 0) {
                        here.forget(sequence);
                        there.forget(sequence);
                        known[sequence] = 0;
                    }
                }
                List<DraftRequest> asks = new ArrayList<>();
                for (int sequence = 0; sequence < DraftPair.PARALLEL; sequence++) {
                    asks.add(ask(sequence, known[sequence] + 1));
                }
                if (round % 3 == 0) {
                    there.begin(asks);
                }
                requireAlike(here.propose(asks), there.propose(asks), "round " + round);
            }
            there.begin(List.of(ask(0, known[0] + 1)));
            List<DraftRequest> others = List.of(ask(1, known[1] + 1), ask(2, known[2] + 1));
            assertEquals(2, there.propose(others).size());
            Await.until(
                    "guesses behind a question that was given up",
                    () -> there.propose(others).getFirst().tokens().length > 0);
            requireAlike(here.propose(others), there.propose(others), "at the end");
            RemoteDraftStatus status = there.status();
            assertEquals(State.READY, status.health().state());
            assertTrue(status.responses().count() >= 40, status.toString());
            assertTrue(status.traffic().sentBytes() > 1 << 20, status.toString());
        }
    }

    @ParameterizedTest
    @SomeFamilies(first = 0, of = 4)
    @Tag("nightly")
    void outputAndAcceptanceEqualThoseOfALocalDraft(Family family) throws Exception {
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        DraftPair pair = DraftPair.of(family, models);
        requireAlike(pair, SamplingOptions.greedy());
        requireAlike(pair.with(new TreeOptions(TreeOptions.USUAL, true)), sampled);
    }

    private static void requireAlike(DraftPair pair, SamplingOptions sampling) throws Exception {
        int[] prompt = pair.spec().tokens(300, 3);
        int cut = pair.split(program.child("unused")).cuts().getLast();
        int[] plain = pair.plain(prompt, sampling, COUNT);
        GenerationEnd.Speculation local;
        try (LoadedModel model =
                pair.guessed(pair.local(), pair.split(program.child("unused")), List.of("cpu:0"))) {
            Answer answer = Answer.ask(model.engine(), prompt, 0, COUNT, sampling);
            assertArrayEquals(plain, answer.tokens());
            local = answer.end().speculation();
        }
        // The target's second half is in a process of its own as well.
        try (LoadedModel model =
                pair.guessed(
                        pair.remote(program.child("draft")),
                        pair.split(program.child("half")),
                        List.of("cpu:0", "cpu:0@process"),
                        cut)) {
            Await.value(
                    "guesses of a local draft",
                    () -> speculation(model, prompt, sampling, plain),
                    local::equals);
        }
    }

    private static GenerationEnd.Speculation speculation(
            LoadedModel model, int[] prompt, int[] expected) {
        return speculation(model, prompt, SamplingOptions.greedy(), expected);
    }

    /**
     * Requests an answer, requires the expected tokens, and returns the counts of its draft tokens.
     */
    private static GenerationEnd.Speculation speculation(
            LoadedModel model, int[] prompt, SamplingOptions sampling, int[] expected) {
        try {
            Answer answer = Answer.ask(model.engine(), prompt, 0, COUNT, sampling);
            assertArrayEquals(expected, answer.tokens());
            return answer.end().speculation();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Tag("nightly")
    void killedDraftCostsDraftTokensOnlyAndRecovers() throws Exception {
        mishaps(FragileLink::kill);
    }

    @Test
    @Tag("nightly")
    void hangingDraftCostsDraftTokensOnlyAndRecovers() throws Exception {
        mishaps(FragileLink::freeze);
    }

    @Test
    @Tag("nightly")
    void malformedFramesCountAsALostDraft() throws Exception {
        SpoiltTransport transport = new SpoiltTransport();
        FragileLink link =
                new FragileLink(
                        new ChildProcessLink(
                                program.launch("spoilt"),
                                transport,
                                ShardWireOptions.wireOptions("server")));
        mishaps(link, spoilt -> transport.spoil());
    }

    private static void mishaps(Consumer<FragileLink> mishap) throws Exception {
        mishaps(new FragileLink(program.child("fragile")), mishap);
    }

    private static void mishaps(FragileLink link, Consumer<FragileLink> mishap) throws Exception {
        DraftPair pair = DraftPair.of(Family.QWEN35, models);
        try (RemoteDraft draft = pair.remote(link);
                LoadedModel model =
                        pair.guessed(
                                draft, pair.split(program.child("unused")), List.of("cpu:0"))) {
            for (int i = 0; i < MISHAPS; i++) {
                int[] prompt = pair.spec().tokens(60 + 90 * (i % 4), i);
                int[] expected = pair.plain(prompt, SamplingOptions.greedy(), COUNT);
                Answer answer = Answer.of(prompt, COUNT);
                // The mishap comes while the draft model takes in states or drafts tokens.
                if (i % 3 == 0) {
                    answer.atPrefill(1, () -> mishap.accept(link));
                } else {
                    answer.atToken(1 + 9 * i % (COUNT - 1), () -> mishap.accept(link));
                }
                answer.submit(model.engine());

                assertArrayEquals(expected, answer.tokens(), "mishap " + i);
                int restarts = i + 1;
                Await.value(
                        restarts + " restarts",
                        draft::health,
                        health -> health.state() == State.READY && health.restarts() == restarts);
                // The first draft tokens may come too late for the steps that requested them.
                Await.until(
                        "guesses after mishap " + i,
                        () -> speculation(model, prompt, expected).drafted() > 0);
            }
        }
    }

    @Test
    @Tag("nightly")
    void permanentlyLostDraftLeavesPlainDecoding() throws Exception {
        DraftPair pair = DraftPair.of(Family.LAGUNA, models);
        FragileLink link = new FragileLink(program.child("gone"));
        int[] prompt = pair.spec().tokens(90, 8);
        try (RemoteDraft draft = pair.remote(link);
                LoadedModel model =
                        pair.guessed(
                                draft, pair.split(program.child("unused")), List.of("cpu:0"))) {
            link.divert(program.child(program.launch("false", List.of("false"))));
            link.kill();
            int[] expected = pair.plain(prompt, SamplingOptions.greedy(), COUNT);

            assertArrayEquals(
                    expected,
                    Answer.ask(model.engine(), prompt, 0, COUNT, SamplingOptions.greedy())
                            .tokens());
        }
    }

    @Test
    @Tag("nightly")
    void differentFileOfTheSameNameIsRefused() throws Exception {
        DraftPair pair = DraftPair.of(Family.GEMMA4, models);
        DraftLoadRequest request = pair.request();
        DraftLoadRequest other =
                new DraftLoadRequest(
                        request.target(),
                        new DraftLoadRequest.Draft(
                                request.draft().name(), "0".repeat(64), request.draft().files()),
                        request.limits(),
                        request.settings(),
                        request.device());

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                RemoteDraft.open(
                                                "cpu:0@process",
                                                program.child("other"),
                                                other,
                                                pair.draft(),
                                                pair.adapter(),
                                                pair.digests())
                                        .close());
        assertTrue(refusal.getMessage().contains("different files"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(request.draft().digest()), refusal.getMessage());
        assertTrue(Files.exists(pair.draft().file().path()));
    }

    /** Of either file: the draft's own weights, and the table that it takes from its target. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @ByDay(1)
    void differentWeightsWithTheSameHeaderAreRefused(boolean target, @TempDir Path here)
            throws Exception {
        DraftPair pair = DraftPair.of(Family.GEMMA4, models);
        Path draft = pair.draft().file().path();
        String tensor = target ? pair.draft().embedding().name() : "blk.0.ffn_down.weight";
        Path ownTarget = target ? OtherWeights.copy(pair.file(), here, tensor) : pair.file();
        Path ownDraft = target ? draft : OtherWeights.copy(draft, here, tensor);
        DraftPair own = pair.of(ownTarget, ownDraft);

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> own.remote(program.child("tuned")).close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage()
                        .startsWith(
                                "draft model "
                                        + draft.getFileName()
                                        + " on cpu:0@process: "
                                        + (target ? ownTarget : ownDraft)
                                        + ": tensor "
                                        + tensor
                                        + ": expected SHA-256 "),
                refusal.getMessage());
    }
}

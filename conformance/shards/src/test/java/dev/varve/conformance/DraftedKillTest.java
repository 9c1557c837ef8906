package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.remote.RemoteDraft;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A process of the target or of its draft model dies or hangs while the draft model drafts tokens,
 * at a named event each time. The answer has the tokens of an answer without a draft model.
 * Afterwards, the counts of drafted and accepted tokens are those of a run without a fault.
 */
@Timeout(3600)
class DraftedKillTest {
    /** Kills per state of the protocol. */
    private static final int KILLS = Integer.getInteger("varve.test.kills", 5);

    private static final int COUNT = 40;
    private static final List<String> HALVES = List.of("cpu:0", "cpu:0@process");

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;

    @BeforeAll
    static void install() throws Exception {
        program = ShardProgram.install(models, installation);
    }

    /** The state of the draft model's process at the time of the kill. */
    private enum DraftState {
        TAKES_IN,
        GUESSES,
        IDLE,
        LOADS
    }

    /** Does harm after a given number of {@code observe} or {@code begin} calls. */
    private static final class Harmed implements RemoteSpeculator {
        private final RemoteDraft draft;
        private final Runnable harm;
        private final AtomicInteger untilObserved = new AtomicInteger(Integer.MAX_VALUE);
        private final AtomicInteger untilBegun = new AtomicInteger(Integer.MAX_VALUE);

        Harmed(RemoteDraft draft, Runnable harm) {
            this.draft = draft;
            this.harm = harm;
        }

        private void count(AtomicInteger left) {
            if (left.getAndDecrement() == 0) {
                harm.run();
            }
        }

        @Override
        public List<Integer> captures() {
            return draft.captures();
        }

        @Override
        public int mostTokens() {
            return draft.mostTokens();
        }

        @Override
        public void observe(HiddenStates states) {
            draft.observe(states);
            count(untilObserved);
        }

        @Override
        public void begin(List<DraftRequest> sequences) {
            draft.begin(sequences);
            count(untilBegun);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return draft.propose(sequences);
        }

        @Override
        public long losses() {
            return draft.losses();
        }

        @Override
        public RemoteDraftStatus status() {
            return draft.status();
        }

        @Override
        public void forget(long sequence) {
            draft.forget(sequence);
        }

        @Override
        public void close() {
            draft.close();
        }
    }

    private record Expected(int[] prompt, int[] tokens, GenerationEnd.Speculation guesses) {
        /**
         * Returns the answer of a model in one process with its draft model. Its tokens are those
         * of the model without a draft model.
         */
        static Expected of(DraftPair pair, int[] prompt) throws Exception {
            int[] plain = pair.plain(prompt, SamplingOptions.greedy(), COUNT);
            try (LoadedModel model =
                    pair.guessed(
                            pair.local(), pair.split(program.child("unused")), List.of("cpu:0"))) {
                Answer answer = Answer.apart(prompt, COUNT);
                answer.submit(model.engine());
                assertArrayEquals(plain, answer.tokens());
                return new Expected(prompt, plain, answer.end().speculation());
            }
        }

        /** Sends the prompt again until the draft tokens come in time. */
        void requireFrom(LoadedModel model, String what) {
            Await.value(what, () -> ask(model), guesses::equals);
        }

        private GenerationEnd.Speculation ask(LoadedModel model) {
            try {
                Answer answer = Answer.apart(prompt, COUNT);
                answer.submit(model.engine());
                assertArrayEquals(tokens, answer.tokens());
                return answer.end().speculation();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void awaitRestarts(int count, Supplier<ShardHealth> health) {
        Await.value(
                count + " restarts",
                health::get,
                each -> each.state() == State.READY && each.restarts() >= count);
    }

    static Stream<Family> harmed() {
        return Thorough.first(1, List.of(Family.GEMMA4, Family.QWEN35));
    }

    @ParameterizedTest
    @MethodSource("harmed")
    @Tag("nightly")
    void killedTargetChangesNeitherOutputNorDrafts(Family family) throws Exception {
        harmTarget(family, KILLS, FragileLink::kill);
    }

    @Test
    @Tag("nightly")
    void hangingTargetChangesNeitherOutputNorDrafts() throws Exception {
        harmTarget(Family.LAGUNA, 1, FragileLink::freeze);
    }

    private static void harmTarget(Family family, int times, Consumer<FragileLink> harm)
            throws Exception {
        DraftPair pair = DraftPair.of(family, models);
        FragileLink half = new FragileLink(program.child("half"));
        SplitModel split = pair.split(half);
        Expected expected = Expected.of(pair, pair.spec().tokens(300, 3));
        try (LoadedModel model =
                pair.guessed(
                        pair.remote(program.child("draft")),
                        split,
                        HALVES,
                        split.cuts().getLast())) {
            for (int i = 0; i < times; i++) {
                Answer answer = Answer.apart(expected.prompt(), COUNT);
                // In the middle of the prompt, and then of the answer.
                if (i % 3 == 2) {
                    answer.atPrefill(1, () -> harm.accept(half));
                } else {
                    answer.atToken(1 + 9 * i % (COUNT - 1), () -> harm.accept(half));
                }
                answer.submit(model.engine());

                assertArrayEquals(expected.tokens(), answer.tokens(), "mishap " + i);
                awaitRestarts(i + 1, () -> model.shards().getLast().health());
                expected.requireFrom(model, "guesses behind mishap " + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(2)
    void killedDraftCostsDraftTokensOnly(DraftState state) throws Exception {
        DraftPair pair = DraftPair.of(Family.QWEN35, models);
        FragileLink link = new FragileLink(program.child("draft"));
        Harmed draft = new Harmed(pair.remote(link), link::kill);
        Expected expected = Expected.of(pair, pair.spec().tokens(300, 4));
        try (LoadedModel model =
                pair.guessed(draft, pair.split(program.child("unused")), List.of("cpu:0"))) {
            int restarts = 0;
            for (int i = 0; i < KILLS; i++) {
                switch (state) {
                    case TAKES_IN -> draft.untilObserved.set(i % 3);
                    case GUESSES -> draft.untilBegun.set(7 * i % (COUNT / 2));
                    case IDLE -> link.kill();
                    case LOADS -> {
                        link.plan(FragileLink::kill);
                        link.kill();
                    }
                }
                Answer answer = Answer.apart(expected.prompt(), COUNT);
                answer.submit(model.engine());

                assertArrayEquals(expected.tokens(), answer.tokens(), state + ", kill " + i);
                restarts++;
                awaitRestarts(restarts, () -> draft.status().health());
                expected.requireFrom(model, "guesses after kill " + i);
            }
        }
    }
}

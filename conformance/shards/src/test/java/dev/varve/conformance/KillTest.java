package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.ExternalProcessLink;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.WaitingLimits;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * A shard's process dies, hangs or answers nonsense while requests run: their tokens are those of
 * an undisturbed run. Each kill happens at a named event, never after some time.
 */
@Timeout(300)
class KillTest {
    /** Kills per state of the protocol. */
    private static final int KILLS = Integer.getInteger("varve.test.kills", 5);

    private static final int CONTEXT = 1536;
    private static final SamplingOptions GREEDY = SamplingOptions.greedy();
    private static final SamplingOptions SAMPLED =
            new SamplingOptions(
                    0.9f,
                    new SamplingOptions.Cutoffs(40, 0.95f, 0),
                    new SamplingOptions.Penalties(1.1f, 0.2f, 0.1f),
                    OptionalLong.of(42),
                    Map.of());
    private static final int ANSWER = 24;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;

    @BeforeAll
    static void install() throws Exception {
        program = ShardProgram.install(models, installation);
    }

    private static FragileModel load(Family family, int parallel) throws Exception {
        ModelSettings settings = Cpu.settings(CONTEXT, parallel, Cpu.F16);
        return load(family, settings);
    }

    private static FragileModel load(Family family, ModelSettings settings) throws Exception {
        FragileLink link = new FragileLink(program.child(family.name()));
        return FragileModel.load(family.odd(family.quantisableSeed()), models, settings, link);
    }

    /** Kills for each of the families, so that all together are those that were asked for. */
    private static int killsPerFamily() {
        return Math.ceilDiv(KILLS, Family.ofSeveralKinds().size());
    }

    @ParameterizedTest
    @SomeFamilies(first = 0)
    @ByDay(1)
    void killDuringDecodeChangesNoToken(Family family) throws Exception {
        try (FragileModel model = load(family, 1)) {
            for (int kill = 0; kill < killsPerFamily(); kill++) {
                int[] prompt = model.tokens(70 + 5 * kill, kill);
                int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

                Answer answer = Answer.of(prompt, ANSWER);
                answer.atToken(1 + 5 * kill % (ANSWER - 1), model.link()::kill);
                answer.submit(model.engine());

                assertArrayEquals(expected, answer.tokens(), family + ", kill " + kill);
                assertEquals(kill + 1, model.health().restarts());
            }
        }
    }

    /** The process had pages in its host memory, which are gone with it. */
    @ParameterizedTest
    @SomeFamilies(first = 3, of = 4)
    @Tag("nightly")
    void killOfAProcessWithPagesChangesNoToken(Family family) throws Exception {
        PagePolicy policy = family.ordinal() % 2 == 0 ? PagePolicy.QK : PagePolicy.LRU;
        ModelSettings pooled =
                Cpu.settings(CONTEXT, 1, Cpu.Q8_0)
                        .withPool(
                                Optional.of(
                                        new RequestedPaging(
                                                new RequestedPaging.Size.Fixed(512),
                                                Optional.of(policy),
                                                16)));
        try (FragileModel model = load(family, pooled)) {
            int[] prompt = model.tokens(1300, 9);
            int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

            Answer answer = Answer.of(prompt, ANSWER);
            answer.atPrefill(1024, model.link()::kill);
            answer.atToken(ANSWER - 2, model.link()::kill);
            answer.submit(model.engine());

            assertArrayEquals(expected, answer.tokens(), family + ", " + policy);
            assertEquals(2, model.health().restarts());
            assertTrue(answer.end().paging().orElseThrow().hostPages() > 10);
        }
    }

    @ParameterizedTest
    @SomeFamilies(first = 1, of = 4)
    @Tag("nightly")
    void killDuringPrefillChangesNoToken(Family family) throws Exception {
        try (FragileModel model = load(family, 1)) {
            for (int kill = 0; kill < killsPerFamily(); kill++) {
                int[] prompt = model.tokens(1300 + kill, kill);
                int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

                Answer answer = Answer.of(prompt, ANSWER);
                answer.atPrefill(1 + kill % 2 * 512, model.link()::kill);
                answer.submit(model.engine());

                assertArrayEquals(expected, answer.tokens(), family + ", kill " + kill);
                assertEquals(kill + 1, model.health().restarts());
            }
        }
    }

    @Test
    @Tag("nightly")
    void killDuringReloadOnlyDelaysTokens() throws Exception {
        try (FragileModel model = load(Family.QWEN35, 1)) {
            for (int kill = 0; kill < KILLS; kill++) {
                int[] prompt = model.tokens(80 + kill, kill);
                int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];
                // The kill comes before the process receives the load request, or while it loads.
                if (kill % 2 == 0) {
                    model.link().plan(FragileLink::kill);
                } else {
                    model.link().plan(link -> Thread.startVirtualThread(link::kill));
                }

                Answer answer = Answer.of(prompt, ANSWER);
                answer.atToken(4, model.link()::kill);
                answer.submit(model.engine());

                assertArrayEquals(expected, answer.tokens(), "kill " + kill);
            }
        }
    }

    @Test
    @Tag("nightly")
    void killsDuringTheFirstLoadOnlyDelayIt() throws Exception {
        FragileLink link = new FragileLink(program.child("first"));
        link.plan(FragileLink::kill);
        link.plan(killed -> Thread.startVirtualThread(killed::kill));
        try (FragileModel model =
                FragileModel.load(
                        Family.QWEN35.odd(8), models, Cpu.settings(CONTEXT, 1, Cpu.F16), link)) {
            int[] prompt = model.tokens(80, 1);
            int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

            assertArrayEquals(expected, askUntilTaken(model, prompt).tokens());
            assertTrue(link.opened() > 1, "reached " + link.opened() + " times");
        }
    }

    /** Before it listens; its launcher is not killed again. */
    @Test
    @Tag("nightly")
    void killBeforeTheFirstLoadOnlyDelaysIt() throws Exception {
        Path mark = installation.resolve("killed");
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of(
                        "sh",
                        "-c",
                        "if test -e \"$0\"; then exec \"$@\"; fi; touch \"$0\"; kill -9 $$",
                        mark.toString()));
        command.addAll(program.command());
        FragileLink link = new FragileLink(program.child(program.launch("early", command)));
        try (FragileModel model =
                FragileModel.load(
                        Family.QWEN35.odd(8), models, Cpu.settings(CONTEXT, 1, Cpu.F16), link)) {
            assertEquals(1, link.opened());
            assertEquals(State.READY, model.health().state());
        }
    }

    @Test
    void processThatCannotStartIsReported() throws Exception {
        FragileLink link =
                new FragileLink(
                        program.child(
                                program.launch("never", List.of("sh", "-c", "exit 1", "sh"))));

        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () ->
                                FragileModel.load(
                                        Family.QWEN35.odd(8),
                                        models,
                                        Cpu.settings(CONTEXT, 1, Cpu.F16),
                                        link));

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind(), failure.getMessage());
        assertTrue(failure.getMessage().contains("exit status 1"), failure.getMessage());
    }

    @Test
    @Tag("nightly")
    void twoKillsInOneRequestChangeNoToken() throws Exception {
        try (FragileModel model = load(Family.GEMMA4, 1)) {
            int[] prompt = model.tokens(700, 3);
            int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

            Answer answer = Answer.of(prompt, ANSWER);
            answer.atPrefill(512, model.link()::kill);
            answer.atToken(9, model.link()::kill);
            answer.submit(model.engine());

            assertArrayEquals(expected, answer.tokens());
            assertEquals(2, model.health().restarts());
        }
    }

    static Stream<Family> sampled() {
        return Thorough.first(1, List.of(Family.QWEN35, Family.LAGUNA));
    }

    @ParameterizedTest
    @MethodSource("sampled")
    @Tag("nightly")
    void twoSampledRequestsContinueWithTheSameRandomNumbers(Family family) throws Exception {
        ModelSettings settings = Cpu.settings(CONTEXT, 2, Cpu.Q8_0);
        try (FragileModel model = load(family, settings)) {
            int[] first = model.tokens(60, 1);
            int[] second = model.tokens(600, 2);
            int[][] expected = model.undisturbed(ANSWER, SAMPLED, first, second);

            Answer one = Answer.of(first, ANSWER, SAMPLED);
            Answer other = Answer.of(second, ANSWER, SAMPLED);
            one.atToken(6, model.link()::kill);
            other.atToken(5, model.link()::kill);
            one.submit(model.engine());
            other.submit(model.engine());

            assertArrayEquals(expected[0], one.tokens(), "first");
            assertArrayEquals(expected[1], other.tokens(), "second");
            assertEquals(2, model.health().restarts());
        }
    }

    @Test
    @Tag("nightly")
    void killIsDetectedWithoutARequestAndTheNextOneSucceeds() throws Exception {
        try (FragileModel model = load(Family.QWEN35, 1)) {
            for (int kill = 1; kill <= KILLS; kill++) {
                int[] prompt = model.tokens(50, kill);
                int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

                model.link().kill();
                model.awaitRestarts(kill);

                assertArrayEquals(expected, askUntilTaken(model, prompt).tokens());
            }
        }
    }

    @Test
    @Tag("nightly")
    void hangingProcessIsReplaced() throws Exception {
        try (FragileModel model = load(Family.LAGUNA, 1)) {
            int[] prompt = model.tokens(90, 5);
            int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

            Answer answer = Answer.of(prompt, ANSWER);
            answer.atToken(7, model.link()::freeze);
            answer.submit(model.engine());

            assertArrayEquals(expected, answer.tokens());
            assertEquals(1, model.health().restarts());
        }
    }

    @Test
    @Tag("nightly")
    void malformedFramesCountAsALostShard() throws Exception {
        SpoiltTransport transport = new SpoiltTransport();
        FragileLink link =
                new FragileLink(
                        new ChildProcessLink(
                                program.launch("spoilt"),
                                transport,
                                ShardWireOptions.wireOptions("server")));
        try (FragileModel model =
                FragileModel.load(
                        Family.QWEN35.odd(8), models, Cpu.settings(CONTEXT, 1, Cpu.F16), link)) {
            for (int spoilt = 0; spoilt < KILLS; spoilt++) {
                int[] prompt = model.tokens(60, spoilt);
                int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];

                Answer answer = Answer.of(prompt, ANSWER);
                answer.atToken(2 + spoilt % 20, transport::spoil);
                answer.submit(model.engine());

                assertArrayEquals(expected, answer.tokens(), "nonsense " + spoilt);
                assertEquals(spoilt + 1, model.health().restarts());
            }
        }
    }

    @Test
    void peerThatIsNoShardIsRefused() throws Exception {
        Path socket = installation.resolve("nobody");
        try (Listener listener =
                new UnixTransport().listen(socket.toString(), TransportOptions.defaults())) {
            Thread.ofVirtual().start(() -> answerNonsense(listener));
            ExternalProcessLink link =
                    new ExternalProcessLink(
                            new UnixTransport(),
                            socket.toString(),
                            TransportOptions.defaults(),
                            ShardWireOptions.wireOptions("server"));
            SplitModel split =
                    SplitModel.of(
                            Family.QWEN35.odd(8).write(models),
                            Cpu.settings(CONTEXT, 1, Cpu.F16),
                            BoundaryType.F32,
                            device -> link);

            VarveException failure =
                    assertThrows(
                            VarveException.class,
                            () ->
                                    split.load(
                                            Cpu.settings(CONTEXT, 1, Cpu.F16),
                                            List.of("cpu:0", "cpu:0@process"),
                                            2));

            assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind(), failure.getMessage());
        }
    }

    private static void answerNonsense(Listener listener) {
        try (Connection connection = listener.accept()) {
            ByteBuffer nonsense = ByteBuffer.allocate(4096);
            new Random(1).nextBytes(nonsense.array());
            connection.write(nonsense);
            connection.read(ByteBuffer.allocate(1 << 20));
        } catch (IOException e) {
            // The other side has had enough.
        }
    }

    @Test
    @Tag("nightly")
    void permanentlyLostShardFailsRequestsAndRecoversLater() throws Exception {
        ModelSettings settings =
                Cpu.settings(CONTEXT, 1, Cpu.F16)
                        .with(
                                new WaitingLimits(
                                        WaitingLimits.DEFAULT_QUEUE,
                                        Duration.ofSeconds(2),
                                        EngineOptions.PrefillScheduling.DEFAULT));
        try (FragileModel model = load(Family.QWEN35, settings)) {
            int[] prompt = model.tokens(60, 4);
            int[] expected = model.undisturbed(ANSWER, GREEDY, prompt)[0];
            try (ChildProcessLink broken =
                    program.child(program.launch("broken", List.of("sh", "-c", "exit 1", "sh")))) {
                Answer answer = Answer.of(prompt, ANSWER);
                answer.atToken(
                        3,
                        () -> {
                            model.link().divert(broken);
                            model.link().kill();
                        });
                answer.submit(model.engine());

                ExecutionException failure = assertThrows(ExecutionException.class, answer::end);
                assertEquals(
                        VarveException.Kind.UNAVAILABLE,
                        ((VarveException) failure.getCause()).kind());
                assertEquals(1, model.engine().status().missingShards().size());
                assertEquals(
                        "cpu:0@process",
                        model.engine().status().missingShards().getFirst().device());
                VarveException refusal =
                        assertThrows(
                                VarveException.class,
                                () -> Answer.ask(model.engine(), prompt, ANSWER));
                assertEquals(VarveException.Kind.UNAVAILABLE, refusal.kind());
            }
            model.link().heal();

            model.awaitHealth(State.READY);
            assertArrayEquals(expected, askUntilTaken(model, prompt).tokens());
        }
    }

    /** The engine takes requests again a moment after the shard is back. */
    private static Answer askUntilTaken(FragileModel model, int[] prompt) {
        return Await.value(
                        "an engine that takes requests",
                        () -> ask(model, prompt),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<Answer> ask(FragileModel model, int[] prompt) {
        try {
            return Optional.of(Answer.ask(model.engine(), prompt, ANSWER));
        } catch (VarveException e) {
            return Optional.empty();
        }
    }
}

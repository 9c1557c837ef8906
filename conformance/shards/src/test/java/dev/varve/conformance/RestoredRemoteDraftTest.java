package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A new server with other parts in other processes restores a prompt from disk. It continues as the
 * server before would have done, with the same tokens and the same counts of draft tokens.
 */
@Timeout(600)
class RestoredRemoteDraftTest {
    private static final int COUNT = 128;
    private static final int PROMPT = 330;

    /** Not in the middle of what is computed together otherwise. */
    private static final int BOUNDARY = 288;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;

    @BeforeAll
    static void install() throws Exception {
        program = ShardProgram.install(models, installation);
    }

    private static Answer ask(LoadedModel model, int[] prompt) throws Exception {
        Answer answer = Answer.of(prompt, BOUNDARY, COUNT, SamplingOptions.greedy());
        answer.submit(model.engine());
        answer.end();
        return answer;
    }

    /** A server of its own: its draft in one process, the last layers in another one. */
    private static GenerationEnd.Speculation restart(
            DraftPair pair, Path store, int[] prompt, int[] expected) {
        SplitModel split = pair.split(program.child("half"));
        try (LoadedModel model =
                pair.kept(
                        CacheHits.disk(store),
                        pair.remote(program.child("draft")),
                        split,
                        List.of("cpu:0", "cpu:0@process"),
                        split.cuts().getLast())) {
            Answer answer = ask(model, prompt);

            String what = answer.end().toString();
            assertEquals(Optional.of(CacheSource.DISK), answer.end().cache().source(), what);
            assertTrue(answer.end().tokens().cached() >= BOUNDARY, what);
            assertArrayEquals(expected, answer.tokens(), what);
            return answer.end().speculation();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static Stream<Family> restored() {
        return Thorough.first(1, List.of(Family.LAGUNA, Family.QWEN35));
    }

    @ParameterizedTest
    @MethodSource("restored")
    @Tag("nightly")
    void draftsAfterARestoredPromptEqualThoseAfterAPrefill(Family family) throws Exception {
        DraftPair pair =
                DraftPair.of(family, models)
                        .with(
                                family == Family.LAGUNA
                                        ? new TreeOptions(TreeOptions.USUAL, true)
                                        : TreeOptions.OFF);
        int[] prompt = pair.spec().tokens(PROMPT, 1);
        Path store = models.resolve(family + " store");
        int[] expected;
        GenerationEnd.Speculation guesses;
        try (LoadedModel model =
                pair.kept(
                        CacheHits.disk(store),
                        pair.local(),
                        pair.split(program.child("unused")),
                        List.of("cpu:0"))) {
            Answer answer = ask(model, prompt);
            assertEquals(0, answer.end().tokens().cached());
            expected = answer.tokens();
            guesses = answer.end().speculation();
            assertTrue(guesses.drafted() > COUNT, guesses.toString());
        }

        // A draft may come too late for its step.
        Await.value(
                "guesses as before", () -> restart(pair, store, prompt, expected), guesses::equals);
    }
}

package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.platform.speculation.NgramProvider;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Draft tokens after images change the time of a response, and never its tokens. */
class ImageDraftTest {
    private static final int MOST = 4;
    private static final int RIGHT = 2;
    private static final int ANSWER = 24;

    private static ImagePrompt prompt(String text, String projector, String name)
            throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
            return ImagePrompt.read(
                    text + "--" + projector + "--" + name,
                    encoder.encoder(),
                    image -> encoder.encode(VisionGolden.pixels(image, encoder.encoder().input())));
        }
    }

    private static LoadedModel load(String text, Speculator speculator, int... cuts) {
        ModelSettings settings = Cpu.settings(512, 2, Cpu.F16);
        SpeculationOptions options = new SpeculationOptions(speculator, MOST, OptionalInt.of(MOST));
        return Cpu.load(
                VisionGolden.model(text),
                settings.with(new SpeculationRequirements(options.columns(), List.of())),
                new LoadedModel.EngineComponents(Optional.empty(), Optional.of(options)),
                cuts);
    }

    private static ModelShape shape(String text) {
        return Cpu.open(VisionGolden.model(text), Cpu.settings(512, 2, Cpu.F16).modelOptions())
                .shape();
    }

    private static Answer ask(LoadedModel model, ImagePrompt prompt) {
        Answer answer = Answer.to(prompt.prompt(), ANSWER);
        answer.submit(model.engine());
        return answer;
    }

    private static int[] plain(String text, ImagePrompt prompt) throws Exception {
        try (LoadedModel model =
                Cpu.load(VisionGolden.model(text), Cpu.settings(512, 2, Cpu.F16))) {
            return ask(model, prompt).tokens();
        }
    }

    /** Half of the draft tokens are right, so that all others are rolled back. */
    @ParameterizedTest
    @CsvSource({
        "text-qwen35, qwen3vl, one, 0",
        "text-qwen35, qwen3vl, two, 1",
        "text-qwen35, qwen3vl, turns, 0",
        "text-gemma4-e2b, gemma4v-clip, two, 0",
    })
    void draftTokensAfterImagesAreVerified(String text, String projector, String name, int cut)
            throws Exception {
        ImagePrompt prompt = prompt(text, projector, name);
        int[] plain = plain(text, prompt);
        ScriptedSpeculator script =
                new ScriptedSpeculator(
                        List.of(
                                IntStream.concat(
                                                IntStream.of(prompt.prompt().tokens()),
                                                IntStream.of(plain))
                                        .toArray()),
                        MOST,
                        depth -> depth < RIGHT ? 0 : 1,
                        shape(text).vocabularySize(),
                        List.of());
        int[] cuts = cut == 0 ? new int[0] : new int[] {cut};
        try (LoadedModel model = load(text, new Accepting(script), cuts)) {
            Answer answer = ask(model, prompt);

            assertArrayEquals(plain, answer.tokens());
            assertTrue(answer.end().speculation().accepted() > ANSWER / 3, answer.end().toString());
        }
        try (LoadedModel model = load(text, script)) {
            Answer answer = ask(model, prompt);

            assertArrayEquals(plain, answer.tokens());
            assertEquals(0, answer.end().speculation().drafted(), "it accepts no images");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "text-qwen35, qwen3vl, two",
        "text-qwen35, qwen3vl, turns",
        "text-gemma4-e2b, gemma4v-clip, turns",
    })
    void repetitionsInTheTextAreDrafted(String text, String projector, String name)
            throws Exception {
        ImagePrompt prompt = prompt(text, projector, name);
        int[] plain = plain(text, prompt);
        GgufFile file = GgufFile.open(VisionGolden.model(text));
        Speculator ngram =
                new NgramProvider()
                        .open(
                                new SpeculationTarget(
                                        file,
                                        shape(text),
                                        new SpeculationTarget.Limits(512, 2, MOST)));
        try (LoadedModel model = load(text, ngram)) {
            assertArrayEquals(plain, ask(model, prompt).tokens());
        }
    }

    /** The same drafts, from a speculator that knows images. */
    private record Accepting(ScriptedSpeculator script) implements Speculator {
        @Override
        public boolean acceptsImages() {
            return true;
        }

        @Override
        public int mostTokens() {
            return script.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return script.propose(sequences);
        }

        @Override
        public void forget(long sequence) {
            script.forget(sequence);
        }

        @Override
        public void close() {
            script.close();
        }
    }
}

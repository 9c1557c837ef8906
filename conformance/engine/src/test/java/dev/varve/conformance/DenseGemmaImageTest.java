package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.image.LocalImageEncoder;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Images of dense Gemma 4 models, whose tokens attend to one another in sliding layers. The
 * prompts, their logits and their continuations are those of another program, see {@link
 * VisionGolden}.
 */
class DenseGemmaImageTest {
    private static final String WINDOW = "text-gemma4-window";
    private static final int WINDOW_AT = 6584;
    private static final byte SHORT_WINDOW = 32;

    @TempDir static Path folder;

    /** A window that is shorter than an image. */
    @BeforeAll
    static void shortenWindow() throws IOException {
        byte[] model = Files.readAllBytes(VisionGolden.model("text-gemma4"));
        model[WINDOW_AT] = SHORT_WINDOW;
        model[WINDOW_AT + 1] = 0;
        Files.write(folder.resolve(WINDOW + ".gguf"), model);
    }

    private static Path model(String text) {
        return text.equals(WINDOW) ? folder.resolve(WINDOW + ".gguf") : VisionGolden.model(text);
    }

    private static LoadedModel load(String text, int... cuts) {
        return Cpu.load(model(text), Cpu.settings(1024, 2, Cpu.F16), cuts);
    }

    private static ImagePrompt prompt(String text, String projector, String name)
            throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
            return ImagePrompt.read(
                    text + "--" + projector + "--" + name,
                    encoder.encoder(),
                    image -> encoder.encode(VisionGolden.pixels(image, encoder.encoder().input())));
        }
    }

    private static Answer ask(LoadedModel model, GenerationRequest.Prompt prompt, int count) {
        Answer answer = Answer.to(prompt, count).reporting(ImagePrompt.COMPARED);
        answer.submit(model.engine());
        return answer;
    }

    /** A causal mask in images is 1.9 away. */
    @ParameterizedTest
    @CsvSource({
        "text-gemma4, gemma4v-std, one",
        "text-gemma4, gemma4v-std, alone",
        "text-gemma4, gemma4v-std, two",
        "text-gemma4, gemma4v-std, turns",
        "text-gemma4, gemma4uv, one",
        "text-gemma4, gemma4uv, alone",
        "text-gemma4, gemma4uv, two",
        "text-gemma4, gemma4uv, turns",
        "text-gemma4-window, gemma4v-std, one",
        "text-gemma4-window, gemma4v-std, alone",
        "text-gemma4-window, gemma4v-std, two",
        "text-gemma4-window, gemma4v-std, turns",
    })
    void logitsAreThoseOfTheReferenceWholeAndSplit(String text, String projector, String name)
            throws Exception {
        ImagePrompt golden = prompt(text, projector, name);
        int[] whole;
        try (LoadedModel model = load(text)) {
            Answer answer = ask(model, golden.prompt(), golden.steps().size());
            whole = answer.tokens();
            golden.requireSame(answer);
        }

        try (LoadedModel model = load(text, 2, 4)) {
            assertArrayEquals(whole, ask(model, golden.prompt(), whole.length).tokens());
        }
    }

    /** Images are batches of their own, whatever the other requests. */
    @Test
    void bitsDependOnNoOtherRequest() throws Exception {
        GenerationRequest.Prompt two = prompt("text-gemma4", "gemma4v-std", "two").prompt();
        GenerationRequest.Prompt one = prompt("text-gemma4", "gemma4v-std", "one").prompt();
        try (LoadedModel model = load("text-gemma4")) {
            int[] first = ask(model, two, 24).tokens();
            int[] second = ask(model, one, 24).tokens();

            List<Answer> together = List.of(Answer.to(two, 24), Answer.to(one, 24));
            Answer.submit(model.engine(), together);

            assertArrayEquals(first, together.get(0).tokens());
            assertArrayEquals(second, together.get(1).tokens());
        }
    }

    @Test
    void secondQuestionResumesBehindTheImage() throws Exception {
        GenerationRequest.Prompt golden = prompt("text-gemma4", "gemma4v-std", "one").prompt();
        int end = golden.images().end() + 1;
        GenerationRequest.Prompt cached =
                new GenerationRequest.Prompt(
                        golden.tokens(), new int[] {end}, CacheScope.common(), golden.images());
        GenerationRequest.Prompt apart =
                new GenerationRequest.Prompt(
                        golden.tokens(), new int[] {end}, CacheScope.none(), golden.images());
        try (LoadedModel model = load("text-gemma4")) {
            int[] cold = ask(model, apart, 24).tokens();

            ask(model, cached, 1).tokens();
            Answer warm = ask(model, cached, 24);

            assertArrayEquals(cold, warm.tokens());
            assertTrue(warm.end().tokens().cached() >= end, "cached tokens");
            assertEquals(golden.tokens().length, warm.end().tokens().prompt());
        }
    }
}

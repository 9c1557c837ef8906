package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Prompts with images, continued like another program continues them. */
class ImagePromptTest {
    private static final Pair QWEN = new Pair("text-qwen35", "qwen3vl");
    private static final Pair GEMMA = new Pair("text-gemma4-e2b", "gemma4v-clip");

    /** A model and its projector. */
    private record Pair(String text, String projector) {
        ImagePrompt prompt(String name) throws IOException {
            try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
                return ImagePrompt.read(
                        text + "--" + projector + "--" + name,
                        encoder.encoder(),
                        image ->
                                encoder.encode(
                                        VisionGolden.pixels(image, encoder.encoder().input())));
            }
        }

        LoadedModel load(int... cuts) {
            return Cpu.load(VisionGolden.model(text), Cpu.settings(512, 3, Cpu.F16), cuts);
        }

        int[] requireSame(String name) throws Exception {
            ImagePrompt golden = prompt(name);
            try (LoadedModel model = load()) {
                Answer answer =
                        Answer.to(golden.prompt(), golden.steps().size())
                                .reporting(ImagePrompt.COMPARED);
                answer.submit(model.engine());
                golden.requireSame(answer);
                return answer.tokens();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "alone", "two", "turns"})
    void tokensOfQwenAreThoseOfTheReferenceWholeAndSplit(String name) throws Exception {
        int[] whole = QWEN.requireSame(name);

        try (LoadedModel model = QWEN.load(1, 3)) {
            assertArrayEquals(whole, ask(model, QWEN.prompt(name)), "split in three");
        }
    }

    /** Its images attend causally, and its embeddings per layer are those of the first token. */
    @ParameterizedTest
    @ValueSource(strings = {"one", "alone", "two", "turns"})
    void tokensOfGemmaAreThoseOfTheReference(String name) throws Exception {
        GEMMA.requireSame(name);
    }

    private static int[] ask(LoadedModel model, ImagePrompt golden) throws Exception {
        Answer answer = Answer.to(golden.prompt(), golden.steps().size());
        answer.submit(model.engine());
        return answer.tokens();
    }

    @Test
    void requestsWithAndWithoutImagesShareBatches() throws Exception {
        ImagePrompt one = QWEN.prompt("one");
        ImagePrompt two = QWEN.prompt("two");
        int[] text = {263, 117, 115, 260, 10, 102, 105, 114, 115, 116};
        try (LoadedModel model = QWEN.load()) {
            int[] first = ask(model, one);
            int[] second = ask(model, two);
            Answer alone = Answer.apart(text, 32);
            alone.submit(model.engine());
            int[] third = alone.tokens();

            List<Answer> together =
                    List.of(
                            Answer.to(one.prompt(), 32),
                            Answer.apart(text, 32),
                            Answer.to(two.prompt(), 32));
            Answer.submit(model.engine(), together);

            assertArrayEquals(first, together.get(0).tokens());
            assertArrayEquals(third, together.get(1).tokens());
            assertArrayEquals(second, together.get(2).tokens());
        }
    }

    @Test
    void usageCountsTheTokensOfImages() throws Exception {
        ImagePrompt golden = QWEN.prompt("one");
        try (LoadedModel model = QWEN.load()) {
            Answer answer = Answer.to(golden.prompt(), 1);
            answer.submit(model.engine());

            assertEquals(12 + 70 + 32, answer.end().tokens().prompt());
            assertEquals(0, answer.end().tokens().cached());
        }
    }

    /** A response without the image would be worse than none. */
    @Test
    void familyThatIgnoresImagesIsNamed(@TempDir Path folder) throws Exception {
        RandomModel spec = RandomModel.Family.QWEN3.odd(1, TensorType.F16);
        ImageSpan span = new ImageSpan(1, 2, 1, ImagePositions.LINE);
        GenerationRequest.Prompt prompt =
                new GenerationRequest.Prompt(
                        new int[] {1, -2, -3, 4},
                        new int[0],
                        CacheScope.none(),
                        new SequenceImages(List.of(span), List.of(ImageRows.all(new float[4096]))));
        try (LoadedModel model = Cpu.load(spec.write(folder), Cpu.settings(64, 1, Cpu.F16))) {
            Answer answer = Answer.to(prompt, 1);
            answer.submit(model.engine());

            ExecutionException thrown = assertThrows(ExecutionException.class, answer::end);
            assertTrue(
                    thrown.getCause().getMessage().contains("architecture qwen3 puts no rows"),
                    thrown.getCause().getMessage());
        }
    }
}

package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.platform.vision.ImageKey;
import dev.varve.platform.vision.RgbImage;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** Prompts with images whose prefixes are cached. */
class ImageCacheTest {
    private static final int[] BEGIN = {263, 117, 115, 260, 10, 108, 111, 111, 107, 32, 97, 265};
    private static final int END = 266;
    private static final int[] FIRST = {32, 119, 104, 97, 116, 264, 10, 263, 97, 115, 115, 10};
    private static final int[] SECOND = {32, 104, 111, 119, 32, 109, 97, 110, 121, 264, 10, 263};
    private static final int ANSWER = 6;

    /** Both images have 10 by 7 tokens. */
    private static final String ONE = "a-gradient.png";

    private static final String OTHER = "e-photo.jpg";
    private static final int COLUMNS = 10;
    private static final int ROWS = 7;

    /** Tokens up to the end of the image. */
    private static final int HEAD = BEGIN.length + COLUMNS * ROWS + 1;

    private static float[] oneRows;
    private static float[] otherRows;

    @BeforeAll
    static void encode() throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl")) {
            oneRows = encoder.encode(VisionGolden.pixels(ONE, encoder.encoder().input()));
            otherRows = encoder.encode(VisionGolden.pixels(OTHER, encoder.encoder().input()));
        }
    }

    private static GenerationRequest.Prompt prompt(String image, int[] question, CacheScope scope) {
        ImageSpan span = new ImageSpan(BEGIN.length, COLUMNS, ROWS, ImagePositions.GRID);
        byte[] name = image.getBytes(StandardCharsets.US_ASCII);
        int[] ids = ImageKey.of(name, new RgbImage(1, 1, new byte[3])).tokens(span.tokens());
        int[] tokens =
                IntStream.concat(
                                IntStream.concat(IntStream.of(BEGIN), IntStream.of(ids)),
                                IntStream.concat(IntStream.of(END), IntStream.of(question)))
                        .toArray();
        return new GenerationRequest.Prompt(
                tokens,
                new int[] {HEAD},
                scope,
                new SequenceImages(
                        List.of(span),
                        List.of(ImageRows.all(image.equals(ONE) ? oneRows : otherRows))));
    }

    /** A response, and the tokens of its prompt that were cached. */
    private record Response(int[] tokens, int cached) {}

    private static Response ask(LoadedModel model, String image, int[] question, CacheScope scope)
            throws Exception {
        Answer answer = Answer.to(prompt(image, question, scope), ANSWER);
        answer.submit(model.engine());
        return new Response(answer.tokens(), answer.end().tokens().cached());
    }

    private static LoadedModel load() {
        return Cpu.load(
                VisionGolden.model("text-qwen35"),
                Cpu.settings(256, 2, Cpu.Q8_0).with(new HostCacheLimit.Fixed(32 << 20)));
    }

    @Test
    void secondQuestionAboutAnImageComputesTheQuestionOnly() throws Exception {
        try (LoadedModel model = load()) {
            Response cold = ask(model, ONE, SECOND, CacheScope.none());

            ask(model, ONE, FIRST, CacheScope.common());
            Response warm = ask(model, ONE, SECOND, CacheScope.common());

            assertEquals(0, cold.cached());
            assertEquals(HEAD, warm.cached());
            assertArrayEquals(cold.tokens(), warm.tokens());
        }
    }

    @Test
    void imageIsNeverTakenForAnotherOfTheSameSize() throws Exception {
        try (LoadedModel model = load()) {
            Response cold = ask(model, OTHER, FIRST, CacheScope.none());

            ask(model, ONE, FIRST, CacheScope.common());
            Response other = ask(model, OTHER, FIRST, CacheScope.common());

            assertTrue(other.cached() <= BEGIN.length, "cached tokens: " + other.cached());
            assertArrayEquals(cold.tokens(), other.tokens());
        }
    }

    /** The two images' first ids are equal here, as if they collided. */
    @Test
    void partOfAnImageIsNotReused() throws Exception {
        GenerationRequest.Prompt one = prompt(ONE, FIRST, CacheScope.common());
        GenerationRequest.Prompt other = prompt(OTHER, FIRST, CacheScope.common());
        int[] forged = other.tokens();
        System.arraycopy(one.tokens(), 0, forged, 0, HEAD - 10);
        try (LoadedModel model = load()) {
            Response cold = ask(model, OTHER, FIRST, CacheScope.none());

            ask(model, ONE, FIRST, CacheScope.common());
            Answer answer =
                    Answer.to(
                            new GenerationRequest.Prompt(
                                    forged, new int[] {HEAD}, CacheScope.common(), other.images()),
                            ANSWER);
            answer.submit(model.engine());

            assertArrayEquals(cold.tokens(), answer.tokens());
            assertTrue(answer.end().tokens().cached() <= BEGIN.length);
        }
    }
}

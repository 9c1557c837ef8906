package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.SequenceImages;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A prompt with images, and how another program continued it.
 *
 * @param prompt tokens and rows of images
 * @param steps the best tokens, with their distance to the second best ones
 * @param logits that program's behind the prompt
 * @param spread largest difference of a logit between that program and itself with kernels for
 *     other processors or without flash attention
 */
record ImagePrompt(
        GenerationRequest.Prompt prompt, List<Step> steps, float[] logits, double spread) {
    /** Likely tokens whose logits are compared. */
    static final int COMPARED = 20;

    /** A difference of two logits has the errors of both. */
    private static final double BOTH = 2;

    /** A step of the greedy continuation. */
    record Step(int token, double gap) {}

    /** Computes the rows of an image. */
    @FunctionalInterface
    interface Rows {
        float[] of(String image) throws IOException;
    }

    static ImagePrompt read(String prompt, ImageEncoder encoder, Rows rows) throws IOException {
        Path file = VisionGolden.folder().resolve("text/" + prompt + ".json");
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        IntStream tokens = IntStream.empty();
        List<ImageSpan> spans = new ArrayList<>();
        List<ImageRows> all = new ArrayList<>();
        int index = 0;
        for (JsonNode chunk : json.get("chunks")) {
            int[] ids;
            if (chunk.has("image")) {
                JsonNode image = chunk.get("image");
                ImageSpan span =
                        new ImageSpan(
                                index,
                                image.get("nx").asInt(),
                                image.get("ny").asInt(),
                                encoder.positions(),
                                encoder.attention());
                String name = json.get("images").get(spans.size()).asString();
                all.add(ImageRows.all(rows.of(name)));
                spans.add(span);
                ids = new int[span.tokens()];
                // Each image has ids of its own, as their digests would give them.
                Arrays.fill(ids, -spans.size());
            } else {
                ids = new int[chunk.get("text").size()];
                for (int i = 0; i < ids.length; i++) {
                    ids[i] = chunk.get("text").get(i).asInt();
                }
            }
            index += ids.length;
            tokens = IntStream.concat(tokens, Arrays.stream(ids));
        }
        List<Step> steps = new ArrayList<>();
        for (JsonNode step : json.get("steps")) {
            double gap = step.get("logit").asDouble() - step.get("second_logit").asDouble();
            steps.add(new Step(step.get("id").asInt(), gap));
        }
        double spread = 0;
        for (JsonNode other : json.get("reference_spread")) {
            spread = Math.max(spread, other.get("max_logit_difference").asDouble());
        }
        return new ImagePrompt(
                new GenerationRequest.Prompt(
                        tokens.toArray(),
                        new int[0],
                        CacheScope.none(),
                        new SequenceImages(spans, all)),
                steps,
                VisionGolden.floats(file.resolveSibling(prompt + ".logits.f32")),
                spread);
    }

    /**
     * Checks a greedy continuation: its first logits, and its tokens up to one whose rival is
     * nearer than the program is to itself.
     */
    void requireSame(Answer answer) throws Exception {
        double apart = distance(answer.likely().getFirst());
        assertTrue(apart <= BOTH * spread, "logits differ by " + apart + ", spread " + spread);
        int[] tokens = answer.tokens();
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] != steps.get(i).token()) {
                assertTrue(
                        steps.get(i).gap() < BOTH * spread,
                        "token " + i + ": " + tokens[i] + " instead of " + steps.get(i).token());
                return;
            }
        }
    }

    /** Differences of logits, since probabilities leave one number open. */
    private double distance(TokenLogprobs likely) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (TokenLogprobs.Alternative token : likely.top()) {
            double apart = token.logprob() - logits[token.id()];
            least = Math.min(least, apart);
            most = Math.max(most, apart);
        }
        return most - least;
    }
}

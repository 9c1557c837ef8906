package dev.varve.conformance;

import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.engine.GenerationRequest;
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
 */
record ImagePrompt(GenerationRequest.Prompt prompt, List<Step> steps) {
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
        return new ImagePrompt(
                new GenerationRequest.Prompt(
                        tokens.toArray(),
                        new int[0],
                        CacheScope.none(),
                        new SequenceImages(spans, all)),
                steps);
    }
}

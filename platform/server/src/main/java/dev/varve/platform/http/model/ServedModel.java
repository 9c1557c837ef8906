package dev.varve.platform.http.model;

import dev.varve.platform.chat.ImagePlaceholders;
import dev.varve.platform.chat.PromptLimit;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.fetch.ImageFetcher;
import dev.varve.platform.sampling.SamplingDefaults;
import dev.varve.platform.vision.PromptImages;

import java.util.Optional;

/**
 * A model that the server serves.
 *
 * @param description facts for clients
 * @param engine generates tokens; its status has the context length
 * @param textProcessing converts conversations to tokens, and tokens to responses
 * @param compressor compresses long conversations; empty if compression is off
 * @param sampling sampling values of requests that set none
 * @param outputLimit meaning of an output limit that exceeds the room in the context
 * @param images image input; empty if the model reads text only
 * @param encoding computation of vectors or scores; empty if the model only generates
 */
public record ServedModel(
        ModelDescription description,
        Engine engine,
        ModelTextProcessing textProcessing,
        Optional<ConversationCompressor> compressor,
        SamplingDefaults sampling,
        OutputLimitPolicy outputLimit,
        Optional<ImageInput> images,
        Optional<Encoding> encoding) {
    /**
     * Vectors or scores of texts.
     *
     * @param embedder computes them
     * @param only whether the model generates no text
     */
    public record Encoding(TextEmbedder embedder, boolean only) {}

    /**
     * Image input of a model.
     *
     * @param encoder turns files into rows
     * @param placeholders finds the places of images in prompts
     * @param fetcher fetches the images of other hosts; empty if the server may not
     */
    public record ImageInput(
            PromptImages encoder, ImagePlaceholders placeholders, Optional<ImageFetcher> fetcher) {}

    /** Makes a model that reads text only. */
    public ServedModel(
            ModelDescription description,
            Engine engine,
            ModelTextProcessing textProcessing,
            Optional<ConversationCompressor> compressor,
            SamplingDefaults sampling,
            OutputLimitPolicy outputLimit) {
        this(
                description,
                engine,
                textProcessing,
                compressor,
                sampling,
                outputLimit,
                Optional.empty(),
                Optional.empty());
    }

    /** Makes a model without prompt compression. */
    public ServedModel(
            ModelDescription description, Engine engine, ModelTextProcessing textProcessing) {
        this(description, engine, textProcessing, Optional.empty());
    }

    /** Makes a model whose output limits are upper bounds. */
    public ServedModel(
            ModelDescription description,
            Engine engine,
            ModelTextProcessing textProcessing,
            Optional<ConversationCompressor> compressor) {
        this(
                description,
                engine,
                textProcessing,
                compressor,
                SamplingDefaults.NONE,
                OutputLimitPolicy.UPPER_BOUND);
    }

    /** Returns the limit of prompts. */
    public PromptLimit promptLimit() {
        return new PromptLimit(engine.status().load().contextTokens());
    }

    /** Returns a copy with another rule for output limits. */
    public ServedModel with(OutputLimitPolicy other) {
        return new ServedModel(
                description, engine, textProcessing, compressor, sampling, other, images, encoding);
    }

    /** Returns a copy with image input. */
    public ServedModel with(ImageInput other) {
        return new ServedModel(
                description,
                engine,
                textProcessing,
                compressor,
                sampling,
                outputLimit,
                Optional.of(other),
                encoding);
    }

    /** Returns a copy that computes vectors or scores. */
    public ServedModel with(Encoding other) {
        return new ServedModel(
                description,
                engine,
                textProcessing,
                compressor,
                sampling,
                outputLimit,
                images,
                Optional.of(other));
    }

    /** Returns whether the model generates text. */
    public boolean generates() {
        return encoding.filter(Encoding::only).isEmpty();
    }

    /** Returns a copy with other sampling defaults. */
    public ServedModel with(SamplingDefaults other) {
        return new ServedModel(
                description,
                engine,
                textProcessing,
                compressor,
                other,
                outputLimit,
                images,
                encoding);
    }
}

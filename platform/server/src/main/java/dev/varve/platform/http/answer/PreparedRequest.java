package dev.varve.platform.http.answer;

import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A checked request: its generations and the format of its response.
 *
 * @param delivery how the response is delivered
 * @param choices one entry per choice, in the order of their numbers
 * @param format format of the response
 * @param cache prefix cache options of the request
 * @param compression report on the compression of the prompt, if it was compressed
 * @param ended called for each choice that ends, on the engine's thread
 */
public record PreparedRequest(
        ResponseMode delivery,
        List<Choice> choices,
        ResponseSerializer format,
        RequestCacheOptions cache,
        Optional<CompressionReport> compression,
        Consumer<GenerationEnd> ended) {
    /** Makes a request whose prompt was not compressed. */
    public PreparedRequest(
            ResponseMode delivery,
            List<Choice> choices,
            ResponseSerializer format,
            RequestCacheOptions cache) {
        this(delivery, choices, format, cache, Optional.empty(), end -> {});
    }

    /** One choice; {@code reader} belongs to the engine's thread. */
    public record Choice(GenerationRequest request, StoppingResponseParser reader) {}
}

package dev.varve.platform.http.answer;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A checked request: what the engine is asked and how its answer is written.
 *
 * @param delivery how the client wants it
 * @param choices one entry per choice, in the order of their numbers
 * @param format shapes of the answer
 * @param cache what it asks of computed prompts
 * @param compression what became of its prompt, if that became shorter
 * @param ended hears how each choice ended, on the engine's thread
 */
public record PreparedRequest(
        ResponseMode delivery,
        List<Choice> choices,
        ResponseSerializer format,
        CacheOptions cache,
        Optional<CompressionReport> compression,
        Consumer<GenerationEnd> ended) {
    /** A request whose prompt is as its client meant it. */
    public PreparedRequest(
            ResponseMode delivery,
            List<Choice> choices,
            ResponseSerializer format,
            CacheOptions cache) {
        this(delivery, choices, format, cache, Optional.empty(), end -> {});
    }

    /** One choice; {@code reader} belongs to the engine's thread. */
    public record Choice(GenerationRequest request, ResponseReader reader) {}
}

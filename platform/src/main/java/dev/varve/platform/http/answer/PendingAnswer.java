package dev.varve.platform.http.answer;

import dev.varve.platform.engine.GenerationRequest;

import java.util.List;

/**
 * A checked request: what the engine is asked and how its answer is written.
 *
 * @param delivery how the client wants it
 * @param choices one entry per choice, in the order of their numbers
 * @param format shapes of the answer
 * @param cache what it asks of computed prompts
 */
public record PendingAnswer(
        Delivery delivery, List<Choice> choices, AnswerFormat format, CacheWish cache) {
    /** One choice; {@code reader} belongs to the engine's thread. */
    public record Choice(GenerationRequest request, AnswerReader reader) {}
}

package dev.varve.platform.http.model;

import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.engine.Engine;

import java.util.Optional;

/**
 * The model that a server offers.
 *
 * @param description what clients are told of it
 * @param engine generates tokens; its status has the context that is offered
 * @param language how conversations become tokens, and tokens answers
 * @param compressor makes long conversations shorter; empty where none become so
 * @param outputLimit what a limit of output tokens means that the context does not leave
 */
public record ServedModel(
        ModelDescription description,
        Engine engine,
        ModelTextProcessing language,
        Optional<ConversationCompressor> compressor,
        OutputLimit outputLimit) {
    /** A model that gets all prompts as they are. */
    public ServedModel(ModelDescription description, Engine engine, ModelTextProcessing language) {
        this(description, engine, language, Optional.empty());
    }

    /** A model whose output limits are upper bounds. */
    public ServedModel(
            ModelDescription description,
            Engine engine,
            ModelTextProcessing language,
            Optional<ConversationCompressor> compressor) {
        this(description, engine, language, compressor, OutputLimit.UPPER_BOUND);
    }

    /** The same with another rule for output limits. */
    public ServedModel with(OutputLimit other) {
        return new ServedModel(description, engine, language, compressor, other);
    }
}

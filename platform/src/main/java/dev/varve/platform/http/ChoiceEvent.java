package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;

import java.util.Optional;

/** What the engine's thread tells the thread of a request about one of its choices. */
sealed interface ChoiceEvent {
    /** Number of the choice. */
    int index();

    /** A token, with the text that it settled. */
    record Token(int index, GeneratedToken token, String reasoning, String content)
            implements ChoiceEvent {}

    /** The choice ended; the text is what was held back. */
    record Ended(
            int index,
            GenerationEnd end,
            String reasoning,
            String content,
            Optional<String> stop,
            int reasoningTokens)
            implements ChoiceEvent {
        /** OpenAI's finish reason. */
        String finishReason() {
            return end.reason() == GenerationEnd.Reason.LENGTH ? "length" : "stop";
        }
    }

    /** The choice failed. */
    record Failed(int index, VarveException error) implements ChoiceEvent {}
}

package dev.varve.platform.http.answer;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.json.ApiException;

/** What the engine's thread tells the thread of a request about one of its choices. */
public sealed interface ChoiceEvent {
    /** Number of the choice. */
    int index();

    /** A token, with the text that it settled. */
    record Token(int index, GeneratedToken token, ResponseParser.Piece piece)
            implements ChoiceEvent {}

    /** The choice ended; the piece is what was held back. */
    record Ended(int index, GenerationEnd end, ResponseParser.Piece piece, ResponseSummary facts)
            implements ChoiceEvent {
        /** Whether more would have followed that nobody wants: it was long enough, or a loop. */
        public boolean isCut() {
            return end.reason() == GenerationEnd.Reason.LENGTH || facts.loops();
        }

        /** OpenAI's finish reason. */
        public String finishReason() {
            if (isCut()) {
                return "length";
            }
            return facts.calls() > 0 ? "tool_calls" : "stop";
        }
    }

    /** The choice failed. */
    record Failed(int index, ApiException error) implements ChoiceEvent {}
}

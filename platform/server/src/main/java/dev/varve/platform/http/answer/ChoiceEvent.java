package dev.varve.platform.http.answer;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ResponseSummary;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.json.ApiException;

/** An event of one choice, sent by the engine's thread to the thread of the request. */
public sealed interface ChoiceEvent {
    /** Number of the choice. */
    int index();

    /** An event that is part of a response. */
    sealed interface OutputEvent extends ChoiceEvent {
        /** Text of the response, which may be empty. */
        ResponseParser.Piece piece();
    }

    /** A token, with the text that it completed. */
    record Token(int index, GeneratedToken token, ResponseParser.Piece piece)
            implements OutputEvent {}

    /** The choice ended; {@code piece} is the text that was held back. */
    record Ended(int index, GenerationEnd end, ResponseParser.Piece piece, ResponseSummary summary)
            implements OutputEvent {
        /**
         * Returns whether the choice was cut off: it reached its length limit or repeated itself.
         */
        public boolean isCut() {
            return end.reason() == GenerationEnd.Reason.LENGTH || summary.isRepeating();
        }

        /** Returns OpenAI's finish reason. */
        public String finishReason() {
            if (isCut()) {
                return "length";
            }
            return summary.calls() > 0 ? "tool_calls" : "stop";
        }
    }

    /** The choice failed. */
    record Failed(int index, ApiException error) implements ChoiceEvent {}
}

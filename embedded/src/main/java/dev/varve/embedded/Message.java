package dev.varve.embedded;

import java.util.List;
import java.util.Objects;

/**
 * A message of a chat.
 *
 * @since 0.1.0
 */
public sealed interface Message {
    /**
     * Instructions for the whole chat; usually the first message.
     *
     * @param text the instructions
     */
    record System(String text) implements Message {
        /** Checks that the text is present. */
        public System {
            Objects.requireNonNull(text);
        }
    }

    /**
     * A message of the user.
     *
     * @param text the message
     */
    record User(String text) implements Message {
        /** Checks that the text is present. */
        public User {
            Objects.requireNonNull(text);
        }
    }

    /**
     * A response of the model.
     *
     * @param text text of the response; may be empty
     * @param calls calls of tools
     */
    record Assistant(String text, List<ToolCall> calls) implements Message {
        /** Copies the calls. */
        public Assistant {
            Objects.requireNonNull(text);
            calls = List.copyOf(calls);
        }
    }

    /**
     * The result of a tool.
     *
     * @param call the call that it answers
     * @param text result, for the model
     */
    record ToolResult(ToolCall call, String text) implements Message {
        /** Checks that nothing is missing. */
        public ToolResult {
            Objects.requireNonNull(call);
            Objects.requireNonNull(text);
        }
    }

    /** Creates instructions. */
    static Message system(String text) {
        return new System(text);
    }

    /** Creates a message of the user. */
    static Message user(String text) {
        return new User(text);
    }

    /** Creates a response of the model without calls of tools. */
    static Message assistant(String text) {
        return new Assistant(text, List.of());
    }

    /** Creates the result of a tool. */
    static Message toolResult(ToolCall call, String text) {
        return new ToolResult(call, text);
    }
}

package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Special tokens of responses that consist of messages in channels (the Harmony format). A message
 * is a header, {@code message}, and a body; {@code end} ends it.
 *
 * @param start begins the header of a message
 * @param channel precedes the channel in a header
 * @param constrain precedes the type of the body in a header
 * @param message ends a header
 * @param end ends a message
 */
record ChannelTokens(
        Tokenizer tokenizer, int start, int channel, int constrain, int message, int end) {
    /** Syntax of a call: a header with the name, and a body with the arguments. */
    static final ToolSyntax.Named CALLS =
            new ToolSyntax.Named(
                    new ToolSyntax.Tags("", ""),
                    new ToolSyntax.Tags(" to=functions.", ""),
                    "",
                    "<|channel|>commentary <|constrain|>json<|message|>");

    /** Role and channel of reasoning, as a model writes them at the begin of a response. */
    static final String REASONING = "<|channel|>analysis<|message|>";

    /** Text that is forced to end reasoning and to begin content. */
    static final String FORCED_END = "<|end|><|start|>assistant<|channel|>final<|message|>";

    /** Text between the end of reasoning and the header of the next message. */
    static final String NEXT = "<|start|>assistant";

    /** Returns the tokens; empty if the vocabulary lacks one. */
    static Optional<ChannelTokens> of(Tokenizer tokenizer) {
        OptionalInt[] ids =
                Stream.of("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>")
                        .map(text -> MarkTable.special(tokenizer, text))
                        .toArray(OptionalInt[]::new);
        if (Stream.of(ids).anyMatch(OptionalInt::isEmpty)) {
            return Optional.empty();
        }
        return Optional.of(
                new ChannelTokens(
                        tokenizer,
                        ids[0].getAsInt(),
                        ids[1].getAsInt(),
                        ids[2].getAsInt(),
                        ids[3].getAsInt(),
                        ids[4].getAsInt()));
    }

    /** Whether a token is part of a header, or ends a message. */
    boolean isMark(int token) {
        return token == start
                || token == channel
                || token == constrain
                || token == message
                || token == end;
    }
}

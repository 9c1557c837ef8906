package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/**
 * A prompt and what is to follow it do not fit the context of a model. Clients look for the words
 * of the message, with the numbers in just these places.
 */
public final class ContextOverflowException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final long promptTokens;
    private final long outputTokens;
    private final int contextTokens;

    private ContextOverflowException(
            int contextTokens, long promptTokens, long outputTokens, String atLeast) {
        super(
                Kind.CONTEXT_OVERFLOW,
                "This model's maximum context length is "
                        + contextTokens
                        + " tokens. However, you requested "
                        + (promptTokens + outputTokens)
                        + " tokens ("
                        + promptTokens
                        + " in the messages, "
                        + outputTokens
                        + " in the completion)"
                        + atLeast
                        + ". Please reduce the length of the messages or completion.");
        this.promptTokens = promptTokens;
        this.outputTokens = outputTokens;
        this.contextTokens = contextTokens;
    }

    /** A prompt whose tokens were counted. */
    public static ContextOverflowException of(int context, int prompt, int output) {
        return new ContextOverflowException(context, prompt, output, "");
    }

    /** A prompt that was not counted to its end. */
    public static ContextOverflowException ofAtLeast(int context, long prompt, long output) {
        return new ContextOverflowException(context, prompt, output, " at least");
    }

    /** Tokens of the prompt, or fewer where they were not counted to the end. */
    public long promptTokens() {
        return promptTokens;
    }

    /** Tokens that were to follow. */
    public long outputTokens() {
        return outputTokens;
    }

    /** Tokens that the model takes, prompt and answer. */
    public int contextTokens() {
        return contextTokens;
    }
}

package dev.varve.platform.engine;

import dev.varve.api.VarveException;

/**
 * Thrown when prompt and output together exceed the context of a model. Clients parse the message,
 * so its words and the order of its numbers must stay.
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

    /** Returns the error for a prompt whose tokens were all counted. */
    public static ContextOverflowException of(int context, int prompt, int output) {
        return new ContextOverflowException(context, prompt, output, "");
    }

    /** Returns the error for a prompt that was not counted to its end. */
    public static ContextOverflowException ofAtLeast(int context, long prompt, long output) {
        return new ContextOverflowException(context, prompt, output, " at least");
    }

    /** Tokens of the prompt, or a lower bound if they were not counted to the end. */
    public long promptTokens() {
        return promptTokens;
    }

    /** Requested output tokens. */
    public long outputTokens() {
        return outputTokens;
    }

    /** Context of the model in tokens, prompt and output together. */
    public int contextTokens() {
        return contextTokens;
    }
}

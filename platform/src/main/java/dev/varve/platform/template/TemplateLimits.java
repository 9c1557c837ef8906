package dev.varve.platform.template;

/**
 * What one render may use. A render that exceeds a limit fails with a {@link TemplateException}.
 *
 * @param steps statements, expressions and container elements evaluated
 * @param depth nested statements, expressions and macro calls
 * @param outputChars length of the prompt, and of any string on the way, in UTF-16 units
 */
public record TemplateLimits(long steps, int depth, int outputChars) {
    /**
     * Enough for prompts of millions of tokens and thousands of messages, also with templates that
     * walk all messages again for each one; the worst template ends within seconds.
     */
    public static final TemplateLimits DEFAULT = new TemplateLimits(100_000_000, 1_000, 8 << 20);

    public TemplateLimits {
        if (steps < 1 || depth < 1 || outputChars < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive, got "
                            + steps
                            + " steps, depth "
                            + depth
                            + ", "
                            + outputChars
                            + " chars");
        }
    }
}

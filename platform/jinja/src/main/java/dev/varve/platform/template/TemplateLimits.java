package dev.varve.platform.template;

import java.time.Duration;

/**
 * Limits of one render. A render that exceeds a limit fails with a {@link TemplateException}.
 *
 * @param steps statements, expressions and container elements evaluated
 * @param depth nested statements, expressions and macro calls
 * @param outputChars length of the prompt, and of any intermediate string, in UTF-16 units
 * @param time maximum duration
 */
public record TemplateLimits(long steps, int depth, int outputChars, Duration time) {
    /**
     * Enough for prompts of millions of tokens and thousands of messages, also with templates that
     * iterate over all messages again for each one. Such a render takes a fraction of a second; the
     * time limit is for templates whose work is out of proportion to the text.
     */
    public static final TemplateLimits DEFAULT =
            new TemplateLimits(100_000_000, 1_000, 8 << 20, Duration.ofSeconds(3));

    /** Refuses a limit that is not positive. */
    public TemplateLimits {
        if (steps < 1 || depth < 1 || outputChars < 1 || !time.isPositive()) {
            throw new IllegalArgumentException(
                    "limits must be positive, got "
                            + steps
                            + " steps, depth "
                            + depth
                            + ", "
                            + outputChars
                            + " chars, "
                            + time);
        }
    }
}

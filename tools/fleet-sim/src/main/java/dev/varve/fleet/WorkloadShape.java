package dev.varve.fleet;

import java.util.List;

/**
 * Lengths and sessions after public traces (docs/fleet.md has the samples and what is assumed).
 *
 * @param classes kinds of sessions; their shares add up to 1
 */
public record WorkloadShape(List<SessionClass> classes) {
    /** Checks that the shares add up. */
    public WorkloadShape {
        classes = List.copyOf(classes);
        double sum = classes.stream().mapToDouble(SessionClass::share).sum();
        if (Math.abs(sum - 1) > 1e-9) {
            throw new IllegalArgumentException("shares of classes must add up to 1, got " + sum);
        }
    }

    /**
     * A logarithmic normal distribution of tokens.
     *
     * @param median half of all values are below
     * @param sigma standard deviation of the logarithm; 0 for always the median
     * @param most upper limit
     */
    public record Lengths(double median, double sigma, int most) {}

    /**
     * A kind of sessions.
     *
     * @param share part of all sessions
     * @param system number of its system prompt
     * @param systemTokens tokens of its system prompt
     * @param first tokens behind the system prompt in the first turn
     * @param next tokens behind the last response in a further turn
     * @param shortOutputs share of responses that are short
     * @param shortOutput length of short responses
     * @param output length of the others
     * @param another probability of another turn after each turn
     */
    public record SessionClass(
            double share,
            int system,
            int systemTokens,
            Lengths first,
            Lengths next,
            double shortOutputs,
            Lengths shortOutput,
            Lengths output,
            double another) {
        private SessionClass dividedBy(double by) {
            return new SessionClass(
                    share,
                    system,
                    (int) Math.round(systemTokens / by),
                    divided(first, by),
                    divided(next, by),
                    shortOutputs,
                    divided(shortOutput, by),
                    divided(output, by),
                    another);
        }

        private SessionClass withShare(double other) {
            return new SessionClass(
                    other,
                    system,
                    systemTokens,
                    first,
                    next,
                    shortOutputs,
                    shortOutput,
                    output,
                    another);
        }

        private static Lengths divided(Lengths lengths, double by) {
            return new Lengths(
                    lengths.median() / by,
                    lengths.sigma(),
                    Math.max(1, (int) Math.round(lengths.most() / by)));
        }
    }

    private static final SessionClass CHAT =
            new SessionClass(
                    1,
                    0,
                    512,
                    new Lengths(6_500, 1.1, 120_000),
                    new Lengths(700, 1.3, 30_000),
                    0.18,
                    new Lengths(24, 0.8, 80),
                    new Lengths(400, 0.4, 2_000),
                    0.41);

    private static final SessionClass LONG_TOOL = tool(0.51, 1, 6_144, 400);

    private static final SessionClass SHORT_TOOL = tool(0.17, 2, 2_560, 550);

    private static SessionClass tool(double share, int system, int systemTokens, double median) {
        return new SessionClass(
                share,
                system,
                systemTokens,
                new Lengths(median, 0.9, 4_000),
                new Lengths(100, 0, 100),
                system == 1 ? 0.6 : 0,
                new Lengths(3, 0, 3),
                new Lengths(26, 0.3, 60),
                0);
    }

    /** Multi-turn chats that share one short system prompt. */
    public static final WorkloadShape CONVERSATION = new WorkloadShape(List.of(CHAT));

    /** Calls with two long system prompts and short responses, and chats beside them. */
    public static final WorkloadShape TOOL_AGENT =
            new WorkloadShape(List.of(LONG_TOOL, SHORT_TOOL, CHAT.withShare(0.32)));

    /**
     * Returns the same shape with shorter texts.
     *
     * @param by divisor of all lengths
     */
    public WorkloadShape dividedBy(double by) {
        return new WorkloadShape(classes.stream().map(each -> each.dividedBy(by)).toList());
    }

    /** Returns the mean number of turns of a session. */
    double meanTurns() {
        return classes.stream().mapToDouble(each -> each.share() / (1 - each.another())).sum();
    }
}

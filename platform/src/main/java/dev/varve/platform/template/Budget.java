package dev.varve.platform.template;

/** Counts what one render uses. */
final class Budget {
    /** As in the sandbox of the reference implementation. */
    static final int MAX_RANGE = 100_000;

    /** Copies made on the way to a prompt, as a multiple of the prompt: strings are often built piece by piece. */
    private static final int COPY_FACTOR = 32;

    private final TemplateLimits limits;
    private long steps;
    private long chars;
    private int depth;

    Budget(TemplateLimits limits) {
        this.limits = limits;
    }

    void step() {
        steps(1);
    }

    void steps(long count) {
        steps += count;
        if (steps > limits.steps() || steps < 0) {
            throw new EvaluationError("the template needs more than " + limits.steps() + " steps");
        }
    }

    void enter() {
        step();
        if (++depth > limits.depth()) {
            throw new EvaluationError("the template nests deeper than " + limits.depth() + " levels");
        }
    }

    void leave() {
        depth--;
    }

    /** Must be asked before a string of this length is made. */
    void chars(long length) {
        if (length > limits.outputChars()) {
            throw new EvaluationError("a string is longer than the limit of " + limits.outputChars() + " characters");
        }
        chars += length;
        if (chars > (long) limits.outputChars() * COPY_FACTOR) {
            throw new EvaluationError("the template copies more text than its limits allow");
        }
    }

    TemplateString.Builder builder() {
        return new TemplateString.Builder(limits.outputChars());
    }

    /** Accounts for a finished string. */
    TemplateString counted(TemplateString string) {
        chars(string.length());
        return string;
    }

    int maxDepth() {
        return limits.depth();
    }
}

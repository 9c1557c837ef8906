package dev.varve.platform.template;

import dev.varve.platform.preemption.PreemptionPoint;

/** Counts the resources of one render. */
final class RenderBudget {
    /** The limit of the reference implementation's sandbox. */
    static final int MAX_RANGE = 100_000;

    /**
     * Maximum characters of intermediate strings, as a multiple of the prompt: strings are often
     * built piece by piece.
     */
    private static final int COPY_FACTOR = 32;

    /**
     * Bounds the memory of containers, about 8 bytes each; far more steps than this are harmless.
     */
    private static final long MAX_ELEMENTS = 20_000_000;

    private static final int ELEMENTS_PER_OBJECT = 12;

    /** These steps take some microseconds in all, so reading the time costs little beside them. */
    private static final int STEPS_PER_CHECK = 4096;

    private final TemplateLimits limits;

    /** Advanced by the time in which other work ran. */
    private long begin = System.nanoTime();

    private long steps;
    private long nextCheck = STEPS_PER_CHECK;
    private long elements;
    private long chars;
    private int depth;

    RenderBudget(TemplateLimits limits) {
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
        if (steps >= nextCheck) {
            nextCheck = steps + STEPS_PER_CHECK;
            checkTime();
        }
    }

    private void checkTime() {
        begin += PreemptionPoint.reach();
        if (System.nanoTime() - begin > limits.time().toNanos()) {
            throw new EvaluationError(
                    "the template takes longer than " + limits.time().toMillis() + " ms");
        }
    }

    /** Charges elements added to a list or dict. */
    void elements(long count) {
        steps(count);
        elements += count;
        if (elements > MAX_ELEMENTS) {
            throw new EvaluationError(
                    "the template makes more than " + MAX_ELEMENTS + " list elements");
        }
    }

    /** Charges elements that need an object or more each. */
    void objects(long count) {
        elements(count * ELEMENTS_PER_OBJECT);
    }

    /** Charges a text search, at the cost of the worst case. */
    void search(int textChars, int patternChars) {
        steps(textChars / 64 + (long) textChars * patternChars / 512);
    }

    void enter() {
        step();
        if (++depth > limits.depth()) {
            throw new EvaluationError(
                    "the template nests deeper than " + limits.depth() + " levels");
        }
    }

    void leave() {
        depth--;
    }

    /** Checks a length; call it before a string of this length is created. */
    void chars(long length) {
        if (length > limits.outputChars()) {
            throw new EvaluationError(
                    "a string is longer than the limit of " + limits.outputChars() + " characters");
        }
        chars += length;
        if (chars > (long) limits.outputChars() * COPY_FACTOR) {
            throw new EvaluationError("the template copies more text than its limits allow");
        }
    }

    TemplateString.Builder builder() {
        return new TemplateString.Builder(limits.outputChars());
    }

    /** Charges a finished string. */
    TemplateString counted(TemplateString string) {
        chars(string.length());
        return string;
    }
}

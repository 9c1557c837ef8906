package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenGuide;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Ends thoughts whose budget is spent, and begins the call that a request demands, as soon as
 * content would begin.
 */
final class AnswerGuide implements TokenGuide {
    private static final int[] NOTHING = {};

    private final Optional<ReasoningTokens> marks;
    private final OptionalInt budget;

    /** What a demanded call begins with; empty when there is none or it has begun. */
    private int[] call;

    private int[] queue = NOTHING;
    private int queued;
    private boolean inThought;
    private boolean closedThought;
    private int spent;
    private int inThisThought;

    AnswerGuide(
            Optional<ReasoningTokens> marks, int[] call, boolean inThought, OptionalInt budget) {
        this.marks = marks;
        this.call = call;
        this.inThought = inThought;
        this.budget = budget;
        // The label of a thought that the prompt opened is in the prompt.
        inThisThought = 1;
    }

    /** Whether a thought was closed because the budget was spent. */
    boolean hasClosedThought() {
        return closedThought;
    }

    @Override
    public OptionalInt forced() {
        if (queued == queue.length) {
            if (inThought && budget.isPresent() && spent >= budget.getAsInt()) {
                closedThought = true;
                enqueue(closing(marks.orElseThrow()));
            } else if (!inThought && call.length > 0) {
                enqueue(call);
                call = NOTHING;
            }
        }
        return queued < queue.length ? OptionalInt.of(queue[queued]) : OptionalInt.empty();
    }

    @Override
    public void accept(int token) {
        boolean forced = queued < queue.length;
        if (forced) {
            queued++;
        }
        if (marks.isEmpty()) {
            return;
        }
        if (inThought && token == marks.get().closeId()) {
            inThought = false;
            if (!forced && call.length > 0) {
                call = joined(marks.get().afterClose(), call);
            }
        } else if (inThought) {
            spent++;
            inThisThought++;
        } else if (token == marks.get().openId()) {
            inThought = true;
            inThisThought = 0;
        }
    }

    /** Behind its mark a thought has its label, even one that is not thought at all. */
    private int[] closing(ReasoningTokens tokens) {
        return inThisThought == 0
                ? joined(tokens.labelIds(), tokens.forcedClose())
                : tokens.forcedClose();
    }

    private void enqueue(int[] tokens) {
        queue = tokens;
        queued = 0;
    }

    private static int[] joined(int[] first, int[] second) {
        return IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
    }
}

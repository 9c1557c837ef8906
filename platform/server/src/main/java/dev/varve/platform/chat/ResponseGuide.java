package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenGuide;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Ends thoughts whose budget is spent, begins the call that a request demands as soon as content
 * would begin, and lets content be only what its form allows. Content that must have a form begins
 * right behind the thoughts, or with a thought where the prompt and the budget leave that to the
 * model.
 */
final class ResponseGuide implements TokenGuide {
    private static final int[] NOTHING = {};

    /** Tokens of content that are forced at once. */
    private static final int MOST_FORCED = 256;

    private final Tokenizer tokenizer;
    private final Optional<ReasoningDelimiters> marks;
    private final OptionalInt budget;
    private final ContentConstraint rule;

    /** The mark that opens a call, and ends an open thought; empty without tools. */
    private final OptionalInt callId;

    /** What a demanded call begins with; empty when there is none or it has begun. */
    private int[] call;

    /** Tokens that are forced, and how many of them came. */
    private int[] queue = NOTHING;

    private int queued;

    /** The first of them that is content. */
    private int contentFrom;

    /** Whether it is known what is forced at this place. */
    private boolean isPrepared;

    private boolean inThought;
    private boolean mayThink;

    /** Whether content came since the last thought or call: no thought begins behind it. */
    private boolean isBehindContent;

    private boolean hasContent;
    private boolean closedThought;
    private int spent;
    private int inThisThought;

    /**
     * @param call what a demanded call begins with; none for no such call
     * @param start where the prompt leaves the answer
     * @param callId the mark that opens a call; empty without tools
     */
    ResponseGuide(
            Tokenizer tokenizer,
            Optional<ReasoningDelimiters> marks,
            ContentConstraint rule,
            OptionalInt callId,
            int[] call,
            PromptEnd start,
            OptionalInt budget) {
        this.tokenizer = tokenizer;
        this.marks = marks;
        this.rule = rule;
        this.callId = callId;
        this.call = call;
        this.budget = budget;
        inThought = start instanceof PromptEnd.InThought;
        mayThink =
                marks.isPresent()
                        && start instanceof PromptEnd.Plain
                        && (budget.isEmpty() || budget.getAsInt() > 0);
        // The label of a thought that the prompt opened is in the prompt.
        inThisThought = 1;
    }

    /** Whether a thought was closed because the budget was spent. */
    boolean hasClosedThought() {
        return closedThought;
    }

    /** The reader of the answer saw the end of a call: a thought may follow it. */
    void callEnded() {
        isBehindContent = false;
    }

    /**
     * Corrects whether a thought is open: a mark within a thought may open no call.
     *
     * @param open what the reader of the answer found
     */
    void setInThought(boolean open) {
        inThought = open && !rule.isWhole();
    }

    /** Whether content has begun that keeps to a form, so that all of it counts. */
    boolean hasExactContent() {
        return hasContent && rule.isWhole();
    }

    @Override
    public OptionalInt forced() {
        prepare();
        return queued < queue.length ? OptionalInt.of(queue[queued]) : OptionalInt.empty();
    }

    @Override
    public int[] certain(int most) {
        prepare();
        return Arrays.copyOfRange(queue, queued, Math.min(queue.length, queued + most));
    }

    private void prepare() {
        if (isPrepared || queued < queue.length) {
            return;
        }
        isPrepared = true;
        if (inThought) {
            if (budget.isPresent() && spent >= budget.getAsInt()) {
                closedThought = true;
                int[] closing = closing(marks.orElseThrow());
                enqueue(closing, closing.length);
            }
        } else if (call.length > 0) {
            enqueue(call, 0);
            call = NOTHING;
        } else if (!mayThink) {
            enqueue(rule.forced(MOST_FORCED), 0);
        }
    }

    @Override
    public void accept(int token) {
        boolean forced = queued < queue.length;
        boolean content = !forced || queued >= contentFrom;
        if (forced) {
            queued++;
        }
        isPrepared = false;
        if (inThought) {
            acceptInThought(token, forced);
        } else if (opensThought(token)) {
            inThought = true;
            mayThink = false;
            inThisThought = 0;
        } else if (content) {
            acceptContent(token);
        }
    }

    private void acceptContent(int token) {
        mayThink = false;
        hasContent = true;
        isBehindContent = isBehindContent || isVisible(token, tokenizer);
        rule.accept(token);
    }

    /** Whether a token of content is more than white space. */
    static boolean isVisible(int token, Tokenizer tokenizer) {
        return !tokenizer.decode(new int[] {token}, true).isBlank();
    }

    private void acceptInThought(int token, boolean forced) {
        if (!forced && opensCall(token)) {
            inThought = false;
            if (call.length > 0) {
                enqueue(Arrays.copyOfRange(call, 1, call.length), 0);
                call = NOTHING;
            }
            acceptContent(token);
            return;
        }
        if (token != marks.orElseThrow().closeId()) {
            spent++;
            inThisThought++;
            return;
        }
        inThought = false;
        isBehindContent = false;
        if (!forced && (call.length > 0 || rule.isWhole())) {
            int[] after = marks.get().afterClose();
            enqueue(joined(after, call), after.length);
            call = NOTHING;
        }
    }

    /** Within a form a thought comes first or not at all, elsewhere not behind content. */
    private boolean opensThought(int token) {
        return marks.isPresent()
                && token == marks.get().openId()
                && (mayThink || !rule.isWhole() && !isBehindContent);
    }

    /** Whether a token within a thought opens a call, which ends the thought. */
    private boolean opensCall(int token) {
        return callId.isPresent()
                && token == callId.getAsInt()
                && (call.length > 0 ? call[0] == token : rule.allows(token));
    }

    @Override
    public boolean constrains() {
        return rule.constrains();
    }

    @Override
    public boolean allows(int token) {
        if (inThought) {
            // An answer that has to have a form does not end without one.
            return !rule.isWhole() || !tokenizer.endTokens().contains(token);
        }
        return mayThink && opensThought(token) || rule.allows(token);
    }

    @Override
    public TokenMask mask() {
        if (inThought) {
            return TokenMask.ofTokens(
                    IntStream.range(0, tokenizer.vocabularySize())
                            .filter(token -> !tokenizer.endTokens().contains(token))
                            .toArray());
        }
        return mayThink && rule.isWhole()
                ? rule.mask().with(marks.orElseThrow().openId())
                : rule.mask();
    }

    @Override
    public int allowed(int[] guesses) {
        if (queued < queue.length) {
            int left = Math.min(queue.length - queued, guesses.length);
            int mismatch = Arrays.mismatch(queue, queued, queued + left, guesses, 0, left);
            return mismatch < 0 ? left : mismatch;
        }
        if (inThought) {
            return allowedInThought(guesses);
        }
        return mayThink && guesses.length > 0 && opensThought(guesses[0])
                ? 1
                : rule.allowed(guesses);
    }

    private int allowedInThought(int[] guesses) {
        int most = budget.isEmpty() ? Integer.MAX_VALUE : Math.max(0, budget.getAsInt() - spent);
        int count = 0;
        while (count < guesses.length && count < most && allows(guesses[count])) {
            int guess = guesses[count++];
            if (guess == marks.orElseThrow().closeId() || opensCall(guess)) {
                return count;
            }
        }
        return count;
    }

    /** Behind its mark a thought has its label, even one that is not thought at all. */
    private int[] closing(ReasoningDelimiters tokens) {
        return inThisThought == 0
                ? joined(tokens.labelIds(), tokens.forcedClose())
                : tokens.forcedClose();
    }

    private void enqueue(int[] tokens, int firstOfContent) {
        queue = tokens;
        queued = 0;
        contentFrom = firstOfContent;
    }

    private static int[] joined(int[] first, int[] second) {
        return IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
    }
}

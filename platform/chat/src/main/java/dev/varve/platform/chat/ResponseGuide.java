package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Steers the tokens of a response: ends reasoning whose budget is used up, begins a required call
 * as soon as content would begin, and constrains content to its form. Content with a required form
 * begins directly after the reasoning; reasoning may come first if the prompt and the budget allow
 * it.
 */
final class ResponseGuide implements TokenConstraint {
    private static final int[] NOTHING = {};

    /** Most content tokens that are forced at once. */
    private static final int MOST_FORCED = 256;

    private final MarkTable table;
    private final Tokenizer tokenizer;

    /** Finds the marks that are plain text. */
    private final Optional<TextMarkReader> textMarks;

    private final Optional<ReasoningDelimiters> marks;
    private final OptionalInt budget;
    private final ContentConstraint rule;

    /** The mark that opens a call, and ends open reasoning; empty without tools. */
    private final OptionalInt callId;

    /** Tokens with which a required call begins; empty if there is none or it has begun. */
    private int[] call;

    /** Forced tokens, of which {@code queued} have come. */
    private int[] queue = NOTHING;

    private int queued;

    /** Index of the first forced token that is content. */
    private int contentFrom;

    /** Whether the forced tokens at this position are known. */
    private boolean isPrepared;

    private boolean inReasoning;
    private boolean mayBeginReasoning;

    /** Whether content came since the last reasoning or call: no reasoning begins after it. */
    private boolean isBehindContent;

    private boolean hasContent;
    private boolean forcedReasoningEnd;
    private int reasoningTokens;
    private int openReasoningTokens;

    /** Whether reasoning is ended at the next token, as if the budget were used up. */
    private volatile boolean mustEndReasoning;

    /**
     * @param call tokens with which a required call begins; empty for none
     * @param start state of the response at the end of the prompt
     * @param callId the mark that opens a call; empty without tools
     */
    ResponseGuide(
            MarkTable table,
            Optional<ReasoningDelimiters> marks,
            ContentConstraint rule,
            OptionalInt callId,
            int[] call,
            PromptEnd start,
            OptionalInt budget) {
        this.table = table;
        tokenizer = table.tokenizer();
        textMarks = table.reader();
        this.marks = marks;
        this.rule = rule;
        this.callId = callId;
        this.call = call;
        this.budget = budget;
        inReasoning = start instanceof PromptEnd.InReasoning;
        mayBeginReasoning =
                marks.isPresent()
                        && start instanceof PromptEnd.Plain
                        && !(rule.isWhole() && table.isText(marks.get().openId()))
                        && (budget.isEmpty() || budget.getAsInt() > 0);
        // The label of reasoning that the prompt opened is in the prompt.
        openReasoningTokens = 1;
    }

    /**
     * Ends open reasoning before its next token, and later reasoning at its beginning, as a budget
     * does that is used up. Any thread.
     */
    void endReasoning() {
        mustEndReasoning = true;
    }

    /** Whether reasoning was closed because the budget was used up, or another thread ended it. */
    boolean hasForcedReasoningEnd() {
        return forcedReasoningEnd;
    }

    /** Records that the parser found the end of a call: reasoning may follow it. */
    void recordCallEnd() {
        isBehindContent = false;
    }

    /**
     * Corrects whether reasoning is open: a mark within reasoning may open no call.
     *
     * @param open the parser's result
     */
    void setInReasoning(boolean open) {
        inReasoning = open && !rule.isWhole();
    }

    /** Whether content with a required form has begun, so that all of its text counts. */
    boolean hasExactContent() {
        return hasContent && rule.isWhole();
    }

    @Override
    public OptionalInt forced() {
        prepare();
        return queued < queue.length ? OptionalInt.of(queue[queued]) : OptionalInt.empty();
    }

    @Override
    public int[] forcedTokens(int most) {
        prepare();
        return Arrays.copyOfRange(queue, queued, Math.min(queue.length, queued + most));
    }

    private void prepare() {
        if (isPrepared || queued < queue.length) {
            return;
        }
        isPrepared = true;
        if (inReasoning) {
            if (mustEndReasoning || budget.isPresent() && reasoningTokens >= budget.getAsInt()) {
                forcedReasoningEnd = true;
                int[] closing = closing(marks.orElseThrow());
                enqueue(closing, closing.length);
            }
        } else if (call.length > 0) {
            enqueue(call, 0);
            call = NOTHING;
        } else if (!mayBeginReasoning) {
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
        TextMarkReader.Completion mark = markAt(token);
        boolean isVisible = isVisibleContent(token);
        if (inReasoning) {
            acceptInReasoning(token, mark, forced);
        } else if (opensReasoning(mark.id())) {
            inReasoning = true;
            mayBeginReasoning = false;
            openReasoningTokens = 0;
        } else if (content) {
            acceptContent(token, isVisible);
        }
    }

    /** Returns the mark that a token is or completes, or the token itself. */
    private TextMarkReader.Completion markAt(int token) {
        return textMarks
                .flatMap(reader -> reader.peek(token))
                .orElse(new TextMarkReader.Completion(token, ""));
    }

    /** Whether content has come that begins no mark; reads the token's text. */
    private boolean isVisibleContent(int token) {
        return textMarks.isPresent()
                ? textMarks.get().read(token).stream()
                        .anyMatch(part -> part.isText() && !part.text().isBlank())
                : isVisible(token, tokenizer);
    }

    private void acceptContent(int token, boolean isVisible) {
        mayBeginReasoning = mayBeginReasoning && textMarks.isPresent() && !isVisible;
        hasContent = true;
        isBehindContent = isBehindContent || isVisible;
        rule.accept(token);
    }

    /** Whether a token of content has more than white space. */
    static boolean isVisible(int token, Tokenizer tokenizer) {
        return !tokenizer.decode(new int[] {token}, true).isBlank();
    }

    private void acceptInReasoning(int token, TextMarkReader.Completion mark, boolean forced) {
        if (!forced && opensCall(mark.id())) {
            inReasoning = false;
            if (call.length > 0) {
                enqueue(Arrays.copyOfRange(call, 1, call.length), 0);
                call = NOTHING;
            }
            acceptContent(token, true);
            return;
        }
        if (mark.id() != marks.orElseThrow().closeId()) {
            reasoningTokens++;
            openReasoningTokens++;
            return;
        }
        inReasoning = false;
        isBehindContent = false;
        if (!forced && (call.length > 0 || rule.isWhole())) {
            int[] after = mark.rest().isEmpty() ? marks.get().afterClose() : NOTHING;
            enqueue(joined(after, call), after.length);
            call = NOTHING;
        }
    }

    /**
     * Whether a token opens reasoning: with a required form only at the start, otherwise not after
     * content.
     */
    private boolean opensReasoning(int token) {
        return marks.isPresent()
                && token == marks.get().openId()
                && (mayBeginReasoning || !rule.isWhole() && !isBehindContent);
    }

    /** Whether a token within reasoning opens a call, which ends the reasoning. */
    private boolean opensCall(int token) {
        return callId.isPresent()
                && token == callId.getAsInt()
                && (call.length > 0
                        ? !table.isText(token) && call[0] == token
                        : table.isText(token) ? !rule.isWhole() : rule.allows(token));
    }

    @Override
    public boolean constrains() {
        return rule.constrains();
    }

    @Override
    public boolean allows(int token) {
        if (inReasoning) {
            // A response with a required form does not end without content.
            return !rule.isWhole()
                    || !tokenizer.endTokens().contains(token) && markAt(token).rest().isBlank();
        }
        return mayBeginReasoning && opensReasoning(token) || rule.allows(token);
    }

    @Override
    public TokenMask mask() {
        if (inReasoning) {
            return TokenMask.ofTokens(
                    IntStream.range(0, tokenizer.vocabularySize()).filter(this::allows).toArray());
        }
        return mayBeginReasoning && rule.isWhole()
                ? rule.mask().with(marks.orElseThrow().openId())
                : rule.mask();
    }

    @Override
    public int allowed(int[] draftTokens) {
        if (queued < queue.length) {
            int left = Math.min(queue.length - queued, draftTokens.length);
            int mismatch = Arrays.mismatch(queue, queued, queued + left, draftTokens, 0, left);
            return mismatch < 0 ? left : mismatch;
        }
        if (inReasoning) {
            return allowedInReasoning(draftTokens);
        }
        if (mayBeginReasoning && draftTokens.length > 0 && opensReasoning(draftTokens[0])) {
            return 1;
        }
        return Math.min(rule.allowed(draftTokens), untilMark(draftTokens));
    }

    private int untilMark(int[] draftTokens) {
        return textMarks.map(reader -> reader.untilMark(draftTokens)).orElse(draftTokens.length);
    }

    private int allowedInReasoning(int[] draftTokens) {
        int most =
                budget.isEmpty()
                        ? Integer.MAX_VALUE
                        : Math.max(0, budget.getAsInt() - reasoningTokens);
        int length = Math.min(most, untilMark(draftTokens));
        int count = 0;
        while (count < draftTokens.length && count < length && allows(draftTokens[count])) {
            int draftToken = draftTokens[count++];
            if (draftToken == marks.orElseThrow().closeId() || opensCall(draftToken)) {
                return count;
            }
        }
        return count;
    }

    /**
     * Returns the tokens that close reasoning; the label comes after the open mark even if the
     * reasoning is empty.
     */
    private int[] closing(ReasoningDelimiters tokens) {
        return openReasoningTokens == 0
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

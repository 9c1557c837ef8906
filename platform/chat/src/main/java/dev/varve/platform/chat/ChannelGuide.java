package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.grammar.TokenGrammar;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Steers a response in channels: ends reasoning whose budget is used up, and constrains content and
 * calls to their form. A response with a required form begins with one message of reasoning, if its
 * budget permits any; then comes the message with the form, header included.
 */
final class ChannelGuide implements TokenConstraint {
    private static final int[] NOTHING = {};

    /** Most tokens of a form that are forced at once. */
    private static final int MOST_FORCED = 256;

    private final ChannelTokens tokens;
    private final Tokenizer tokenizer;
    private final ChannelReader reader;
    private final OptionalInt budget;

    /** The form of the whole response behind its reasoning. */
    private final Optional<GrammarConstraint> whole;

    private final boolean isStrict;

    /** Begins the grammar of a call of a tool, for the body of a message. */
    private final Function<String, Optional<GrammarConstraint>> calls;

    /** Tokens with which the required form begins; empty once they are forced. */
    private int[] begin;

    private Phase phase;
    private Optional<GrammarConstraint> call = Optional.empty();

    /** Forced tokens, of which {@code queued} have come. */
    private int[] queue = NOTHING;

    private int queued;

    /** Index of the first forced token that belongs to the required form. */
    private int formFrom;

    /** Written by any thread. */
    private volatile boolean isEndRequested;

    private boolean isPrepared;
    private boolean forcedReasoningEnd;
    private int reasoningTokens;

    /** Part of a response with a required form. */
    private enum Phase {
        /** There is no required form. */
        FREE,
        /** The header of the reasoning has to be forced. */
        BEFORE_REASONING,
        REASONING,
        FORM
    }

    /**
     * @param form required form, whose grammars include the headers of messages
     * @param begin tokens with which a required call begins; empty for none
     * @param header returns the tokens of the grammar before the arguments of a tool
     */
    ChannelGuide(
            ChannelTokens tokens,
            int[] prompt,
            ResponseFormat form,
            int[] begin,
            Function<String, int[]> header,
            OptionalInt budget) {
        this.tokens = tokens;
        tokenizer = tokens.tokenizer();
        reader = new ChannelReader(tokens, prompt);
        this.begin = begin;
        this.budget = budget;
        whole =
                form instanceof ResponseFormat.Whole(TokenGrammar grammar)
                        ? Optional.of(constraint(grammar))
                        : Optional.empty();
        isStrict = !(form instanceof ResponseFormat.Free);
        phase = whole.isPresent() ? firstPhase() : Phase.FREE;
        calls =
                form instanceof ResponseFormat.WithinToolCalls(TokenGrammar grammar)
                        ? name -> within(constraint(grammar), header.apply(name))
                        : name -> Optional.empty();
    }

    /** A message that the prompt leaves open ends before the form, as reasoning does. */
    private Phase firstPhase() {
        if (reader.isInBody()) {
            return Phase.REASONING;
        }
        return budget.orElse(1) > 0 ? Phase.BEFORE_REASONING : Phase.FORM;
    }

    private GrammarConstraint constraint(TokenGrammar grammar) {
        return new GrammarConstraint(grammar.start(), tokenizer.endTokens());
    }

    /** Moves a grammar behind the header of a call; empty if it has no such tool. */
    private static Optional<GrammarConstraint> within(GrammarConstraint grammar, int[] header) {
        for (int token : header) {
            if (!grammar.allows(token)) {
                return Optional.empty();
            }
            grammar.accept(token);
        }
        return Optional.of(grammar);
    }

    /** Whether reasoning was closed because the budget was used up. */
    boolean hasForcedReasoningEnd() {
        return forcedReasoningEnd;
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
        switch (phase) {
            case FREE -> prepareFree();
            case BEFORE_REASONING -> {
                enqueue(encode(ChannelTokens.REASONING));
                phase = Phase.REASONING;
            }
            case REASONING -> prepareInReasoning();
            case FORM -> {
                enqueue(begin.length > 0 ? begin : whole.orElseThrow().forced(MOST_FORCED));
                formFrom = 0;
                begin = NOTHING;
            }
        }
    }

    private void prepareFree() {
        if (reader.isInReasoning() && isBudgetSpent()) {
            forcedReasoningEnd = true;
            enqueue(encode(ChannelTokens.FORCED_END));
        } else {
            call.ifPresent(open -> enqueue(open.forced(MOST_FORCED)));
        }
    }

    /**
     * Forces the next header, and the begin of the form, once the reasoning ends; content that the
     * prompt has begun ends at once.
     */
    private void prepareInReasoning() {
        if (reader.isInReasoning() && !isBudgetSpent()) {
            return;
        }
        forcedReasoningEnd = reader.isInReasoning();
        int[] before = encode((reader.isInBody() ? "<|end|>" : "") + ChannelTokens.NEXT);
        enqueue(IntStream.concat(IntStream.of(before), IntStream.of(begin)).toArray());
        formFrom = before.length;
        begin = NOTHING;
        phase = Phase.FORM;
    }

    private boolean isBudgetSpent() {
        return isEndRequested || (budget.isPresent() && reasoningTokens >= budget.getAsInt());
    }

    /** Ends the reasoning as if its budget were used up. Any thread. */
    void endReasoning() {
        isEndRequested = true;
    }

    private int[] encode(String text) {
        return tokenizer.encodeContinuation(text, true);
    }

    private void enqueue(int[] forced) {
        queue = forced;
        queued = 0;
    }

    @Override
    public void accept(int token) {
        boolean isForced = queued < queue.length;
        boolean isForm = phase == Phase.FORM && (!isForced || queued >= formFrom);
        queued += isForced ? 1 : 0;
        isPrepared = false;
        ChannelReader.Step step = reader.read(token);
        if (step == ChannelReader.Step.BODY && reader.isInReasoning()) {
            reasoningTokens++;
        }
        if (isForm) {
            whole.orElseThrow().accept(token);
        }
        switch (step) {
            case BEGIN -> call = reader.last().tool().flatMap(calls);
            case BODY -> call.ifPresent(open -> open.accept(token));
            case HEADER, BEGIN_WITH_TEXT, TEXT, END -> call = Optional.empty();
        }
    }

    @Override
    public boolean constrains() {
        return isStrict;
    }

    @Override
    public boolean allows(int token) {
        return switch (phase) {
            case FREE -> call.isEmpty() || call.get().allows(token);
            // A response with a required form does not end without it.
            case BEFORE_REASONING, REASONING ->
                    !tokenizer.endTokens().contains(token)
                            && (token == tokens.end() || !tokens.isMark(token));
            case FORM -> whole.orElseThrow().allows(token);
        };
    }

    @Override
    public TokenMask mask() {
        return switch (phase) {
            case FREE -> call.orElseThrow().mask();
            case BEFORE_REASONING, REASONING ->
                    TokenMask.ofTokens(
                            IntStream.range(0, tokenizer.vocabularySize())
                                    .filter(this::allows)
                                    .toArray());
            case FORM -> whole.orElseThrow().mask();
        };
    }

    @Override
    public int allowed(int[] draftTokens) {
        if (queued < queue.length) {
            int left = Math.min(queue.length - queued, draftTokens.length);
            int mismatch = Arrays.mismatch(queue, queued, queued + left, draftTokens, 0, left);
            return mismatch < 0 ? left : mismatch;
        }
        if (phase == Phase.FORM) {
            return whole.orElseThrow().allowed(draftTokens);
        }
        return call.isPresent() ? call.get().allowed(draftTokens) : untilMark(draftTokens);
    }

    /** Counts tokens up to the first that begins or ends a message. */
    private int untilMark(int[] draftTokens) {
        boolean isLimited = budget.isPresent() && reader.isInReasoning();
        int most = isLimited ? Math.max(0, budget.getAsInt() - reasoningTokens) : Integer.MAX_VALUE;
        int count = 0;
        while (count < draftTokens.length && count < most && allows(draftTokens[count])) {
            if (tokens.isMark(draftTokens[count++])) {
                return count;
            }
        }
        return count;
    }
}

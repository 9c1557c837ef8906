package dev.varve.platform.engine;

import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.shard.OutputRows;

import java.util.Arrays;

/**
 * A submitted request on its way through the engine. All but {@link #cancel} belongs to the
 * engine's thread.
 */
final class Request implements Generation {
    /** Where a request stands. */
    enum Phase {
        WAITING,
        PREFILL,
        DECODE
    }

    final GenerationRequest request;
    final GenerationListener listener;
    final long arrival;
    final Sampler sampler;
    final TokenList tokens;
    final int promptLength;
    private final int[] endTokens;
    private final OutputRows wanted;
    private final Runnable wakeUp;
    private final long submittedNanos = System.nanoTime();
    private long startedNanos;
    private long firstTokenNanos;
    private volatile boolean cancelled;

    Phase phase = Phase.WAITING;

    /** Present once the request was admitted. */
    SequenceState state;

    /** How to compute what was computed before the sequence lost its place. */
    CutList replay = new CutList();

    /** Prompt tokens that the listener has heard of. */
    int reportedPrefill;

    int generated;
    private int losses;
    private int reachedAtLoss;
    private int cached;
    private boolean started;

    Request(
            GenerationRequest request,
            GenerationListener listener,
            long arrival,
            Sampler sampler,
            boolean suppressesTokens,
            Runnable wakeUp) {
        this.request = request;
        this.listener = listener;
        this.arrival = arrival;
        this.sampler = sampler;
        this.wakeUp = wakeUp;
        boolean best =
                request.sampling().isPlainArgmax()
                        && request.topLogprobs() < 0
                        && !suppressesTokens;
        wanted = best ? OutputRows.BEST : OutputRows.LAST;
        int[] prompt = request.prompt();
        tokens = new TokenList(prompt);
        promptLength = prompt.length;
        sampler.acceptPrompt(prompt);
        endTokens = request.endTokens().stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    @Override
    public void cancel() {
        cancelled = true;
        wakeUp.run();
    }

    boolean isCancelled() {
        return cancelled;
    }

    /**
     * Only the best token where nothing else is needed to choose, so that logits need not be
     * copied.
     */
    OutputRows wanted() {
        return wanted;
    }

    CacheRequest cacheRequest() {
        return new CacheRequest(tokens, replay, request.scope(), wanted);
    }

    /** Whether this request computes, for the first time, the prompt that another one needs. */
    boolean computesPromptOf(Request other) {
        return phase == Phase.PREFILL && hasPromptOf(other);
    }

    /** Whether both have the same prompt, of which nothing was answered, in the same scope. */
    boolean hasPromptOf(Request other) {
        return other != this
                && !isGenerating()
                && !other.isGenerating()
                && request.scope().equals(other.request.scope())
                && tokens.sameAs(other.tokens);
    }

    boolean isEndToken(int token) {
        return Arrays.binarySearch(endTokens, token) >= 0;
    }

    /**
     * Leaves the queue; a preempted request does so again but started only once. Returns whether
     * this is the start.
     */
    boolean admit(SequenceState admitted) {
        state = admitted;
        phase = Phase.PREFILL;
        if (started) {
            return false;
        }
        started = true;
        startedNanos = System.nanoTime();
        cached = admitted.computed;
        return true;
    }

    /** Takes note of a loss. Returns how often it happened since the request last got further. */
    int countLoss() {
        int reached = reportedPrefill + generated;
        losses = reached > reachedAtLoss ? 1 : losses + 1;
        reachedAtLoss = reached;
        return losses;
    }

    /** Goes back to the queue, to be computed again as it was. */
    void loseState() {
        CutList done = state.cuts;
        replay = done.end() >= replay.end() ? done : replay;
        state = null;
        phase = Phase.WAITING;
    }

    /** Tokens to compute before the next one can be chosen. */
    int known() {
        return tokens.size();
    }

    /** Whether a token was chosen after the prompt. */
    boolean isGenerating() {
        return tokens.size() > promptLength;
    }

    void countToken() {
        if (generated++ == 0) {
            firstTokenNanos = System.nanoTime();
        }
    }

    int cachedTokens() {
        return cached;
    }

    GenerationEnd end(GenerationEnd.Reason reason) {
        long now = System.nanoTime();
        return new GenerationEnd(
                reason,
                promptLength,
                cached,
                generated,
                millis(submittedNanos, startedNanos),
                millis(startedNanos, firstTokenNanos),
                millis(firstTokenNanos, now));
    }

    private static double millis(long from, long to) {
        return (to - from) / 1e6;
    }
}

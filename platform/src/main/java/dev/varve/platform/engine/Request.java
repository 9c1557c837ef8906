package dev.varve.platform.engine;

import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.CutList;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.SlotSpan;

import java.util.Arrays;

/**
 * A submitted request on its way through the engine. All but {@link #cancel} belongs to the
 * engine's thread.
 */
final class Request implements Generation {
    /** Where a request stands. */
    private enum Phase {
        WAITING,
        PREFILL,
        DECODE,
        ENDED
    }

    private final GenerationRequest request;
    private final GenerationListener listener;
    private final long arrival;
    private final Sampler sampler;
    private final TokenList tokens;
    private final int promptLength;
    private final int[] endTokens;
    private final OutputRows wanted;
    private final Runnable wakeUp;
    private final RequestClock clock = new RequestClock(System::nanoTime);
    private volatile boolean cancelled;

    private Phase phase = Phase.WAITING;

    /** Present while the request runs. */
    private CachedSequence sequence;

    /** How to compute what was computed before the sequence lost its place. */
    private CutList replay = new CutList();

    /** Prompt tokens that the listener has heard of. */
    private int reportedPrefill;

    private int generated;
    private int losses;
    private int reachedAtLoss;
    private int cached;

    /**
     * @param arrival number of the request; the sequence's id
     * @param suppressesTokens whether some tokens must never be chosen
     * @param wakeUp called when the request is cancelled
     */
    Request(
            Engine.Submission submission,
            long arrival,
            Sampler sampler,
            boolean suppressesTokens,
            Runnable wakeUp) {
        request = submission.request();
        listener = submission.listener();
        this.arrival = arrival;
        this.sampler = sampler;
        this.wakeUp = wakeUp;
        GenerationRequest.Choice choice = request.choice();
        boolean best =
                choice.sampling().isPlainArgmax()
                        && choice.topLogprobs().isEmpty()
                        && !suppressesTokens;
        wanted = best ? OutputRows.BEST : OutputRows.LAST;
        int[] prompt = request.prompt().tokens();
        tokens = new TokenList(prompt);
        promptLength = prompt.length;
        sampler.acceptPrompt(prompt);
        endTokens =
                request.ending().endTokens().stream()
                        .mapToInt(Integer::intValue)
                        .sorted()
                        .toArray();
    }

    @Override
    public void cancel() {
        cancelled = true;
        wakeUp.run();
    }

    boolean isCancelled() {
        return cancelled;
    }

    GenerationListener listener() {
        return listener;
    }

    GenerationRequest.Choice rules() {
        return request.choice();
    }

    Sampler sampler() {
        return sampler;
    }

    long arrival() {
        return arrival;
    }

    int promptLength() {
        return promptLength;
    }

    /** Leading tokens of the prompt whose state is worth keeping, 0 for none. */
    int lastBoundary() {
        return request.prompt().lastBoundary();
    }

    /** Tokens chosen so far. */
    int generated() {
        return generated;
    }

    /** Whether that was the last token it may have. */
    boolean isAtItsLimit() {
        return generated >= request.ending().maxTokens();
    }

    /** Tokens that it may have yet, the next one included. */
    int tokensLeft() {
        return request.ending().maxTokens() - generated;
    }

    /** Slots that its sequence may need beside those that it has. */
    int slotsToCome() {
        int most = SlotSpan.roundUp(promptLength + request.ending().maxTokens());
        return Math.max(0, most - sequence.span().capacity());
    }

    /**
     * Only the best token where nothing else is needed to choose, so that logits need not be
     * copied.
     */
    OutputRows wanted() {
        return wanted;
    }

    CacheRequest cacheRequest() {
        return new CacheRequest(tokens, replay, request.prompt().scope(), wanted);
    }

    CutList replay() {
        return replay;
    }

    /** Where it computes; only while it runs. */
    CachedSequence sequence() {
        return sequence;
    }

    /** Prompt and answer, as far as they are known. */
    TokenList tokens() {
        return tokens;
    }

    /** Tokens that follow the computed ones, up to a position. */
    int[] tokensUpTo(int end) {
        return tokens.range(sequence.computed(), end);
    }

    boolean isInPrefill() {
        return phase == Phase.PREFILL;
    }

    boolean isInDecode() {
        return phase == Phase.DECODE;
    }

    /** Whether it has a place in the caches and is worked on. */
    boolean isRunning() {
        return phase == Phase.PREFILL || phase == Phase.DECODE;
    }

    /** Whether this request computes, for the first time, the prompt that another one needs. */
    boolean computesPromptOf(Request other) {
        return isInPrefill() && hasPromptOf(other);
    }

    /** Whether both have the same prompt, of which nothing was answered, in the same scope. */
    boolean hasPromptOf(Request other) {
        return other != this
                && !isGenerating()
                && !other.isGenerating()
                && request.prompt().scope().equals(other.request.prompt().scope())
                && tokens.sameAs(other.tokens);
    }

    boolean isEndToken(int token) {
        return Arrays.binarySearch(endTokens, token) >= 0;
    }

    /**
     * Leaves the queue; a preempted request does so again but started only once. Returns whether
     * this is the start.
     */
    boolean run(CachedSequence place) {
        sequence = place;
        phase = Phase.PREFILL;
        if (!clock.start()) {
            return false;
        }
        cached = place.computed();
        return true;
    }

    /** All known tokens are computed: the next ones are chosen. */
    void decode() {
        phase = Phase.DECODE;
    }

    /** Goes back to the queue, to be computed again as it was. */
    void loseSequence() {
        CutList done = sequence.cuts();
        replay = done.end() >= replay.end() ? done : replay;
        sequence = null;
        phase = Phase.WAITING;
    }

    /** Nothing more will be done for it. */
    void leave() {
        phase = Phase.ENDED;
    }

    /** Takes note of a loss. Returns how often it happened since the request last got further. */
    int countLoss() {
        int reached = reportedPrefill + generated;
        losses = reached > reachedAtLoss ? 1 : losses + 1;
        reachedAtLoss = reached;
        return losses;
    }

    /**
     * Takes note of prompt tokens that are computed.
     *
     * @return whether the listener has not heard of as many
     */
    boolean reachPrefill(int done) {
        boolean news = done > reportedPrefill;
        reportedPrefill = Math.max(done, reportedPrefill);
        return news;
    }

    /** Tokens to compute before the next one can be chosen. */
    int known() {
        return tokens.size();
    }

    /** Known tokens that no forward has computed or is about to. */
    int tokensToCompute() {
        return known() - sequence.computed();
    }

    /** Whether a token was chosen after the prompt. */
    boolean isGenerating() {
        return tokens.size() > promptLength;
    }

    void countToken() {
        if (generated++ == 0) {
            clock.firstToken();
        }
    }

    int cachedTokens() {
        return cached;
    }

    GenerationEnd end(GenerationEnd.Reason reason) {
        return new GenerationEnd(
                reason, new GenerationEnd.Tokens(promptLength, cached, generated), clock.end());
    }
}

package dev.varve.platform.engine;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.prefix.PrefixPrefetch;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.TopTokens;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A submitted request with its state in the engine. Only the engine's thread uses it, except {@link
 * #cancel} and {@link #progress}.
 */
final class Request implements TransferableRequest {
    /** A checkpoint must be more than this many tokens after the position of resumption. */
    private static final int NEAR = 8;

    /** Phase of a request. */
    private enum Phase {
        WAITING,
        /** Its sequence is allocated, and its cached prefix is being copied. */
        RESTORING,
        PREFILL,
        DECODE,
        ENDED
    }

    private final GenerationRequest request;
    private final GenerationListener listener;
    private long arrival;
    private final Sampler sampler;
    private final TokenList tokens;
    private final int promptLength;
    private final int[] endTokens;

    /** Last position from which the prompt may resume. */
    private final int lastResume;

    /** Checkpoint positions of the prompt, ascending. */
    private int[] stops;

    /** The last checkpoint position, for engines that keep only one. */
    private final int[] lastStop;

    private final RequestedOutput requestedOutput;
    private final boolean needsTopOnly;
    private final boolean mayNeedTopOnly;
    private volatile Runnable wakeUp;
    private final DraftAcceptanceTracker drafts;
    private final boolean draftsAfterImages;
    private final RequestClock clock = new RequestClock(System::nanoTime);
    private volatile boolean cancelled;

    /** Volatile, like the other fields that {@link #progress} reads from any thread. */
    private volatile Phase phase = Phase.WAITING;

    /** Present while the request runs. */
    private SequenceCache sequence;

    /** Chunk boundaries of the tokens that were computed before the sequence was lost. */
    private ChunkHistory replay = new ChunkHistory();

    /** Prompt tokens that were reported to the listener. */
    private volatile int reportedPrefill;

    private volatile int generated;
    private int losses;
    private boolean mayRestore = true;
    private boolean queriedDisk;
    private boolean queriedSharedStore;
    private boolean queriedPeers;
    private Optional<? extends PrefixPrefetch> read = Optional.empty();
    private Optional<AwaitedPrefix> awaited = Optional.empty();

    /** Position from which its sequence resumed, which has a checkpoint already. */
    private int begun;

    private int reachedAtLoss;

    /** Begin of the last prompt tokens, for which pages are selected. */
    private final int tailBegin;

    private SequenceCache tailScoredFor;

    /** Requested page scores, which the request may have to wait for. */
    private Optional<PendingPageScores.Round> round = Optional.empty();

    private boolean awaitsPageScores;
    private long latestBatch;
    private boolean suspect;
    private volatile Optional<PrefixLookupResult> cacheUse = Optional.empty();
    private ExpertCounts experts = ExpertCounts.NONE;

    /** A running request that computes a prefix for another one, up to a position. */
    record AwaitedPrefix(Request runs, SequenceCache place, int position) {}

    /**
     * @param arrival number of the request; the sequence's id
     * @param lastResume last position from which the prompt may resume
     * @param suppressesTokens whether some tokens must never be chosen
     * @param drafts tracks the acceptance of draft tokens
     * @param draftsAfterImages whether the speculator accepts prompts with images
     * @param wakeUp called when the request is cancelled
     */
    Request(
            Engine.NewRequest submission,
            long arrival,
            int lastResume,
            Sampler sampler,
            boolean suppressesTokens,
            DraftAcceptanceTracker drafts,
            boolean draftsAfterImages,
            Runnable wakeUp) {
        request = submission.request();
        listener = submission.listener();
        this.arrival = arrival;
        this.sampler = sampler;
        this.drafts = drafts;
        this.draftsAfterImages = draftsAfterImages;
        this.wakeUp = wakeUp;
        GenerationRequest.Choice choice = request.choice();
        boolean best =
                choice.sampling().isPlainArgmax()
                        && choice.topLogprobs().isEmpty()
                        && !choice.constraint().constrains()
                        && !suppressesTokens;
        requestedOutput = best ? RequestedOutput.BEST : RequestedOutput.LAST;
        needsTopOnly =
                sampler.choosesAmongTop(TopTokens.COUNT)
                        && choice.topLogprobs().isEmpty()
                        && !choice.constraint().constrains();
        mayNeedTopOnly =
                sampler.mayChooseAmongTop(TopTokens.COUNT) && choice.topLogprobs().isEmpty();
        int[] prompt = request.prompt().tokens();
        tokens = new TokenList(prompt, request.prompt().images());
        promptLength = prompt.length;
        this.lastResume = lastResume;
        tailBegin = Math.max(0, promptLength - PagePoolSizing.QUESTION);
        sampler.acceptPrompt(textOf(prompt));
        stops =
                IntStream.of(stops(request.prompt(), lastResume))
                        .map(tokens.images()::border)
                        .filter(stop -> stop > 0)
                        .distinct()
                        .toArray();
        int last = Math.min(request.prompt().lastBoundary(), lastResume);
        lastStop = last == 0 || stops.length == 0 ? new int[0] : new int[] {last};
        endTokens =
                request.ending().endTokens().stream()
                        .mapToInt(Integer::intValue)
                        .sorted()
                        .toArray();
    }

    /** Returns the tokens that do not belong to images. */
    private static int[] textOf(int[] prompt) {
        return IntStream.of(prompt).filter(token -> token >= 0).toArray();
    }

    /**
     * Returns the checkpoint positions; the last position from which the prompt may resume is one.
     */
    private static int[] stops(GenerationRequest.Prompt prompt, int lastResume) {
        int[] all = CheckpointPositions.of(prompt);
        if (lastResume >= prompt.length() || !prompt.scope().isCached()) {
            return all;
        }
        return IntStream.concat(
                        Arrays.stream(all).filter(stop -> stop < lastResume),
                        IntStream.of(lastResume).filter(stop -> stop > 0))
                .toArray();
    }

    @Override
    public void cancel() {
        cancelled = true;
        wakeUp.run();
    }

    @Override
    public Optional<GenerationProgress> progress() {
        int cached = cachedTokens();
        return Optional.of(
                new GenerationProgress(
                        state(),
                        promptLength,
                        cached,
                        Math.max(cached, reportedPrefill),
                        generated,
                        clock.generationTime()));
    }

    private GenerationProgress.State state() {
        return switch (phase) {
            case WAITING ->
                    isNew() ? GenerationProgress.State.QUEUED : GenerationProgress.State.PARKED;
            case RESTORING -> GenerationProgress.State.RESTORING;
            case PREFILL -> GenerationProgress.State.PREFILL;
            case DECODE -> GenerationProgress.State.DECODE;
            case ENDED -> GenerationProgress.State.ENDED;
        };
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public GenerationListener listener() {
        return listener;
    }

    GenerationRequest.Choice rules() {
        return request.choice();
    }

    /**
     * Returns the most draft tokens of a step; none after images that the speculator does not
     * accept.
     */
    int mostDraftTokens() {
        return draftsAfterImages || request.prompt().images().isEmpty() ? request.mostDrafts() : 0;
    }

    /** Returns the tracker of draft acceptance. */
    DraftAcceptanceTracker drafts() {
        return drafts;
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

    /**
     * Returns the next checkpoint position after another one, 0 for none.
     *
     * @param several whether more than one checkpoint can be kept
     */
    int nextStop(int position, boolean several) {
        int[] all = several ? stops : lastStop;
        int behind = several ? Math.max(position, begun + NEAR) : position;
        for (int stop : all) {
            if (stop > behind) {
                return stop;
            }
        }
        return 0;
    }

    /** The images of the prompt. */
    SequenceImages images() {
        return tokens.images();
    }

    /** Returns the number of next tokens that one batch has to compute; 1 outside of images. */
    int indivisibleTokens() {
        return tokens.images().indivisibleTokens(sequence.computed());
    }

    /** Adds a checkpoint position of the prompt, if the prompt may resume there. */
    void addStop(int divergence) {
        int position = tokens.images().border(divergence);
        if (position > lastResume) {
            return;
        }
        stops = IntStream.concat(IntStream.of(stops), IntStream.of(position)).sorted().toArray();
    }

    /**
     * Returns the last checkpoint position of this request from which another one can resume.
     *
     * @return 0 if there is none
     */
    int sharedStop(Request other) {
        int shared = 0;
        if (other != this && request.prompt().scope().equals(other.request.prompt().scope())) {
            int usable = Math.min(other.known() - 1, other.lastResume);
            int equal = other.tokens.images().border(tokens.commonPrefix(other.tokens));
            int common = Math.min(equal, usable);
            for (int stop : stops) {
                shared = stop <= common ? stop : shared;
            }
        }
        return shared;
    }

    /** Returns whether the maximum number of tokens was generated. */
    boolean isAtItsLimit() {
        return generated >= request.ending().maxTokens();
    }

    /** Returns the number of tokens that may still be generated, the next one included. */
    int tokensLeft() {
        return request.ending().maxTokens() - generated;
    }

    /**
     * Returns the begin of the last prompt tokens. Pages are scored for these before they are
     * computed.
     */
    int tailBegin() {
        return tailBegin;
    }

    /**
     * Returns whether the last prompt tokens are next, and pages of this sequence were not scored
     * for them.
     */
    boolean isTailScoringDue() {
        return sequence.computed() == tailBegin && tailScoredFor != sequence;
    }

    /**
     * Returns whether the last prompt tokens are not computed, and pages of this sequence were not
     * scored for them.
     */
    boolean isTailScoringPending() {
        return sequence.computed() <= tailBegin && tailScoredFor != sequence;
    }

    /** Returns the page scores that were requested last. */
    Optional<PendingPageScores.Round> round() {
        return round;
    }

    /** Sets the page scores that were requested. */
    void await(PendingPageScores.Round asked) {
        round = Optional.of(asked);
    }

    /** Sets whether the request computes nothing until it has page scores. */
    void setAwaitsPageScores(boolean waits) {
        awaitsPageScores = waits;
    }

    /** Returns whether the request waits for page scores. */
    boolean isAwaitingPageScores() {
        return awaitsPageScores && round.filter(each -> !each.isOver()).isPresent();
    }

    /** Marks the pages of this sequence as scored for the last prompt tokens. */
    void markTailScored() {
        tailScoredFor = sequence;
    }

    /** Returns the number of slots that its sequence may need in addition. */
    int remainingSlots(KvCacheManager cache) {
        int most = cache.mostSlots(promptLength + request.ending().maxTokens());
        return Math.max(0, most - sequence.span().capacity());
    }

    /**
     * Returns the output rows for a choice: only the best token if that suffices, so that logits
     * are not copied.
     */
    RequestedOutput requestedOutput() {
        return requestedOutput;
    }

    /** Returns whether the best tokens of a row, instead of its logits, suffice for a choice. */
    boolean needsTopOnly() {
        return needsTopOnly;
    }

    /**
     * Returns whether the best tokens of some rows suffice for a choice, depending on the tokens
     * before it: see {@link TokenSelector#isDecidedBy}.
     */
    boolean mayNeedTopOnly() {
        return mayNeedTopOnly;
    }

    PrefixQuery cacheRequest() {
        return new PrefixQuery(
                tokens,
                promptLength,
                lastResume,
                replay,
                request.prompt().scope(),
                requestedOutput);
    }

    ChunkHistory replay() {
        return replay;
    }

    /** Returns its sequence; only while the request runs. */
    SequenceCache sequence() {
        return sequence;
    }

    /** Returns the tokens of prompt and response so far. */
    TokenList tokens() {
        return tokens;
    }

    /** Returns the tokens that follow the computed ones, up to a position. */
    int[] tokensUpTo(int end) {
        return tokens.range(sequence.computed(), end);
    }

    boolean isInPrefill() {
        return phase == Phase.PREFILL;
    }

    boolean isInDecode() {
        return phase == Phase.DECODE;
    }

    /** Marks the request as part of a failed step; it runs alone until it makes progress. */
    void suspect() {
        suspect = true;
    }

    /** Returns whether the request runs alone, since it may have caused a failed step. */
    boolean isSuspect() {
        return suspect;
    }

    /** Returns whether the request has a sequence in the caches and is processed. */
    boolean isRunning() {
        return phase == Phase.RESTORING || phase == Phase.PREFILL || phase == Phase.DECODE;
    }

    /** Returns whether its cached prefix is still being copied. */
    boolean isRestoring() {
        return phase == Phase.RESTORING;
    }

    /** Returns whether this request is computing or restoring the prompt of another one. */
    boolean computesPromptOf(Request other) {
        return (isInPrefill() || isRestoring()) && hasPromptOf(other);
    }

    /** Returns whether both requests have the same prompt and scope, and no generated tokens. */
    boolean hasPromptOf(Request other) {
        return other != this
                && request.prompt().scope().isCached()
                && !isGenerating()
                && !other.isGenerating()
                && request.prompt().scope().equals(other.request.prompt().scope())
                && tokens.sameAs(other.tokens);
    }

    boolean isEndToken(int token) {
        return Arrays.binarySearch(endTokens, token) >= 0;
    }

    /** Starts the request with a sequence; called again after a requeue. */
    void run(SequenceCache place) {
        sequence = place;
        begun = place.computed() == 0 ? -NEAR : place.computed();
        phase = Phase.PREFILL;
        clock.start();
    }

    /** Returns whether the listener has not been notified of the start. */
    boolean isNew() {
        return cacheUse.isEmpty();
    }

    /** Marks the request as waiting for its prefix from host memory. */
    void restore() {
        phase = Phase.RESTORING;
    }

    /** Marks the prefix as restored. */
    void restored() {
        phase = Phase.PREFILL;
    }

    /** Records that the restore from host memory failed; it is not tried again. */
    void failedToRestore() {
        mayRestore = false;
    }

    boolean mayRestore() {
        return mayRestore;
    }

    /** Records the load from disk, if there is one; the request does not ask again. */
    void setDiskLoad(Optional<? extends PrefixPrefetch> load) {
        queriedDisk = true;
        read = load;
    }

    boolean hasQueriedDisk() {
        return queriedDisk;
    }

    /** Records the load from a shared store in the same way. */
    void setSharedLoad(Optional<? extends PrefixPrefetch> load) {
        queriedSharedStore = true;
        read = load;
    }

    boolean hasQueriedSharedStore() {
        return queriedSharedStore;
    }

    /** Records the hand-off of its prompt to a peer in the same way. */
    void setHandOff(Optional<? extends PrefixPrefetch> load) {
        queriedPeers = true;
        read = load;
    }

    boolean hasQueriedPeers() {
        return queriedPeers;
    }

    /** Returns the positions of the prompt at which other prompts are likely to diverge. */
    int[] boundaries() {
        return request.prompt().boundaries();
    }

    /** Returns whether a load from a store is in progress. */
    boolean awaitsLoad() {
        return read.filter(load -> !load.isOver()).isPresent();
    }

    /** Returns whether the request is queued and not cancelled. */
    boolean isWaiting() {
        return phase == Phase.WAITING && !cancelled;
    }

    /** Makes the request wait until a running one reaches a position of their common prefix. */
    void await(Request runs, int position) {
        awaited = Optional.of(new AwaitedPrefix(runs, runs.sequence(), position));
    }

    /** Returns the running request that it waits for, if that still runs. */
    Optional<AwaitedPrefix> awaited() {
        awaited = awaited.filter(each -> each.runs().sequenceIs(each.place()));
        return awaited;
    }

    private boolean sequenceIs(SequenceCache place) {
        return isRunning() && sequence == place;
    }

    /** Switches to decode, after all known tokens are computed. */
    void decode() {
        phase = Phase.DECODE;
    }

    /** Drops the sequence; the request will be computed again with the same chunk boundaries. */
    void dropSequence() {
        // A copied prefix was not computed for this request, and draft tokens do not count.
        ChunkHistory done =
                isRestoring() ? ChunkHistory.NONE : sequence.chunkHistory().endingBy(known());
        replay = done.end() >= replay.end() ? done : replay;
        sequence = null;
        awaitsPageScores = false;
        phase = Phase.WAITING;
    }

    /**
     * Prepares the request for the queue of another engine of the same model, which has only its
     * tokens and their chunk boundaries. The first engine has removed it already.
     *
     * @param number arrival number in that engine
     * @param cancelled called when the request is cancelled
     */
    void moveTo(long number, Runnable cancelled) {
        arrival = number;
        latestBatch = 0;
        // Set before the other engine sees the request: a cancel wakes one of the two engines.
        wakeUp = cancelled;
        mayRestore = true;
        queriedDisk = false;
        queriedSharedStore = false;
        queriedPeers = false;
        read = Optional.empty();
        awaited = Optional.empty();
        tailScoredFor = null;
        round.ifPresent(PendingPageScores.Round::drop);
        round = Optional.empty();
    }

    /** Ends the request. */
    void markEnded() {
        // Its sequence stays in the cache, and needs no rows of images any more.
        tokens.dropImages();
        round.ifPresent(PendingPageScores.Round::drop);
        phase = Phase.ENDED;
    }

    /** Counts a loss. Returns the number of losses since the request last made progress. */
    int countLoss() {
        int reached = reportedPrefill + generated;
        losses = reached > reachedAtLoss ? 1 : losses + 1;
        reachedAtLoss = reached;
        return losses;
    }

    /**
     * Records computed prompt tokens.
     *
     * @return whether these are more than were reported to the listener
     */
    boolean reachPrefill(int done) {
        boolean news = done > reportedPrefill;
        suspect &= !news;
        reportedPrefill = Math.max(done, reportedPrefill);
        return news;
    }

    /** Returns the number of tokens to compute before the next one can be chosen. */
    int known() {
        return tokens.size();
    }

    /** Returns the number of known tokens that are in no computed or in-flight batch. */
    int tokensToCompute() {
        return known() - sequence.computed();
    }

    /** Returns the number of the latest batch that it was in, 0 for none. */
    long latestBatch() {
        return latestBatch;
    }

    /** Records that the request is in a batch. */
    void enterBatch(long number) {
        latestBatch = number;
    }

    /** Returns whether a token was generated. */
    boolean isGenerating() {
        return tokens.size() > promptLength;
    }

    void countToken() {
        suspect = false;
        if (generated++ == 0) {
            clock.firstToken();
        }
    }

    /** Returns the prompt tokens that needed no prefill when the request first ran. */
    int cachedTokens() {
        return cacheUse.map(PrefixLookupResult::tokens).orElse(0);
    }

    /** Records the result of the prefix lookup. */
    void recordLookup(PrefixLookupResult use) {
        cacheUse = Optional.of(use);
    }

    /** Adds the request's share of the experts of a batch. */
    void addExperts(ExpertCounts share) {
        experts = experts.plus(share);
    }

    /**
     * Returns the result of the request.
     *
     * @param policy policy that selected its resident pages; empty if all stay
     */
    GenerationEnd end(GenerationEnd.Reason reason, Optional<PagePolicy> policy) {
        return new GenerationEnd(
                reason,
                new GenerationEnd.Tokens(promptLength, cachedTokens(), generated),
                clock.end(),
                cacheUse.orElseGet(() -> PrefixLookupResult.missed(MissReason.UNKNOWN)),
                drafts.counts(),
                policy.flatMap(
                        chosen ->
                                sequence.pagingStatus()
                                        .map(
                                                pages ->
                                                        new GenerationEnd.Paging(
                                                                chosen,
                                                                pages.counts(),
                                                                pages.resident(),
                                                                pages.onHost()))),
                experts.isEmpty() ? Optional.empty() : Optional.of(experts));
    }
}

package dev.varve.platform.engine;

import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.sequence.KvCacheManager;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Requests page scores from an asynchronous scorer and selects pages by them. The tokens of a
 * sequence alone determine when it requests scores and waits for them, so that it has the same
 * pages under any load. Other sequences continue. Only the engine's thread uses it.
 *
 * <p>Scores for a prompt are requested when its prefill begins and are needed before its last
 * tokens, so that scoring and prefill overlap.
 */
final class PendingPageScores {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final Optional<AsyncPageScorer> reader;
    private final KvCacheManager cache;
    private final Runnable wakeUp;

    /** Scores that a request waits for. */
    static final class Round {
        private final int tokens;
        private CompletableFuture<float[]> scores = new CompletableFuture<>();
        private volatile boolean dropped;

        private Round(int tokens) {
            this.tokens = tokens;
        }

        /** Cancels the scoring; the request does not need the scores any more. */
        void drop() {
            dropped = true;
        }

        boolean isOver() {
            return scores.isDone();
        }
    }

    /**
     * @param reader scores pages; empty if pages are selected in another way, or not at all
     * @param wakeUp called from any thread when scores are ready
     */
    PendingPageScores(Optional<AsyncPageScorer> reader, KvCacheManager cache, Runnable wakeUp) {
        this.reader = reader;
        this.cache = cache;
        this.wakeUp = wakeUp;
    }

    /**
     * Returns whether a request must wait for scores. Requests them when they are due, and selects
     * its pages once they are ready.
     */
    boolean mustWait(Request request) {
        boolean held = reader.isPresent() && awaitsScores(request);
        request.setAwaitsPageScores(held);
        return held;
    }

    private boolean awaitsScores(Request request) {
        if (request.isInPrefill()
                && request.isTailScoringPending()
                && cache.choosesPages(request.promptLength())) {
            Round round = round(request, request.promptLength());
            if (!request.isTailScoringDue()) {
                return false;
            }
            if (round.isOver()) {
                chooseForPrompt(request, round);
                return false;
            }
            return true;
        }
        int computed = request.sequence().computed();
        if (computed <= request.promptLength() || !cache.isChoiceDue(request.sequence())) {
            return false;
        }
        Round round = round(request, Math.min(request.known(), computed + 1));
        if (round.isOver()) {
            choose(request, round);
            return false;
        }
        return true;
    }

    /** Returns the pending scores for a number of tokens, or requests them. */
    private Round round(Request request, int tokens) {
        Optional<Round> before = request.round().filter(round -> round.tokens == tokens);
        if (before.isPresent()) {
            return before.get();
        }
        request.round().ifPresent(Round::drop);
        Round round = new Round(tokens);
        request.await(round);
        try {
            round.scores =
                    reader.orElseThrow()
                            .read(
                                    request.tokens().range(0, tokens),
                                    () -> round.dropped || request.isCancelled());
        } catch (RuntimeException e) {
            round.scores = CompletableFuture.failedFuture(e);
        }
        round.scores.whenComplete((scores, failure) -> wakeUp.run());
        return round;
    }

    private void chooseForPrompt(Request request, Round round) {
        request.markTailScored();
        scores(round)
                .ifPresentOrElse(
                        scores ->
                                cache.choosePagesFor(
                                        request.sequence(), scores, request.promptLength()),
                        () -> cache.skipChoice(request.sequence(), request.promptLength()));
    }

    private void choose(Request request, Round round) {
        scores(round)
                .ifPresentOrElse(
                        scores -> cache.choosePages(request.sequence(), scores),
                        () -> cache.skipChoice(request.sequence(), request.sequence().computed()));
    }

    /** Returns the scores; empty after a failure, which skips this selection only. */
    private static Optional<float[]> scores(Round round) {
        if (round.scores.isCompletedExceptionally()) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "page scoring failed at {0} tokens; the resident pages stay",
                    String.valueOf(round.tokens));
            return Optional.empty();
        }
        return Optional.of(round.scores.join());
    }
}

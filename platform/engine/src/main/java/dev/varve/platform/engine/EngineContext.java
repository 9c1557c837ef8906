package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.TokenLogits;

/**
 * Shared state of the steps of an engine. Only the engine's thread uses it.
 *
 * @param running the running requests
 * @param prefix the prefix cache, with the sequences of running and ended requests
 * @param inFlight the in-flight batches
 * @param selector chooses tokens from the logits
 * @param draftProposer proposes draft tokens
 * @param pages requests page scores and selects pages by them
 */
record EngineContext(
        RunningRequests running,
        PrefixCache prefix,
        InFlightBatches inFlight,
        TokenSelector selector,
        DraftProposer draftProposer,
        PendingPageScores pages) {
    /** Returns the manager of the sequences on the devices. */
    KvCacheManager cache() {
        return prefix.devices();
    }

    /** Chooses the next token of a request whose known tokens are all computed. */
    void chooseFirst(Request request, TokenLogits output) {
        running.guard(
                request,
                () ->
                        selector.choose(request, output)
                                .end()
                                .ifPresent(reason -> running.finish(request, reason)));
    }
}

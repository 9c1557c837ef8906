package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.TokenLogits;

/**
 * What all steps of an engine work on. Only the engine's thread uses it.
 *
 * @param running the requests that have a place in the caches
 * @param prefix what was computed of them and of others
 * @param flights the batches under way
 * @param choice makes tokens of what the model gave
 * @param drafting guesses tokens
 * @param pages has pages chosen by who reads them
 */
record EngineContext(
        RunningRequests running,
        PrefixCache prefix,
        InFlightBatches flights,
        TokenChoice choice,
        SpeculativeDecoding drafting,
        PendingPageScores pages) {
    /** Where sequences lie on the devices. */
    KvCacheManager cache() {
        return prefix.devices();
    }

    /** Goes on with a request all of whose known tokens are computed. */
    void chooseFirst(Request request, TokenLogits output) {
        running.guard(
                request,
                () ->
                        choice.choose(request, output)
                                .end()
                                .ifPresent(reason -> running.finish(request, reason)));
    }
}

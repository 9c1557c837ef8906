package dev.varve.platform.prefix;

import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A load of a prefix from a shared store: a search, then reads. Only the engine's thread calls it;
 * other threads search and read.
 */
final class SharedPrefetch implements PrefixPrefetch {
    private final CompletableFuture<SharedLookupResult> search;
    private final BooleanSupplier isAwaited;
    private final PrefetchStarter begin;
    private Optional<StorePrefetch> load = Optional.empty();
    private boolean over;

    /**
     * Result of a search.
     *
     * @param result empty unless the store has a usable prefix
     */
    record SharedLookupResult(SearchOutcome outcome, Optional<SharedSearch.Result> result) {}

    /** Starts to read the result of a search. */
    @FunctionalInterface
    interface PrefetchStarter {
        /**
         * Returns the load; empty if there is no room for it, or host memory has the prefix by now.
         */
        Optional<StorePrefetch> load(SharedSearch.Result result);
    }

    /**
     * @param isAwaited whether the request is still queued
     */
    SharedPrefetch(
            CompletableFuture<SharedLookupResult> search,
            BooleanSupplier isAwaited,
            PrefetchStarter begin) {
        this.search = search;
        this.isAwaited = isAwaited;
        this.begin = begin;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    /** Whether the search or the load has ended and its result is not processed yet. */
    boolean hasEndedLoad() {
        return !over && (load.isPresent() ? load.get().hasEndedLoad() : search.isDone());
    }

    /** Starts the reads after the search; adopts the data after the reads. */
    void advance() {
        if (!hasEndedLoad()) {
            return;
        }
        if (load.isEmpty()) {
            load =
                    search.join()
                            .result()
                            .filter(result -> isAwaited.getAsBoolean())
                            .flatMap(begin::load);
            over = load.isEmpty();
            return;
        }
        load.get().take();
        over = true;
    }

    /** Whether the load has ended and pins nothing any more. */
    boolean isReleased() {
        return over && (load.isEmpty() || load.get().isReleased());
    }
}

package dev.varve.platform.prefix;

import dev.varve.platform.store.SharedArchiveStatus.Outcome;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * What a shared store has of a prompt, on its way: it is looked for, then read. Only the engine's
 * thread calls; others search and read.
 */
final class SharedLoad implements PrefixLoad {
    private final CompletableFuture<SharedMatch> search;
    private final BooleanSupplier wanted;
    private final Begin begin;
    private Optional<StoreLoad> load = Optional.empty();
    private boolean over;

    /**
     * What came of searching.
     *
     * @param result empty unless there is something
     */
    record SharedMatch(Outcome outcome, Optional<SharedSearch.Result> result) {}

    /** Begins to read what was found. */
    @FunctionalInterface
    interface Begin {
        /** Empty if there is no room for it, or it is there by now. */
        Optional<StoreLoad> load(SharedSearch.Result result);
    }

    /**
     * @param wanted whether the request still waits
     */
    SharedLoad(CompletableFuture<SharedMatch> search, BooleanSupplier wanted, Begin begin) {
        this.search = search;
        this.wanted = wanted;
        this.begin = begin;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    /** Whether something has come that nobody has taken in. */
    boolean hasNews() {
        return !over && (load.isPresent() ? load.get().hasNews() : search.isDone());
    }

    /** Takes in what has come. */
    void advance() {
        if (!hasNews()) {
            return;
        }
        if (load.isEmpty()) {
            load =
                    search.join()
                            .result()
                            .filter(result -> wanted.getAsBoolean())
                            .flatMap(begin::load);
            over = load.isEmpty();
            return;
        }
        load.get().take();
        over = true;
    }

    /** Whether it keeps nothing from giving way. */
    boolean isReleased() {
        return over && (load.isEmpty() || load.get().isReleased());
    }
}

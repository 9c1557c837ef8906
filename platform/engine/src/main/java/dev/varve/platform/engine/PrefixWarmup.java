package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.PrefixPrefetch;
import dev.varve.platform.prefix.RecentPrefix;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.RequestedOutput;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Loads prefixes from the stores into the host memory of a new engine, in a given order and a few
 * thousand tokens at a time. It begins no load while requests are queued, and leaves half of the
 * memory and most of the time to them. Only the engine's thread uses it.
 */
final class PrefixWarmup {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Tokens of one load, for which a request may have to wait. */
    static final int STEP_TOKENS = 4096;

    /** Pause after a load, as a multiple of its duration. */
    private static final int PAUSE = 3;

    /** Part of host memory that may be in use before a load. */
    private static final double MOST_USE = 0.5;

    private final PrefixCache cache;
    private final LongSupplier clock;
    private final Deque<RecentPrefix> waiting = new ArrayDeque<>();
    private Consumer<RecentPrefix> onLoaded = prefix -> {};

    /** Leading tokens of the first prefix that were loaded, or are being loaded. */
    private int reached;

    private Optional<PrefixPrefetch> load = Optional.empty();
    private long loadBegan;
    private long nextLoad;

    /**
     * @param clock nanoseconds
     */
    PrefixWarmup(PrefixCache cache, LongSupplier clock) {
        this.cache = cache;
        this.clock = clock;
        nextLoad = clock.getAsLong();
    }

    /**
     * Adds prefixes to load.
     *
     * @param loaded receives each prefix of which a part is in host memory afterwards
     */
    void add(List<RecentPrefix> prefixes, Consumer<RecentPrefix> loaded) {
        if (cache.hasStore()) {
            waiting.addAll(prefixes);
            onLoaded = loaded;
        }
    }

    /** Returns whether there is nothing to load. */
    boolean isIdle() {
        return waiting.isEmpty();
    }

    /**
     * Ends a load that has arrived, and begins the next one.
     *
     * @param quiet whether no request is queued
     */
    void advance(boolean quiet) {
        if (isIdle() || load.filter(each -> !each.isOver()).isPresent()) {
            return;
        }
        if (load.isPresent()) {
            load = Optional.empty();
            nextLoad = clock.getAsLong() + PAUSE * (clock.getAsLong() - loadBegan);
            endPrefix();
        }
        if (!isIdle() && quiet && clock.getAsLong() - nextLoad >= 0) {
            begin();
        }
    }

    private void begin() {
        if (cache.hostUse() > MOST_USE) {
            LOG.log(System.Logger.Level.DEBUG, "host memory is half full; the warm-up ends");
            if (reached > 0) {
                removeFirst();
            }
            waiting.clear();
            return;
        }
        int[] all = waiting.getFirst().tokens();
        reached = Math.min(all.length, reached + STEP_TOKENS);
        PrefixQuery query = query(waiting.getFirst(), reached);
        int known = cache.find(query, true).length();
        loadBegan = clock.getAsLong();
        load = known < reached ? load(query, known) : Optional.empty();
        if (load.isEmpty()) {
            endPrefix();
        }
    }

    private Optional<PrefixPrefetch> load(PrefixQuery query, int known) {
        // Blocks stay only with a checkpoint behind them, so all are pinned until the last one.
        RecentPrefix prefix = waiting.getFirst();
        BooleanSupplier isAwaited = () -> waiting.peekFirst() == prefix;
        Optional<PrefixPrefetch> disk =
                cache.load(query, known, false, isAwaited).map(each -> each);
        return disk.isPresent() ? disk : cache.loadShared(query, known, isAwaited);
    }

    /** The tokens of a prefix up to a position, and one that is computed in any case. */
    private static PrefixQuery query(RecentPrefix prefix, int end) {
        int[] tokens = Arrays.copyOf(prefix.tokens(), end + 1);
        return new PrefixQuery(
                new TokenList(tokens), ChunkHistory.NONE, prefix.scope(), RequestedOutput.BEST);
    }

    /** Continues with the next prefix if the end of this one was reached. */
    private void endPrefix() {
        if (reached == waiting.getFirst().tokens().length) {
            removeFirst();
        }
        if (waiting.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "the warm-up of cached prefixes ended");
        }
    }

    /** Removes the first prefix, and reports the part that host memory has. */
    private void removeFirst() {
        RecentPrefix prefix = waiting.removeFirst();
        reached = 0;
        int found = cache.find(query(prefix, prefix.tokens().length), true).length();
        if (found > 0) {
            onLoaded.accept(
                    new RecentPrefix(
                            prefix.scope(), Arrays.copyOf(prefix.tokens(), found), prefix.idle()));
        }
    }
}

package dev.varve.platform.prefix;

import java.util.concurrent.Future;

/**
 * A load of a prompt that a peer computes: the blocks that it has finished while it computes, then
 * the rest. Only the engine's thread calls it.
 */
final class HandOffPrefetch implements PrefixPrefetch {
    private final Future<?> prefill;
    private final EarlyPrefetch early;
    private final SharedPrefetch rest;

    /**
     * @param prefill done when the peer has ended
     * @param rest reads what the early loads have not read
     */
    HandOffPrefetch(Future<?> prefill, EarlyPrefetch early, SharedPrefetch rest) {
        this.prefill = prefill;
        this.early = early;
        this.rest = rest;
    }

    @Override
    public boolean isOver() {
        return rest.isOver();
    }

    /** Whether a part has ended that is not processed yet. */
    boolean hasEndedLoad() {
        return early.hasNews() || !early.isReading() && rest.hasEndedLoad();
    }

    /** Adopts what has arrived, and starts to read what can be read next. */
    void advance() {
        if (prefill.isDone()) {
            early.close();
        }
        early.advance();
        // It does not read blocks that are being read.
        if (!early.isReading()) {
            rest.advance();
        }
    }

    /** Whether the load has ended and pins nothing any more. */
    boolean isReleased() {
        boolean released = early.isReleased();
        return rest.isReleased() && released;
    }
}

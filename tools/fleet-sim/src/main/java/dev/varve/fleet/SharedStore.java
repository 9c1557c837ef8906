package dev.varve.fleet;

/**
 * A store of cached prefixes that all replicas share. Its transfers pass one after the other
 * through one pipe, so that more replicas wait longer.
 */
final class SharedStore {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Backlog of the pipe beyond which sequences are not saved, so that reads get their turn. */
    private static final long MOST_BACKLOG_NANOS = 1_000_000_000;

    private final FleetOptions.Store options;
    private final FleetOptions.TransferSize size;
    private final SequenceLru texts;
    private long freeAt;
    private long bytes;

    SharedStore(FleetOptions.Store options, FleetOptions.TransferSize size) {
        this.options = options;
        this.size = size;
        texts = new SequenceLru(options.capacityTokens(), (text, before, after) -> {});
    }

    /** Returns the number of leading tokens of a prompt that it holds. */
    int lookup(Turn turn) {
        return texts.lookup(turn);
    }

    /**
     * Returns the time when a transfer that begins now would end, in ns.
     *
     * @param tokens tokens of the prefix that the replica lacks
     */
    long expectedEnd(long now, long tokens) {
        return Math.max(now, freeAt) + nanos(size.of(tokens)) + options.latencyNanos();
    }

    /** Begins a transfer to a replica; returns the time of its end in ns. */
    long read(long now, long tokens) {
        long end = expectedEnd(now, tokens);
        occupy(now, size.of(tokens));
        return end;
    }

    /**
     * Saves a sequence, unless the store is behind. Only tokens that it lacks are sent.
     *
     * @param tokens computed tokens of the sequence
     */
    void write(long now, Turn turn, int tokens) {
        int missing = tokens - Math.min(tokens, texts.lookup(turn));
        if (missing > 0 && freeAt - now < MOST_BACKLOG_NANOS) {
            occupy(now, size.of(missing));
            texts.add(turn, tokens);
        }
    }

    private void occupy(long now, long transferred) {
        freeAt = Math.max(now, freeAt) + nanos(transferred);
        bytes += transferred;
    }

    private long nanos(long transferred) {
        return (long) (NANOS_PER_SECOND * transferred / options.bytesPerSecond());
    }

    /** Returns all transferred bytes. */
    long bytes() {
        return bytes;
    }
}

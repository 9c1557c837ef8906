package dev.varve.platform.sequence;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finished sequences, least recently used first, and the search for a prefix that a request can
 * reuse.
 */
final class FinishedSequences {
    private final boolean forgets;
    private final FinishedSequenceListener listener;
    private final Deque<SequenceCache> sequences = new ArrayDeque<>();

    /**
     * A resident that begins like a request.
     *
     * @param length leading tokens that need no computing
     */
    record Match(SequenceCache resident, int length) {
        /**
         * Whether all tokens are cached, because the resident has the output of the last token as
         * well.
         */
        boolean isWhole(PrefixQuery request) {
            return length == request.tokens().size();
        }

        /** Whether nothing is lost if the request takes over the resident and extends it. */
        boolean extendsResident() {
            return length == resident.computed() && resident.output().isEmpty();
        }
    }

    /**
     * @param forgets whether state cannot be cut back to every position
     * @param listener is notified of added and removed residents
     */
    FinishedSequences(boolean forgets, FinishedSequenceListener listener) {
        this.listener = listener;
        this.forgets = forgets;
    }

    void clear() {
        sequences.forEach(listener::onRemove);
        sequences.clear();
    }

    /** Adds a sequence as the most recently used one. */
    void add(SequenceCache sequence) {
        sequences.addLast(sequence);
        listener.onAdd(sequence);
    }

    void remove(SequenceCache sequence) {
        if (sequences.remove(sequence)) {
            listener.onRemove(sequence);
        }
    }

    /** Removes a sequence for a short time, so that it is not evicted meanwhile. */
    void protect(SequenceCache sequence) {
        sequences.remove(sequence);
    }

    /**
     * Adds a sequence again that was {@linkplain #protect set aside}, as the most recently used
     * one.
     */
    void putBack(SequenceCache sequence) {
        sequences.addLast(sequence);
    }

    /** Removes the least recently used sequence. */
    Optional<SequenceCache> pollOldest() {
        Optional<SequenceCache> oldest = Optional.ofNullable(sequences.pollFirst());
        oldest.ifPresent(listener::onRemove);
        return oldest;
    }

    Stream<SequenceCache> stream() {
        return sequences.stream();
    }

    /** Number of their slots. */
    int slots() {
        int sum = 0;
        for (SequenceCache resident : sequences) {
            sum += resident.span().capacity();
        }
        return sum;
    }

    /**
     * Finds the resident with the longest usable prefix of a request.
     *
     * @param last last position from which the request may resume
     */
    Optional<Match> find(PrefixQuery request, int last) {
        Optional<Match> best = Optional.empty();
        for (SequenceCache resident : sequences) {
            int length =
                    resident.scope().equals(request.scope())
                            ? reusable(resident, request, last)
                            : 0;
            if (length > best.map(Match::length).orElse(0)) {
                best = Optional.of(new Match(resident, length));
            }
        }
        return best;
    }

    /** Leading tokens that need no computing, up to a position at which a forward ended. */
    private int reusable(SequenceCache resident, PrefixQuery request, int last) {
        int equal = resident.tokens().commonPrefix(request.tokens());
        int common = request.tokens().images().border(equal);
        if (common == request.tokens().size()
                && common == resident.computed()
                && request.mayReuseOutput(resident)) {
            return common;
        }
        // One token remains, because its logits are needed.
        int limit = Math.min(Math.min(common, request.tokens().size() - 1), last);
        limit = Math.min(limit, resident.coldEnd());
        return forgets
                ? resumableEnd(resident, request, limit)
                : truncatedEnd(resident, request, limit);
    }

    /** For state that cannot be cut back: the resident's end or its checkpoint. */
    private static int resumableEnd(SequenceCache resident, PrefixQuery request, int limit) {
        if (resident.computed() <= limit && request.agrees(resident, resident.computed())) {
            return resident.computed();
        }
        int checkpoint = resident.checkpoint().position();
        boolean usable =
                resident.checkpoint().exists()
                        && checkpoint <= limit
                        && request.agrees(resident, checkpoint);
        return usable ? checkpoint : 0;
    }

    /**
     * For state that can be cut back: the last end of a forward, or a position within one if the
     * rest of its window can still be computed as a part of it.
     */
    private static int truncatedEnd(SequenceCache resident, PrefixQuery request, int limit) {
        int length = resident.chunkHistory().floor(limit);
        int cut = ChunkHistory.cutBefore(limit, request.tokens().size());
        if (cut > length && request.replay().end() == 0 && resident.pages().isEmpty()) {
            return cut;
        }
        return request.agrees(resident, length)
                ? length
                : resident.chunkHistory().agreement(request.replay(), length);
    }
}

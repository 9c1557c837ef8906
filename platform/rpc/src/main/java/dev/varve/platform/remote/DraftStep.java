package dev.varve.platform.remote;

import dev.varve.api.speculation.HiddenStates;

import java.util.List;

/**
 * One message to a draft model: events of sequences, in order, and the sequences to draft for.
 *
 * @param events events since the last step
 * @param requests each sequence at most once
 */
record DraftStep(List<Event> events, List<SequenceDraftRequest> requests) {
    DraftStep {
        events = List.copyOf(events);
        requests = List.copyOf(requests);
    }

    /** An event of a sequence. */
    sealed interface Event {
        /** The sequence ended, or is computed again. */
        record Reset(long sequence) implements Event {}

        /** Tokens of the sequence were computed. */
        record TokensComputed(HiddenStates states) implements Event {}
    }

    /**
     * Request for draft tokens of a sequence.
     *
     * @param known number of its tokens, the last of which was sampled and is not computed yet
     * @param last that token
     * @param most largest useful number of draft tokens in a chain
     * @param branched largest useful number of tokens of a tree; 0 if no tree is requested
     */
    record SequenceDraftRequest(long sequence, int known, int last, int most, int branched) {
        /** Returns the largest number of draft tokens in a response. */
        int tokens() {
            return Math.max(most, branched);
        }
    }
}

package dev.varve.platform.remote;

import dev.varve.api.speculation.HiddenStates;

import java.util.List;

/**
 * What a server tells a draft model at once: what happened to sequences, in order, and of which it
 * wants to know what follows.
 *
 * @param events what happened
 * @param asks each sequence at most once
 */
record DraftStep(List<Event> events, List<Ask> asks) {
    DraftStep {
        events = List.copyOf(events);
        asks = List.copyOf(asks);
    }

    /** Something that happened to a sequence. */
    sealed interface Event {
        /** It ended, or is computed anew. */
        record RecentEvictions(long sequence) implements Event {}

        /** Tokens of it were computed. */
        record Seen(HiddenStates states) implements Event {}
    }

    /**
     * A sequence whose next tokens are to be guessed.
     *
     * @param known its tokens, the last of which was chosen and is not computed yet
     * @param last that token
     * @param most tokens one after the other that can be of use
     * @param branched tokens of a tree that can be; 0 where none is wanted
     */
    record Ask(long sequence, int known, int last, int most, int branched) {
        /** Tokens, at most, of an answer. */
        int tokens() {
            return Math.max(most, branched);
        }
    }
}

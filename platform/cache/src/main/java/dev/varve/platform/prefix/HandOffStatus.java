package dev.varve.platform.prefix;

import java.util.List;
import java.util.Map;

/**
 * Statistics of the hand-off of prompts to prefill peers.
 *
 * @param peers the peers, in the order of the configuration
 * @param outcomes number of long prompts, by outcome
 * @param tokens prompt tokens whose blocks were adopted
 * @param readBytes bytes read from peers
 */
public record HandOffStatus(
        List<Peer> peers, Map<HandOffOutcome, Long> outcomes, long tokens, long readBytes) {
    /** Copies the list and the map. */
    public HandOffStatus {
        peers = List.copyOf(peers);
        outcomes = Map.copyOf(outcomes);
    }

    /**
     * A prefill peer.
     *
     * @param address its address
     * @param available whether prompts may be sent to it at the moment
     */
    public record Peer(String address, boolean available) {}
}

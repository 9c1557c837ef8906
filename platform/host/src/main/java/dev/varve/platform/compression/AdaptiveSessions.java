package dev.varve.platform.compression;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Keep ratios of conversations whose requests name them. Evicts the least recently used
 * conversation when there are too many. Thread-safe.
 */
public final class AdaptiveSessions {
    private static final int MOST = 1024;

    private final SequencedMap<String, AdaptiveKeepRatio> sessions =
            new LinkedHashMap<>(16, 0.75f, true);

    /** Returns the state of a conversation; a first lookup stores nothing. */
    public synchronized AdaptiveKeepRatio find(String session) {
        return Optional.ofNullable(sessions.get(session)).orElse(AdaptiveKeepRatio.START);
    }

    /**
     * Updates a conversation after a turn.
     *
     * @param acceptance part of its draft tokens that the model accepted
     */
    public synchronized void finished(String session, double acceptance) {
        sessions.put(session, find(session).after(acceptance));
        if (sessions.size() > MOST) {
            sessions.pollFirstEntry();
        }
    }
}

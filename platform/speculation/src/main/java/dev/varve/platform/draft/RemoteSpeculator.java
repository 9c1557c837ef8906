package dev.varve.platform.draft;

import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.Speculator;

import java.util.List;

/** A speculator in another process, which can draft while the model computes. */
public interface RemoteSpeculator extends Speculator {
    /**
     * Starts the drafts for the next {@link #propose} call, without waiting for them. If that call
     * names other sequences, it may return no draft tokens.
     *
     * @param sequences each at most once
     */
    void begin(List<DraftRequest> sequences);

    /** Returns its status; any thread may call it. */
    RemoteDraftStatus status();
}

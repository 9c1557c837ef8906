package dev.varve.platform.draft;

import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.Speculator;

import java.util.List;

/** A speculator that works elsewhere, so that the model may be at work meanwhile. */
public interface RemoteSpeculator extends Speculator {
    /**
     * Begins with what {@link #propose} is asked next, without waiting for it. If it is asked for
     * other sequences then, there may be no guesses.
     *
     * @param sequences each at most once
     */
    void begin(List<DraftRequest> sequences);

    /** How it is; any thread may ask. */
    DraftStatus status();
}

package dev.varve.platform.speculation;

import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.Speculator;

import java.util.List;

/** A speculator that works elsewhere, so that the model may be at work meanwhile. */
public interface DistantSpeculator extends Speculator {
    /**
     * Begins with what {@link #propose} is asked next, without waiting for it. Whatever else it is
     * asked instead, it answers that.
     *
     * @param sequences each at most once
     */
    void begin(List<DraftRequest> sequences);
}

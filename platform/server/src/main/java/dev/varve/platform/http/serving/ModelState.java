package dev.varve.platform.http.serving;

import java.util.Locale;

/** The current state of a model. */
public enum ModelState {
    /** Not loaded; a request loads it. */
    UNLOADED,
    /** Loading; requests wait for it. */
    LOADING,
    /** Loaded and usable. */
    READY,
    /** Loading failed, or the loaded model failed; a later request tries again. */
    FAILED;

    /** Returns the name in responses, such as {@code ready}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package dev.varve.platform.http.serving;

import java.util.Locale;

/** What a model of a server is at the moment. */
public enum ModelState {
    /** A request for it loads it. */
    UNLOADED,
    /** Requests for it wait. */
    LOADING,
    /** It answers. */
    READY,
    /** It could not be loaded; a later request tries again. */
    FAILED;

    /** The word that people and programs read, such as {@code ready}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

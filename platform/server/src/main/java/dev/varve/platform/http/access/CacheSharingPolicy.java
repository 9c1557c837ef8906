package dev.varve.platform.http.access;

import java.util.Locale;

/** Which callers go on with each other's computed prompts. */
public enum CacheSharingPolicy {
    /** Those with the same API key; all where no key is needed. */
    KEY,
    /** All. */
    SHARED;

    /** The word that people and programs read, such as {@code key}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

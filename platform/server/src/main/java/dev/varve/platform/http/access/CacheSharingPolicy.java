package dev.varve.platform.http.access;

import java.util.Locale;

/** Which callers share cached prefixes. */
public enum CacheSharingPolicy {
    /** Callers with the same API key; all callers if no key is needed. */
    KEY,
    /** All callers. */
    SHARED;

    /** Returns the name in settings and responses, such as {@code key}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

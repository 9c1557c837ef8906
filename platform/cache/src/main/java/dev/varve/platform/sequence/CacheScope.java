package dev.varve.platform.sequence;

import dev.varve.platform.shard.lora.LoraScales;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Scope of reuse: a request continues finished sequences of its own scope only, because response
 * times and cached token counts would reveal prompts of other clients, and because sequences that
 * were computed with other scales of adapters hold other rows.
 *
 * @param name any text that identifies the clients; never a secret key itself
 * @param lora scales of the model's adapters with which sequences of this scope are computed
 */
public record CacheScope(String name, LoraScales lora) {
    private static final CacheScope COMMON = new CacheScope("");

    private static final CacheScope NONE = new CacheScope("\0");

    /** Begins the part of an identity that names scales; no name begins with it. */
    private static final char SCALES = '\2';

    /** Checks that there is a name. */
    public CacheScope {
        Objects.requireNonNull(name);
        Objects.requireNonNull(lora);
    }

    /** Creates a scope of sequences that are computed with the adapters as loaded. */
    public CacheScope(String name) {
        this(name, LoraScales.AS_LOADED);
    }

    /** The scope of a request that reuses nothing and leaves nothing in the cache. */
    public static CacheScope none() {
        return NONE;
    }

    /** Whether computed sequences of this scope may be reused. */
    public boolean isCached() {
        return !name.equals(NONE.name);
    }

    /**
     * Returns a part of this scope, shared by all requests that name the same part.
     *
     * @param part any text
     */
    public CacheScope part(String part) {
        return isCached() ? new CacheScope(name + '\1' + part, lora) : this;
    }

    /** Returns the same scope for sequences that are computed with other scales of adapters. */
    public CacheScope with(LoraScales other) {
        return other.equals(lora) ? this : new CacheScope(name, other);
    }

    /**
     * Text that differs between all scopes, and is the same in later processes. An adapter that was
     * added while the model ran is named by its content: its number may be another one then.
     */
    public String identity() {
        if (lora.areAsLoaded()) {
            return name;
        }
        return SCALES
                + (lora.contents().isEmpty() ? byNumber(lora.values()) : byContent())
                + SCALES
                + name;
    }

    private static String byNumber(List<Float> scales) {
        return scales.stream().map(CacheScope::hex).collect(Collectors.joining(","));
    }

    private String byContent() {
        List<Float> loaded = new ArrayList<>();
        // In the order of the numbers, in which the changes are added.
        List<String> added = new ArrayList<>();
        for (int number = 0; number < lora.values().size(); number++) {
            float scale = lora.values().get(number);
            String content = lora.content(number);
            loaded.add(content.isEmpty() ? scale : 0f);
            if (!content.isEmpty()) {
                added.add(content + "=" + hex(scale));
            }
        }
        while (!loaded.isEmpty() && loaded.getLast() == 0) {
            loaded.removeLast();
        }
        return byNumber(loaded) + ";" + String.join(",", added);
    }

    private static String hex(float scale) {
        return Integer.toHexString(Float.floatToIntBits(scale));
    }

    /** The scope of all clients that cannot be distinguished. */
    public static CacheScope common() {
        return COMMON;
    }
}

package dev.varve.platform.http.conversation;

import dev.varve.platform.http.answer.RequestCacheOptions;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import java.util.Optional;

/** Reads {@code cache} and {@code cache_scope}, extensions of OpenAI's API. */
public final class CacheFields {
    private static final String SCOPE = "cache_scope";
    private static final int LONGEST_SCOPE = 256;

    private CacheFields() {}

    /** Reads the fields. */
    public static RequestCacheOptions read(RequestFields fields) {
        Optional<String> scope = fields.text(SCOPE);
        int length = scope.map(String::length).orElse(1);
        if (length < 1 || length > LONGEST_SCOPE) {
            throw ApiException.invalid(
                    SCOPE,
                    SCOPE + ": expected 1 to " + LONGEST_SCOPE + " characters, found " + length);
        }
        return new RequestCacheOptions(
                fields.flag("cache").or(() -> fields.flag("cache_prompt")).orElse(true), scope);
    }
}

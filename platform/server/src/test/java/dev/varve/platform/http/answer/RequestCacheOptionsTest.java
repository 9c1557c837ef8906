package dev.varve.platform.http.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

class RequestCacheOptionsTest {
    private static final CacheScope KEY = new CacheScope("0123456789abcdef");

    private static CacheScope part(CacheScope caller, String name) {
        return new RequestCacheOptions(true, Optional.of(name)).within(caller);
    }

    @Test
    void defaultScopeIsTheWholeScopeOfTheKey() {
        assertEquals(KEY, RequestCacheOptions.ALL.within(KEY));
        assertEquals(CacheScope.common(), RequestCacheOptions.ALL.within(CacheScope.common()));
    }

    @Test
    void subScopeIsStablePerKey() {
        assertEquals(part(KEY, "a"), part(KEY, "a"));
        assertNotEquals(part(KEY, "a"), part(KEY, "b"));
        assertNotEquals(part(KEY, "a"), KEY);
        assertNotEquals(part(KEY, "a"), part(CacheScope.common(), "a"));
    }

    @Test
    void disabledCacheIgnoresTheScope() {
        for (Optional<String> part : List.of(Optional.<String>empty(), Optional.of("a"))) {
            assertEquals(CacheScope.none(), new RequestCacheOptions(false, part).within(KEY));
        }
    }

    /** Names that look like those of other scopes. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "\0none", "0123456789abcdef", "", "\0", "cache_scope=a"})
    void noNameReachesAnotherScope(String name) {
        CacheScope scope = part(CacheScope.common(), name);

        assertNotEquals(CacheScope.none(), scope);
        assertNotEquals(CacheScope.common(), scope);
        assertNotEquals(KEY, scope);
        assertNotEquals(part(CacheScope.common(), "a"), scope);
    }
}

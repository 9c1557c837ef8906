package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class CacheScopeTest {
    private static final LoraScales HALF = new LoraScales(List.of(0.5f));
    private static final CacheScope ALICE = new CacheScope("alice");

    @Test
    void scalesOfAdaptersMakeAnotherScope() {
        List<CacheScope> scopes =
                Stream.of(
                                LoraScales.AS_LOADED,
                                HALF,
                                new LoraScales(List.of(0f)),
                                new LoraScales(List.of(0.5f, 0f)))
                        .flatMap(
                                scales ->
                                        Stream.of(
                                                ALICE.with(scales),
                                                CacheScope.common().with(scales)))
                        .toList();

        Set<String> identities =
                scopes.stream().map(CacheScope::identity).collect(Collectors.toSet());

        assertEquals(scopes.size(), Set.copyOf(scopes).size());
        assertEquals(scopes.size(), identities.size());
    }

    /** Prefixes on disk stay valid. */
    @Test
    void identityWithLoadedScalesIsTheName() {
        assertEquals("alice", ALICE.identity());
        assertEquals(ALICE, ALICE.with(HALF).with(LoraScales.AS_LOADED));
    }

    private static String added(List<Float> scales, List<String> contents) {
        return ALICE.with(new LoraScales(scales, contents)).identity();
    }

    @Test
    void addedAdaptersAreNamedByTheirContent() {
        String first = added(List.of(0.5f, 1f), List.of("", "aa"));

        assertNotEquals(first, added(List.of(0.5f, 1f), List.of("", "bb")));
        assertNotEquals(first, added(List.of(0.5f, 2f), List.of("", "aa")));
        assertNotEquals(first, added(List.of(0f, 1f), List.of("", "aa")));
        assertNotEquals(first, added(List.of(0.5f, 1f), List.of()));
        assertEquals(first, added(List.of(0.5f, 0f, 1f), List.of("", "", "aa")));
    }

    @Test
    void partsAndDisabledCachesKeepTheScales() {
        assertEquals(HALF, ALICE.with(HALF).part("team").lora());
        assertNotEquals(ALICE.with(HALF), ALICE.with(HALF).part("team"));
        assertFalse(CacheScope.none().with(HALF).isCached());
        assertEquals(HALF, CacheScope.none().with(HALF).part("team").lora());
    }
}

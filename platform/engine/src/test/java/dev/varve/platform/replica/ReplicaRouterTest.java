package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationRequest.Prompt;
import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Tests the choice of a replica by its cached tokens and owed tokens. */
class ReplicaRouterTest {
    private final PlainReplicas engines = new PlainReplicas(PlainReplicas.options(2, 64));
    private EnginePool pool;
    private Replica first;
    private Replica second;

    @BeforeEach
    void openReplicas() {
        pool = engines.pool(2);
        first = pool.replica(0);
        second = pool.replica(1);
    }

    @AfterEach
    void closeReplicas() {
        pool.close();
    }

    private static PromptBlockHashes prompt(int seed, int tokens) {
        return PromptBlockHashes.of(Prompt.of(PlainReplicas.text(seed, tokens)));
    }

    private int chosen(PromptBlockHashes prompt) {
        return ReplicaRouter.order(List.of(first, second), prompt).getFirst().replica().id();
    }

    @Test
    void promptIsRoutedToTheLongestCachedPrefix() {
        second.prefixEstimate().add(prompt(1, 320));

        assertEquals(1, chosen(prompt(1, 352)));
    }

    @Test
    void unknownPromptsAreRoutedToTheLeastLoaded() {
        first.outstandingTokens().set(10);

        assertEquals(1, chosen(prompt(1, 352)));
    }

    @Test
    void loadedReplicaKeepsItsPromptsUntilRecomputingIsFaster() {
        second.prefixEstimate().add(prompt(1, 320));

        second.outstandingTokens().set(512 + 320 - 48);
        assertEquals(1, chosen(prompt(1, 352)), "waiting is sooner");
        second.outstandingTokens().set(512 + 320 + 48);
        assertEquals(0, chosen(prompt(1, 352)), "computing it is sooner");
    }

    @Test
    void commonPrefixIsComputedOncePerReplica() {
        // A short common prefix, and long ends of their own.
        int[] common = PlainReplicas.text(99, 64);
        int[] counts = new int[2];
        for (int i = 0; i < 40; i++) {
            PromptBlockHashes prompt =
                    PromptBlockHashes.of(
                            Prompt.of(PlainReplicas.join(common, PlainReplicas.text(i, 192))));
            int chosen = chosen(prompt);
            pool.replica(chosen).prefixEstimate().add(prompt);
            counts[chosen]++;
        }

        assertTrue(Math.min(counts[0], counts[1]) >= 16, counts[0] + " and " + counts[1]);
    }

    @Test
    void scopesShareNothing() {
        int[] tokens = PlainReplicas.text(1, 320);
        second.prefixEstimate().add(PromptBlockHashes.of(Prompt.of(tokens)));
        int[] none = {};

        PromptBlockHashes other =
                PromptBlockHashes.of(new Prompt(tokens, none, new CacheScope("other")));
        PromptBlockHashes unkept =
                PromptBlockHashes.of(new Prompt(tokens, none, CacheScope.none()));

        assertEquals(320, second.prefixEstimate().cached(PromptBlockHashes.of(Prompt.of(tokens))));
        assertEquals(0, second.prefixEstimate().cached(other));
        assertEquals(0, second.prefixEstimate().cached(unkept));
        assertEquals(0, unkept.count());
    }

    @Test
    void indexForgetsTheLeastRecentlyUsedAndSharedPrefixesLast() {
        CachedPrefixEstimate prefixEstimate =
                new CachedPrefixEstimate(64 * PromptBlockHashes.TOKENS);
        prefixEstimate.add(prompt(1, 32 * PromptBlockHashes.TOKENS));
        prefixEstimate.add(prompt(2, 32 * PromptBlockHashes.TOKENS));
        prefixEstimate.add(prompt(3, 16 * PromptBlockHashes.TOKENS));

        assertEquals(
                16 * PromptBlockHashes.TOKENS,
                prefixEstimate.cached(prompt(1, 32 * PromptBlockHashes.TOKENS)));
        assertEquals(
                32 * PromptBlockHashes.TOKENS,
                prefixEstimate.cached(prompt(2, 32 * PromptBlockHashes.TOKENS)));
        assertEquals(64 * PromptBlockHashes.TOKENS, prefixEstimate.used());
        assertEquals(PromptBlockHashes.TOKENS, prefixEstimate.displaced(PromptBlockHashes.TOKENS));
    }

    @Test
    void aMissOfAComputedPrefixLowersTheCapacityAndFoundOnesRaiseItAgain() {
        CachedPrefixEstimate estimate = new CachedPrefixEstimate(200 * PromptBlockHashes.TOKENS);
        for (int seed = 0; seed < 20; seed++) {
            estimate.add(prompt(seed, 10 * PromptBlockHashes.TOKENS));
        }
        PromptBlockHashes last = prompt(19, 10 * PromptBlockHashes.TOKENS);

        estimate.correct(last, 0);
        assertEquals(200 * PromptBlockHashes.TOKENS, estimate.used());

        estimate.computed(last);
        estimate.correct(last, 0);
        assertEquals(180 * PromptBlockHashes.TOKENS, estimate.used());
        assertEquals(
                20 * PromptBlockHashes.TOKENS, estimate.displaced(20 * PromptBlockHashes.TOKENS));

        for (int found = 0; found < 20; found++) {
            estimate.correct(last, last.tokens());
        }
        assertEquals(0, estimate.displaced(20 * PromptBlockHashes.TOKENS));
        assertEquals(1, estimate.displaced(20 * PromptBlockHashes.TOKENS + 1));
    }
}

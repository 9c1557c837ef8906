package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

class GenerationRequestTest {
    private static final LoraScales HALF = new LoraScales(List.of(0.5f));

    /** The scope of a caller is known after the scales of the request. */
    @Test
    void anotherScopeKeepsTheScalesOfAdapters() {
        GenerationRequest request =
                GenerationRequest.greedy(new int[] {1}, 1).within(CacheScope.common());
        GenerationRequest adapted =
                new GenerationRequest(
                        new GenerationRequest.Prompt(
                                new int[] {1}, new int[0], CacheScope.common().with(HALF)),
                        new GenerationRequest.Ending(1, Set.of()),
                        request.choice());

        assertEquals(
                new CacheScope("alice", HALF),
                adapted.within(new CacheScope("alice")).prompt().scope());
        assertEquals(HALF, adapted.within(CacheScope.none()).prompt().scope().lora());
    }
}

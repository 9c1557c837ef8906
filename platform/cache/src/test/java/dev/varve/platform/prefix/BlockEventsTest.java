package dev.varve.platform.prefix;

import static dev.varve.platform.prefix.CacheRig.SCOPE;
import static dev.varve.platform.prefix.CacheRig.join;
import static dev.varve.platform.prefix.CacheRig.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheMedium;
import dev.varve.platform.prefix.CacheRig.Kind;
import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** A listener knows which blocks are on the devices and in host memory, and nothing else. */
@Timeout(60)
class BlockEventsTest {
    private static final int BLOCK = CachedBlock.TOKENS;
    private static final int LENGTH = 2 * BLOCK + 60;
    private static final int[] PROMPT = text(1, LENGTH);

    /** Records the blocks of each medium. Every stored or removed block must change the record. */
    private static final class Index implements CacheListener {
        private final Map<CacheMedium, Map<Long, CacheEvent.Stored>> present =
                new EnumMap<>(CacheMedium.class);

        private volatile boolean closed;

        Index() {
            for (CacheMedium medium : CacheMedium.values()) {
                present.put(medium, new TreeMap<>());
            }
        }

        @Override
        public synchronized void heard(List<CacheEvent> events) {
            for (CacheEvent event : events) {
                switch (event) {
                    case CacheEvent.Stored stored -> {
                        assertEquals(
                                null, present.get(stored.medium()).put(stored.block(), stored));
                        stored.parent()
                                .ifPresent(
                                        parent ->
                                                assertTrue(
                                                        present.get(stored.medium())
                                                                .containsKey(parent)));
                    }
                    case CacheEvent.Removed removed ->
                            assertTrue(
                                    present.get(removed.medium()).remove(removed.block()) != null);
                    case CacheEvent.Cleared cleared -> present.values().forEach(Map::clear);
                }
            }
        }

        @Override
        public void close() {
            closed = true;
        }

        synchronized Map<Long, CacheEvent.Stored> of(CacheMedium medium) {
            return new TreeMap<>(present.get(medium));
        }
    }

    private final Index index = new Index();
    private final CacheEventPublisher eventPublisher = new CacheEventPublisher(index, 1000);

    private CacheRig rig(boolean forgets) {
        return new CacheRig(Kind.of(forgets), StorageTierOptions.NONE, Optional.of(eventPublisher));
    }

    private Map<Long, CacheEvent.Stored> told(CacheMedium medium) throws InterruptedException {
        eventPublisher.awaitPublished();
        return index.of(medium);
    }

    @Test
    void wholeBlocksOfAFinishedSequenceAreReported() throws Exception {
        try (CacheRig rig = rig(false)) {
            rig.finish(PROMPT);

            for (CacheMedium medium : List.of(CacheMedium.DEVICE, CacheMedium.HOST)) {
                Map<Long, CacheEvent.Stored> blocks = told(medium);
                assertEquals(2, blocks.size(), medium::toString);
                CacheEvent.Stored first =
                        blocks.values().stream()
                                .filter(each -> each.parent().isEmpty())
                                .findFirst()
                                .orElseThrow();
                CacheEvent.Stored second =
                        blocks.values().stream()
                                .filter(each -> each.parent().isPresent())
                                .findFirst()
                                .orElseThrow();
                assertArrayEquals(Arrays.copyOf(PROMPT, BLOCK), first.tokens());
                assertArrayEquals(Arrays.copyOfRange(PROMPT, BLOCK, 2 * BLOCK), second.tokens());
                assertEquals(OptionalLong.of(first.block()), second.parent());
                assertTrue(first.block() >= 0 && second.block() >= 0, "numbers are not negative");
            }
        }
    }

    @Test
    void blockHashDoesNotDependOnTheTier() throws Exception {
        try (CacheRig rig = rig(true)) {
            rig.finish(PROMPT);

            assertEquals(told(CacheMedium.DEVICE).keySet(), told(CacheMedium.HOST).keySet());
        }
    }

    @Test
    void evictionFromTheDeviceIsReported() throws Exception {
        try (CacheRig rig = rig(false)) {
            rig.finish(PROMPT);
            rig.pushOff();

            assertEquals(Map.of(), told(CacheMedium.DEVICE));
            assertEquals(2, told(CacheMedium.HOST).size());
            rig.cache().clear();
            assertEquals(Map.of(), told(CacheMedium.HOST));
        }
    }

    /** Of two sequences with a block in common one leaves: the block is still there. */
    @Test
    void sharedBlockIsStoredUntilItsLastHolderIsEvicted() throws Exception {
        int[] other = join(Arrays.copyOf(PROMPT, BLOCK), text(2, 300));
        try (CacheRig rig = rig(true)) {
            rig.finish(PROMPT);
            rig.finish(other);
            assertEquals(3, told(CacheMedium.DEVICE).size());
            assertEquals(
                    new TreeSet<>(told(CacheMedium.DEVICE).keySet()),
                    new TreeSet<>(told(CacheMedium.HOST).keySet()));

            // Room for one more takes the place of the one that was not used for longest.
            rig.finish(text(3, 1000));

            Map<Long, CacheEvent.Stored> left = told(CacheMedium.DEVICE);
            assertTrue(
                    left.values().stream()
                            .anyMatch(
                                    each ->
                                            Arrays.equals(
                                                    each.tokens(), Arrays.copyOf(PROMPT, BLOCK))),
                    left::toString);
            rig.pushOff();
            assertEquals(Map.of(), told(CacheMedium.DEVICE));
        }
    }

    @Test
    void scopesHaveSeparateBlocks() throws Exception {
        try (CacheRig rig = rig(false)) {
            rig.finish(PROMPT, SCOPE);
            rig.finish(PROMPT, new CacheScope("other"));

            assertEquals(4, told(CacheMedium.HOST).size());
        }
    }

    @Test
    void listenerIsClosedWithTheCache() {
        CacheRig rig = rig(false);
        rig.finish(PROMPT);
        assertEquals(false, index.closed);

        rig.close();

        assertTrue(index.closed);
    }
}

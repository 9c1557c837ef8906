package dev.varve.platform.store;

import static dev.varve.platform.store.ArchiveFixture.block;
import static dev.varve.platform.store.ArchiveFixture.checkpoint;
import static dev.varve.platform.store.ArchiveFixture.features;
import static dev.varve.platform.store.ArchiveFixture.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An object is known as long as all that it needs is, and what saves least goes first. */
class ObjectIndexTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long DAY = 24 * HOUR;

    private final ObjectIndex index = new ObjectIndex();

    private boolean add(ObjectDescriptor name, int chunks, int segment, long time) {
        return index.add(new JournalEntry.Added(name, 100L * chunks, chunks, segment, time));
    }

    private boolean add(ObjectDescriptor name) {
        return add(name, 1, 1, NOW);
    }

    private boolean knows(ObjectDescriptor name) {
        return index.find(name.key(), 0).isPresent();
    }

    private List<ObjectKey> keys(List<StoredObjectInfo> objects) {
        return objects.stream().map(object -> object.name().key()).toList();
    }

    @Test
    void objectNeedsTheBlockBeforeIt() {
        assertFalse(add(block("a/b")));
        assertFalse(add(checkpoint("a", 5)));
        assertTrue(add(block("a")));
        assertTrue(add(block("a/b")));
        assertTrue(add(checkpoint("a", 5)));
        assertTrue(add(checkpoint("", 5)));

        assertEquals(4, index.size());
        assertEquals(2, index.checkpoints());
        assertFalse(knows(block("a/b/c")));
    }

    @Test
    void objectEndsAtItsTail() {
        add(block("a"));
        ObjectDescriptor wrong =
                new ObjectDescriptor(key("w"), block("a").key(), ObjectKind.BLOCK, 500, 256);
        assertFalse(add(wrong), "the block before it ends at 256");
        ObjectDescriptor first =
                new ObjectDescriptor(key("f"), block("a").key(), ObjectKind.BLOCK, 256, 256);
        assertFalse(add(first), "it would be the first one");
        add(checkpoint("a", 5));
        ObjectDescriptor behind =
                new ObjectDescriptor(
                        key("b"), checkpoint("a", 5).key(), ObjectKind.BLOCK, 261 + 256, 256);
        assertFalse(add(behind), "it stands behind a checkpoint");
    }

    @Test
    void rewrittenObjectMovesToAnotherGeneration() {
        add(block("a"), 3, 1, NOW);

        assertTrue(add(block("a"), 3, 2, NOW));
        assertFalse(add(block("a"), 4, 3, NOW), "it has other chunks");

        assertEquals(Optional.of(new ObjectIndex.Place(2, 3)), index.place(block("a").key()));
        assertEquals(1, index.size());
        assertEquals(Map.of(2, 3L), index.chunks());
    }

    @Test
    void objectUnusedSinceATimeIsNotFound() {
        add(block("a"), 1, 1, NOW);
        add(checkpoint("a", 5), 1, 1, NOW);

        assertTrue(index.find(block("a").key(), NOW).isPresent());
        assertFalse(index.find(block("a").key(), NOW + 1).isPresent());
        assertEquals(
                List.of(checkpoint("a", 5).key()), keys(index.checkpoints(block("a").key(), NOW)));
        assertEquals(List.of(), index.checkpoints(block("a").key(), NOW + 1));
        assertEquals(List.of(), index.checkpoints(key("nothing"), 0));
    }

    @Test
    void useCountsForAllDependencies() {
        add(block("a"));
        add(block("a/b"));
        add(checkpoint("a/b", 5));
        add(checkpoint("a", 9));
        add(features(block("a")));
        add(features(block("a/b")));

        assertEquals(1, index.use(checkpoint("a/b", 5).key(), NOW + 10));
        assertEquals(2, index.use(checkpoint("a/b", 5).key(), NOW + 5));
        assertEquals(0, index.use(key("nothing"), NOW + 99));

        StoredObjectInfo used = index.find(checkpoint("a/b", 5).key(), 0).orElseThrow();
        assertEquals(2, used.uses());
        assertEquals(NOW + 10, used.lastUse(), "a clock that was set back changes nothing");
        for (ObjectDescriptor needed :
                List.of(block("a"), block("a/b"), features(block("a")), features(block("a/b")))) {
            StoredObjectInfo object = index.find(needed.key(), 0).orElseThrow();
            assertEquals(NOW + 10, object.lastUse(), needed::toString);
            assertEquals(0, object.uses());
        }
        assertEquals(
                NOW, index.find(checkpoint("a", 9).key(), 0).orElseThrow().lastUse(), "another");
    }

    @Test
    void dependentObjectsAreRemovedToo() {
        add(block("a"));
        add(block("a/b"));
        add(block("a/c"));
        add(checkpoint("a/b", 5));
        add(features(block("a/b")));

        assertEquals(0, index.remove(key("nothing")));
        // The hidden states of a block lie beside it.
        assertEquals(2, index.remove(block("a/b").key()));

        assertEquals(3, index.size());
        assertEquals(0, index.checkpoints());
        assertTrue(knows(block("a/c")));
        assertFalse(knows(checkpoint("a/b", 5)));
        assertFalse(add(checkpoint("a/b", 5)));
        assertTrue(add(block("a/b")), "it may come again");
    }

    @Test
    void objectsOfAGenerationAreRemovedTogether() {
        add(block("a"), 1, 1, NOW);
        add(block("a/b"), 2, 2, NOW);
        add(checkpoint("a", 5), 3, 3, NOW);
        add(checkpoint("a/b", 5), 4, 3, NOW);

        assertEquals(2, index.removeSegments(number -> number == 2));

        assertEquals(Map.of(1, 1L, 3, 3L), index.chunks());
        index.clear();
        assertEquals(0, index.size());
        assertEquals(0, index.checkpoints());
        assertEquals(List.of(), index.objects());
        assertTrue(add(checkpoint("", 5)));
    }

    /** A rewritten journal contains the entries of its index. */
    @Test
    void entriesRebuildTheSameIndex() {
        add(block("a"), 1, 1, NOW);
        add(checkpoint("a", 5), 2, 2, NOW + 1);
        add(block("b"), 3, 1, NOW + 2);
        index.use(checkpoint("a", 5).key(), NOW + 7);
        index.use(checkpoint("a", 5).key(), NOW + 8);

        ObjectIndex again = new ObjectIndex();
        index.entries().forEach(again::apply);

        assertEquals(index.objects(), again.objects());
        assertEquals(index.chunks(), again.chunks());
        again.apply(new JournalEntry.Lost(block("b").key()));
        assertFalse(again.find(block("b").key(), 0).isPresent());
        again.apply(new JournalEntry.Gone(2));
        assertEquals(List.of(block("a").key()), keys(again.objects()));
    }

    private Optional<SegmentEviction.Plan> plan() {
        return index.plan(new SegmentEviction(number -> number < 9, NOW));
    }

    @Test
    void noPlanWithoutAnEvictableGeneration() {
        add(block("a"), 1, 9, NOW);

        assertEquals(Optional.empty(), plan());
    }

    @Test
    void generationWhoseCheckpointsSaveLeastIsEvicted() {
        add(block("a"), 1, 1, NOW);
        add(block("a/b"), 1, 1, NOW);
        add(checkpoint("a/b", 5), 1, 1, NOW - 2 * DAY);
        add(checkpoint("", 50), 1, 2, NOW - 2 * DAY);

        assertEquals(2, plan().orElseThrow().segment(), "50 tokens, and 517 for three chunks");
        index.use(checkpoint("", 50).key(), NOW);
        index.use(checkpoint("", 50).key(), NOW);
        index.use(checkpoint("", 50).key(), NOW);
        assertEquals(1, plan().orElseThrow().segment(), "it was used four times as often");
    }

    /** Two days halve the chance of another use. */
    @Test
    void oldObjectsScoreLower() {
        add(checkpoint("", 100), 1, 1, NOW - 2 * DAY);
        add(checkpoint("", 51), 1, 2, NOW);

        assertEquals(1, plan().orElseThrow().segment());
        index.clear();
        add(checkpoint("", 103), 1, 1, NOW - 2 * DAY);
        add(checkpoint("", 51), 1, 2, NOW);
        assertEquals(2, plan().orElseThrow().segment());
    }

    /** A block in one generation that a checkpoint in another one needs. */
    @Test
    void generationScoreIncludesItsDependents() {
        add(block("a"), 1, 1, NOW);
        add(checkpoint("a", 5), 1, 9, NOW);
        add(checkpoint("", 50), 1, 2, NOW);

        assertEquals(2, plan().orElseThrow().segment());
    }

    @Test
    void bestObjectsOfAnEvictedGenerationAreCarriedOver() {
        add(block("a"), 1, 1, NOW - 2 * DAY);
        add(checkpoint("a", 5), 1, 1, NOW - 2 * DAY);
        add(checkpoint("", 10), 3, 1, NOW - 2 * DAY);
        add(checkpoint("", 90), 1, 1, NOW - 2 * DAY);
        add(block("z"), 1, 2, NOW);
        add(checkpoint("z", 99), 1, 2, NOW);

        assertEquals(List.of(), plan().orElseThrow().carried(), "none was used, and none is young");
        index.use(checkpoint("a", 5).key(), NOW - DAY);
        index.use(checkpoint("", 90).key(), NOW - 2 * DAY);
        SegmentEviction.Plan plan = plan().orElseThrow();
        assertEquals(1, plan.segment());
        // Four tenths of six chunks: the two of the block and its checkpoint.
        assertEquals(List.of(block("a").key(), checkpoint("a", 5).key()), plan.carried());
    }

    @Test
    void youngUnusedObjectsAreCarriedOver() {
        add(checkpoint("", 10), 1, 1, NOW - HOUR + 1);
        add(checkpoint("", 11), 2, 1, NOW - HOUR);
        add(checkpoint("z", 0), 1, 2, NOW);
        add(block("z"), 1, 2, NOW);
        add(checkpoint("z", 99), 1, 2, NOW);

        assertEquals(List.of(checkpoint("", 10).key()), plan().orElseThrow().carried());
    }

    @Test
    void clockSetBackRaisesNoScore() {
        add(checkpoint("", 100), 1, 1, NOW + 100 * DAY);
        add(checkpoint("", 101), 1, 2, NOW);

        assertEquals(1, plan().orElseThrow().segment());
    }
}

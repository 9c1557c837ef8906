package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheMedium;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Notes of what the cache has, for a listener that may be slow. */
@Timeout(60)
class CacheEventPublisherTest {
    private static final int[] TOKENS = new int[CachedBlock.TOKENS];

    /** Knows what it heard. */
    private static final class Index implements CacheListener {
        private final Set<Long> present = new TreeSet<>();
        private final List<CacheEvent> heard = new ArrayList<>();
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch may;
        private boolean closed;

        Index(int waits) {
            may = new CountDownLatch(waits);
        }

        @Override
        public void heard(List<CacheEvent> events) {
            begun.countDown();
            Await.latch(may);
            heard.addAll(events);
            for (CacheEvent event : events) {
                switch (event) {
                    case CacheEvent.Stored stored -> assertTrue(present.add(stored.block()));
                    case CacheEvent.Removed removed -> assertTrue(present.remove(removed.block()));
                    case CacheEvent.Cleared cleared -> present.clear();
                }
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static void store(CacheEventPublisher eventPublisher, long block) {
        eventPublisher.stored(CacheMedium.HOST, block, OptionalLong.empty(), TOKENS);
    }

    @Test
    void eventsArePublishedOnceInOrder() throws Exception {
        Index index = new Index(0);
        try (CacheEventPublisher eventPublisher = new CacheEventPublisher(index, 100)) {
            eventPublisher.share().close();
            store(eventPublisher, 1);
            store(eventPublisher, 1);
            eventPublisher.removed(CacheMedium.HOST, 2);
            eventPublisher.removed(CacheMedium.HOST, 1);
            eventPublisher.removed(CacheMedium.HOST, 1);
            store(eventPublisher, 2);
            eventPublisher.awaitPublished();

            assertEquals(
                    List.of("Stored", "Removed", "Stored"),
                    index.heard.stream()
                            .map(event -> event.getClass().getSimpleName())
                            .collect(Collectors.toList()));
            assertEquals(Set.of(2L), index.present);
        }
        assertTrue(index.closed);
    }

    @Test
    void slowListenerGetsAFullSnapshot() throws Exception {
        Index index = new Index(1);
        try (CacheEventPublisher eventPublisher = new CacheEventPublisher(index, 16)) {
            store(eventPublisher, 0);
            Await.latch(index.begun);
            for (long i = 1; i <= 1000; i++) {
                store(eventPublisher, i);
                if (i % 3 == 0) {
                    eventPublisher.removed(CacheMedium.HOST, i - 1);
                }
            }
            index.may.countDown();
            eventPublisher.awaitPublished();

            assertEquals(
                    LongStream.rangeClosed(0, 1000)
                            .filter(i -> i % 3 != 2)
                            .boxed()
                            .collect(Collectors.toSet()),
                    index.present);
            assertEquals(
                    1, index.heard.stream().filter(CacheEvent.Cleared.class::isInstance).count());
        }
    }
}

package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheMedium;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Tests the events by which routers know the cached prefixes of an engine. */
@Timeout(60)
class PrefixCacheEventsTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final int[] PROMPT = text(1, 700);

    /** The state of a router. */
    private static final class Router implements CacheListener {
        private final Map<CacheMedium, Map<Long, CacheEvent.Stored>> index = new HashMap<>();

        @Override
        public synchronized void heard(List<CacheEvent> events) {
            for (CacheEvent event : events) {
                switch (event) {
                    case CacheEvent.Stored stored ->
                            of(stored.medium()).put(stored.block(), stored);
                    case CacheEvent.Removed removed -> of(removed.medium()).remove(removed.block());
                    case CacheEvent.Cleared cleared -> index.clear();
                }
            }
        }

        private Map<Long, CacheEvent.Stored> of(CacheMedium medium) {
            return index.computeIfAbsent(medium, any -> new HashMap<>());
        }

        synchronized int count(CacheMedium medium) {
            return of(medium).size();
        }

        /** Returns the number of leading blocks of a prompt that are cached. */
        synchronized int blocksOf(CacheMedium medium, int[] prompt) {
            OptionalLong parent = OptionalLong.empty();
            for (int count = 0; ; count++) {
                int begin = count * 256;
                OptionalLong before = parent;
                Optional<CacheEvent.Stored> next =
                        of(medium).values().stream()
                                .filter(each -> each.parent().equals(before))
                                .filter(each -> begins(each.tokens(), prompt, begin))
                                .findFirst();
                if (next.isEmpty()) {
                    return count;
                }
                parent = OptionalLong.of(next.get().block());
            }
        }

        private static boolean begins(int[] tokens, int[] prompt, int begin) {
            return begin + tokens.length <= prompt.length
                    && Arrays.equals(
                            tokens, 0, tokens.length, prompt, begin, begin + tokens.length);
        }

        @Override
        public void close() {
            // The test holds no resources.
        }
    }

    private final Router router = new Router();

    private EngineCore start(PlainModel model, boolean withHost) {
        EngineOptions options = PlainEngine.options(2, (withHost ? 4 : 2) * BLOCKS);
        EngineOptions host = withHost ? PlainEngine.withHost(options, model, 64 << 20) : options;
        return PlainEngine.start(
                model, ChangedOptions.withFeed(host, CacheEventPublisher.to(router)), 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void storedAndEvictedBlocksArePublished(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        try (EngineCore engine = start(model, true)) {
            Ask.of(PROMPT, 12, 600).ask(engine).await();
            Ask.of(PROMPT, 12, 600).within(new CacheScope("other")).ask(engine).await();

            Await.until("both are in host memory", () -> router.count(CacheMedium.HOST) == 4);
            Await.until("both are on the devices", () -> router.count(CacheMedium.DEVICE) == 4);
            assertEquals(2, router.blocksOf(CacheMedium.HOST, PROMPT));
            assertEquals(2, router.blocksOf(CacheMedium.DEVICE, PROMPT));

            engine.clearCache().get();
            Await.until("nothing is left", () -> isEmpty());
        }
    }

    private boolean isEmpty() {
        return router.count(CacheMedium.HOST) + router.count(CacheMedium.DEVICE) == 0;
    }

    @Test
    void withoutHostMemoryDeviceBlocksArePublished() throws Exception {
        PlainModel model = PlainEngine.model(false);
        try (EngineCore engine = start(model, false)) {
            Ask.of(PROMPT, 12).ask(engine).await();
            Await.until("it is told", () -> router.blocksOf(CacheMedium.DEVICE, PROMPT) == 2);

            PlainEngine.pushOff(engine);

            Await.until("it has gone", () -> router.blocksOf(CacheMedium.DEVICE, PROMPT) == 0);
            assertEquals(0, router.count(CacheMedium.HOST));
        }
    }
}

package dev.varve.platform.prefix;

import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheMedium;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Publishes cache events to a listener, on its own thread. The thread that changes the cache only
 * queues an event. If the queue overflows, the publisher discards it and sends a full snapshot
 * instead: the listener lags for a while and is then up to date again. Thread-safe.
 */
public final class CacheEventPublisher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** Maximum queued events. */
    private static final int MOST_WAITING = 1 << 14;

    /** Maximum events of one call of the listener. */
    private static final int AT_ONCE = 64;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final CacheListener listener;
    private final byte[] variant;
    private final int mostWaiting;
    private final Thread thread;
    private final Deque<CacheEvent> waiting = new ArrayDeque<>();

    /** Current blocks; a block comes after its ancestors. */
    private final Map<BlockLocation, BlockRefCount> present = new LinkedHashMap<>();

    /** Number of caches that use the publisher and have not closed it. */
    private int owners = 1;

    private boolean overflowed;
    private boolean closed;
    private boolean publishing;

    private record BlockLocation(long block, CacheMedium medium) {}

    /** A current block, and the number of caches that have it. */
    private record BlockRefCount(CacheEvent.Stored event, int times) {}

    /**
     * Creates a publisher; the listener is closed with it.
     *
     * @param mostWaiting maximum queued events
     */
    CacheEventPublisher(CacheListener listener, int mostWaiting) {
        this(listener, new byte[0], mostWaiting);
    }

    private CacheEventPublisher(CacheListener listener, byte[] variant, int mostWaiting) {
        this.listener = listener;
        this.variant = variant.clone();
        this.mostWaiting = mostWaiting;
        thread = Thread.ofPlatform().name("varve-cache-events").daemon(true).start(this::publish);
    }

    /** Creates a publisher; the listener is closed with it. */
    public static CacheEventPublisher to(CacheListener listener) {
        return to(listener, new byte[0]);
    }

    /**
     * Creates a publisher for a variant of a model; the listener is closed with it.
     *
     * @param variant changes the numbers of all blocks; empty for the model itself
     */
    public static CacheEventPublisher to(CacheListener listener, byte[] variant) {
        return new CacheEventPublisher(listener, variant, MOST_WAITING);
    }

    /** Returns the variant of the model whose blocks are published. */
    byte[] variant() {
        return variant.clone();
    }

    /** Returns the same publisher for one more cache, which closes it as well. */
    public synchronized CacheEventPublisher share() {
        owners++;
        return this;
    }

    /** Records a block that a cache has; other caches may have it too. */
    synchronized void stored(CacheMedium medium, long block, OptionalLong parent, int[] tokens) {
        BlockLocation place = new BlockLocation(block, medium);
        BlockRefCount known = present.get(place);
        if (known == null) {
            CacheEvent.Stored event = new CacheEvent.Stored(block, parent, tokens, medium);
            present.put(place, new BlockRefCount(event, 1));
            note(event);
        } else {
            present.put(place, new BlockRefCount(known.event(), known.times() + 1));
        }
    }

    /** Records a block that a cache lost; other caches may still have it. */
    synchronized void removed(CacheMedium medium, long block) {
        BlockLocation place = new BlockLocation(block, medium);
        BlockRefCount known = present.get(place);
        if (known == null) {
            return;
        }
        if (known.times() > 1) {
            present.put(place, new BlockRefCount(known.event(), known.times() - 1));
            return;
        }
        present.remove(place);
        note(new CacheEvent.Removed(block, medium));
    }

    private void note(CacheEvent event) {
        if (!overflowed && waiting.size() < mostWaiting) {
            waiting.add(event);
        } else {
            overflowed = true;
            waiting.clear();
        }
        notifyAll();
    }

    private void publish() {
        for (List<CacheEvent> events = next(); !events.isEmpty(); events = next()) {
            try {
                for (int i = 0; i < events.size(); i += AT_ONCE) {
                    listener.heard(events.subList(i, Math.min(events.size(), i + AT_ONCE)));
                }
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.WARNING, "cache events could not be published", e);
            }
        }
    }

    private synchronized List<CacheEvent> next() {
        publishing = false;
        notifyAll();
        while (waiting.isEmpty() && !overflowed && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                return List.of();
            }
        }
        publishing = true;
        List<CacheEvent> events = new ArrayList<>();
        if (overflowed) {
            overflowed = false;
            events.add(new CacheEvent.Cleared());
            present.values().forEach(held -> events.add(held.event()));
            return events;
        }
        while (!waiting.isEmpty() && events.size() < AT_ONCE) {
            events.add(waiting.remove());
        }
        return events;
    }

    /** Waits until all events are delivered; for tests. */
    synchronized void awaitPublished() throws InterruptedException {
        while (publishing || !waiting.isEmpty() || overflowed) {
            wait();
        }
    }

    /** Delivers the queued events and closes the listener, once all owners have called it. */
    @Override
    public void close() {
        synchronized (this) {
            if (--owners > 0) {
                return;
            }
            closed = true;
            notifyAll();
        }
        try {
            thread.join(CLOSE_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
        try {
            listener.close();
        } catch (RuntimeException e) {
            // A plugin's failure must not keep the rest of the model from being closed.
            LOG.log(System.Logger.Level.WARNING, "closing a listener of cache events failed", e);
        }
    }
}

package dev.varve.platform.prefix;

import dev.varve.api.event.CacheMedium;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.FinishedSequenceListener;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.store.ObjectKey;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Emits events for the blocks in host memory and for finished sequences on the devices. Not
 * thread-safe.
 */
final class CacheEventEmitter implements FinishedSequenceListener {
    /**
     * Block numbers are the same for all models and servers, since events name both; but not for
     * variants of a model.
     */
    private final ChainKeys keys;

    private final CacheEventPublisher eventPublisher;
    private final Map<CachedBlock, ObjectKey> inHost = new IdentityHashMap<>();
    private final Map<SequenceCache, List<Long>> residents = new IdentityHashMap<>();

    /** Number of finished sequences that have a block. */
    private final Map<Long, Integer> shared = new HashMap<>();

    /** Listener for the blocks of one scope. */
    interface BlockListener {
        /** A watcher that does nothing. */
        BlockListener NONE =
                new BlockListener() {
                    @Override
                    public void onReady(CachedBlock block) {
                        // No listener.
                    }

                    @Override
                    public void onRemoved(CachedBlock block) {
                        // No listener.
                    }
                };

        /** Called when all rows of a block, and of the blocks before it, are in host memory. */
        void onReady(CachedBlock block);

        /** Called when a block was removed from the tree, whether it was ready or not. */
        void onRemoved(CachedBlock block);
    }

    CacheEventEmitter(CacheEventPublisher eventPublisher) {
        this.eventPublisher = eventPublisher;
        keys = new ChainKeys(eventPublisher.variant());
    }

    /** Block number, never negative: the same number in signed and unsigned 64 bits. */
    private static long number(ObjectKey key) {
        return ByteBuffer.wrap(key.bytes()).getLong() & Long.MAX_VALUE;
    }

    /** Returns the watcher of the blocks of a scope in host memory. */
    BlockListener of(CacheScope scope) {
        ObjectKey root = keys.root(scope);
        return new BlockListener() {
            @Override
            public void onReady(CachedBlock block) {
                CachedBlock before = block.parent().orElseThrow();
                boolean first = before.end() == 0;
                ObjectKey parent = first ? root : inHost.get(before);
                if (parent == null) {
                    return;
                }
                ObjectKey key = keys.block(parent, block.tokens());
                inHost.put(block, key);
                eventPublisher.stored(
                        CacheMedium.HOST,
                        number(key),
                        first ? OptionalLong.empty() : OptionalLong.of(number(parent)),
                        block.tokens());
            }

            @Override
            public void onRemoved(CachedBlock block) {
                ObjectKey key = inHost.remove(block);
                if (key != null) {
                    eventPublisher.removed(CacheMedium.HOST, number(key));
                }
            }
        };
    }

    @Override
    public void onAdd(SequenceCache sequence) {
        ObjectKey at = keys.root(sequence.scope());
        OptionalLong parent = OptionalLong.empty();
        List<Long> numbers = new ArrayList<>();
        int end = CachedBlock.TOKENS;
        for (; end <= sequence.computed(); end += CachedBlock.TOKENS) {
            int[] tokens = sequence.tokens().range(end - CachedBlock.TOKENS, end);
            at = keys.block(at, tokens);
            long number = number(at);
            numbers.add(number);
            if (shared.merge(number, 1, Integer::sum) == 1) {
                eventPublisher.stored(CacheMedium.DEVICE, number, parent, tokens);
            }
            parent = OptionalLong.of(number);
        }
        residents.put(sequence, numbers);
    }

    @Override
    public void onRemove(SequenceCache sequence) {
        List<Long> numbers = residents.remove(sequence);
        for (long number : numbers == null ? List.<Long>of() : numbers.reversed()) {
            if (shared.merge(number, -1, Integer::sum) == 0) {
                shared.remove(number);
                eventPublisher.removed(CacheMedium.DEVICE, number);
            }
        }
    }
}

package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ObjectKey;

import java.util.Arrays;
import java.util.Optional;

/**
 * Reserves host memory for the objects of a stored prefix.
 *
 * @param layout layout of the shards' caches
 */
record StorePrefetchAllocator(HostPrefixTree tree, CacheLayout layout) {
    /** Reserves the objects that host memory does not have; returns whether that was possible. */
    boolean reserve(StorePrefetch load, CacheScope scope, int[] tokens, StoredPrefix prefix) {
        CachedBlock at = tree.root(scope);
        load.pass(at);
        for (ObjectKey key : prefix.blocks()) {
            int[] ids = Arrays.copyOfRange(tokens, at.end(), at.end() + CachedBlock.TOKENS);
            Optional<CachedBlock> known = at.child(ids);
            if (known.isPresent()) {
                if (!known.get().isReady()) {
                    return false;
                }
                load.pass(known.get());
                at = known.get();
                continue;
            }
            Optional<CachedBlock> reserved = tree.reserveBlock(at, ids, 0, blockSizes());
            if (reserved.isEmpty()) {
                return false;
            }
            load.add(key, reserved.get());
            at = reserved.get();
        }
        return prefix.end().isEmpty() || reserveCheckpoint(load, at, tokens, prefix.end().get());
    }

    private boolean reserveCheckpoint(
            StorePrefetch load, CachedBlock at, int[] tokens, StoredPrefix.End checkpoint) {
        int[] tail = Arrays.copyOfRange(tokens, at.end(), checkpoint.position());
        if (at.checkpoints().stream().anyMatch(other -> Arrays.equals(other.tail(), tail))) {
            return false;
        }
        Optional<Checkpoint> reserved =
                tree.reserveCheckpoint(
                        at, tail, StorePrefetch.UNKNOWN, sizes(tail.length, checkpoint.position()));
        reserved.ifPresent(each -> load.add(checkpoint.key(), each));
        return reserved.isPresent();
    }

    /** Bytes of the parts of a block. */
    long[] blockSizes() {
        return layout.rowBytes(CachedBlock.TOKENS);
    }

    /** Bytes of the parts of a checkpoint. */
    long[] sizes(int tail, int position) {
        long[] rows = tail == 0 ? new long[0] : layout.rowBytes(tail);
        long[] states = layout.forgets() ? layout.stateBytes(position) : new long[0];
        long[] all = Arrays.copyOf(rows, rows.length + states.length);
        System.arraycopy(states, 0, all, rows.length, states.length);
        return all;
    }
}

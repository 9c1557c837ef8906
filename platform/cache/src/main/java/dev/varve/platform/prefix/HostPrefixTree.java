package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.shard.SequenceImages;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Blocks and checkpoints of all scopes in one pool of memory. An entry is reserved, then filled by
 * its owner, and found only when it is ready. If memory is short, the tree evicts the checkpoints
 * with the lowest score, as many as needed, and the blocks that only they need. Not thread-safe.
 */
final class HostPrefixTree implements AutoCloseable {
    /**
     * Number of checkpoints from which on several are evicted at once, because each search visits
     * all.
     */
    private static final int BATCH_EVICTION_SIZE = 256;

    /** Minimum common tokens for two prompts that are not alike by chance. */
    private static final int MIN_COMMON_TOKENS = 16;

    /** Maximum checkpoints that are visited for each recent prefix. */
    private static final int MOST_CHECKPOINTS = 4;

    private final HostMemoryPool memory;
    private final boolean anywhere;
    private final EvictionScore score;
    private final LongSupplier clock;
    private final Optional<CacheEventEmitter> events;
    private final Map<CacheScope, CachedBlock> roots = new HashMap<>();
    private final List<Checkpoint> checkpoints = new ArrayList<>();
    private final RecentEvictions recentEvictions = new RecentEvictions();
    private long evictions;
    private long blockTokens;
    private long tailTokens;

    /**
     * @param memory is closed with the tree
     * @param anywhere whether a sequence can resume from any position with rows, or only from a
     *     checkpoint
     * @param clock nanoseconds
     */
    HostPrefixTree(HostMemoryPool memory, boolean anywhere, LongSupplier clock) {
        this(memory, anywhere, clock, Optional.empty());
    }

    /**
     * Creates a tree that emits events.
     *
     * @param memory is closed with the tree
     * @param anywhere whether a sequence can resume from any position with rows, or only from a
     *     checkpoint
     * @param clock nanoseconds
     * @param events is notified of added and removed blocks
     */
    HostPrefixTree(
            HostMemoryPool memory,
            boolean anywhere,
            LongSupplier clock,
            Optional<CacheEventEmitter> events) {
        this.events = events;
        this.memory = memory;
        this.anywhere = anywhere;
        this.clock = clock;
        score = new EvictionScore(clock);
    }

    /** Root of the tokens of a scope. */
    CachedBlock root(CacheScope scope) {
        return roots.computeIfAbsent(
                scope,
                name ->
                        CachedBlock.root(
                                events.map(each -> each.of(name))
                                        .orElse(CacheEventEmitter.BlockListener.NONE)));
    }

    /** Finds the deepest position from which a request can resume. */
    Optional<PrefixMatch> find(PrefixQuery request) {
        int[] tokens = request.searched();
        return find(
                request.scope(),
                new TreeSearch(
                        tokens,
                        tokens.length - 1,
                        request.replay(),
                        anywhere,
                        request.tokens().size(),
                        request.tokens().images()));
    }

    /**
     * Finds the deepest position from which a prompt can resume.
     *
     * @param limit last usable position
     */
    Optional<PrefixMatch> find(CacheScope scope, int[] tokens, int limit) {
        return find(scope, tokens, limit, ChunkHistory.NONE);
    }

    /**
     * Like {@link #find(CacheScope, int[], int)}, for tokens that were computed before.
     *
     * @param replay chunk boundaries with which the tokens were computed before, as far as they
     *     were: only a prefix with the same ones matches
     */
    Optional<PrefixMatch> find(CacheScope scope, int[] tokens, int limit, ChunkHistory replay) {
        return find(
                scope,
                new TreeSearch(
                        tokens, limit, replay, anywhere, tokens.length, SequenceImages.NONE));
    }

    private Optional<PrefixMatch> find(CacheScope scope, TreeSearch search) {
        CachedBlock root = roots.get(scope);
        return root == null ? Optional.empty() : search.from(root);
    }

    /** Number of leading tokens that these share with any prompt of the scope. */
    int commonPrefix(CacheScope scope, int[] tokens) {
        CachedBlock root = roots.get(scope);
        return root == null ? 0 : TreeSearch.commonPrefix(root, tokens);
    }

    /**
     * Reserves a block. It is pinned until its bytes are written.
     *
     * @param ids {@value CachedBlock#TOKENS} tokens
     * @param chunkHistoryDigest digest of their chunk boundaries
     * @param bytes per layer that keeps rows
     * @return empty if there is no room even after evictions
     */
    Optional<CachedBlock> reserveBlock(
            CachedBlock parent, int[] ids, long chunkHistoryDigest, long[] bytes) {
        parent.pin();
        try {
            Optional<CachedBlock> block =
                    allocate(bytes).map(rows -> parent.add(ids, chunkHistoryDigest, rows));
            block.ifPresent(CachedBlock::pin);
            blockTokens += block.isPresent() ? CachedBlock.TOKENS : 0;
            return block;
        } finally {
            parent.unpin();
        }
    }

    /**
     * Reserves a checkpoint. It is pinned until its bytes are written.
     *
     * @param block the last whole block before it
     * @param tail tokens after that block
     * @param chunkHistory its chunk boundaries
     * @param bytes per part of a layer that is kept
     */
    Optional<Checkpoint> reserveCheckpoint(
            CachedBlock block, int[] tail, ChunkHistory chunkHistory, long[] bytes) {
        block.pin();
        try {
            return allocate(bytes)
                    .map(
                            pieces ->
                                    new Checkpoint(
                                            block, tail, chunkHistory, pieces, clock.getAsLong()))
                    .map(this::enter);
        } finally {
            block.unpin();
        }
    }

    private Checkpoint enter(Checkpoint checkpoint) {
        checkpoint.pin();
        checkpoint.block().checkpoints().add(checkpoint);
        checkpoints.add(checkpoint);
        tailTokens += checkpoint.tail().length;
        checkpoint.block().pathToRoot().forEach(block -> block.addKept(1));
        return checkpoint;
    }

    private Optional<LayerBuffers> allocate(long[] bytes) {
        long wanted = Arrays.stream(bytes).map(HostMemoryPool::rounded).sum();
        if (wanted > free() && wanted > free() + obtainable()) {
            return Optional.empty();
        }
        if (wanted > free()) {
            evict(wanted);
        }
        List<HostAllocation> parts = new ArrayList<>(bytes.length);
        for (long count : bytes) {
            Optional<HostAllocation> part = memory.allocate(count);
            if (part.isEmpty()) {
                parts.forEach(HostAllocation::release);
                return Optional.empty();
            }
            parts.add(part.get());
        }
        return Optional.of(new LayerBuffers(parts));
    }

    private long free() {
        return memory.limit() - memory.used();
    }

    /** Bytes that would be free if every evictable entry were evicted. */
    private long obtainable() {
        long fixed = 0;
        for (CachedBlock root : roots.values()) {
            fixed += fixedBytes(root);
        }
        return memory.used() - fixed;
    }

    private static long fixedBytes(CachedBlock block) {
        long behind = 0;
        for (CachedBlock child : block.children()) {
            behind += fixedBytes(child);
        }
        for (Checkpoint checkpoint : block.checkpoints()) {
            behind += checkpoint.isPinned() ? checkpoint.pieces().usedBytes() : 0;
        }
        boolean stays = behind > 0 || block.isPinned();
        return stays ? behind + block.rows().usedBytes() : 0;
    }

    /**
     * Evicts checkpoints until some bytes are free, and a few more if there are many checkpoints.
     */
    private void evict(long bytes) {
        long enough =
                checkpoints.size() < BATCH_EVICTION_SIZE
                        ? bytes
                        : bytes + memory.limit() / BATCH_EVICTION_SIZE;
        for (Checkpoint least : score.ascending(checkpoints)) {
            if (enough <= free()) {
                return;
            }
            evictions++;
            recentEvictions.add(scopeOf(least), least);
            remove(least);
        }
        if (bytes > free()) {
            throw new IllegalStateException("no further checkpoint can be evicted");
        }
    }

    private CacheScope scopeOf(Checkpoint checkpoint) {
        CachedBlock root = checkpoint.block().pathToRoot().getLast();
        return roots.entrySet().stream()
                .filter(entry -> entry.getValue() == root)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    /** Reason why the lookup of a prompt found nothing. */
    MissReason missReason(CacheScope scope, int[] tokens) {
        if (recentEvictions.contains(scope, tokens)) {
            return MissReason.EVICTED;
        }
        return commonPrefix(scope, tokens) >= MIN_COMMON_TOKENS
                ? MissReason.BEFORE_CHECKPOINT
                : MissReason.UNKNOWN;
    }

    /** All entries that a lookup can find, most recently used first. */
    List<CachedPrefixInfo> entries() {
        long now = clock.getAsLong();
        return checkpoints.stream()
                .filter(Checkpoint::isReady)
                .sorted(Comparator.comparingLong(Checkpoint::lastUse).reversed())
                .map(
                        kept ->
                                new CachedPrefixInfo(
                                        scopeOf(kept),
                                        kept.position(),
                                        kept.bytesAlone(),
                                        kept.uses(),
                                        Duration.ofNanos(now - kept.lastUse())))
                .toList();
    }

    /**
     * Returns the most recently used prefixes of texts, without those that begin another one.
     *
     * @param most maximum number
     */
    List<RecentPrefix> recent(int most) {
        List<RecentPrefix> recent = new ArrayList<>();
        List<Checkpoint> byUse =
                checkpoints.stream()
                        .filter(Checkpoint::isReady)
                        .sorted(Comparator.comparingLong(Checkpoint::lastUse).reversed())
                        // A conversation may have many.
                        .limit((long) MOST_CHECKPOINTS * most)
                        .toList();
        for (Checkpoint checkpoint : byUse) {
            if (recent.size() == most) {
                break;
            }
            RecentPrefix prefix = recent(checkpoint);
            // Tokens of images have negative ids.
            if (Arrays.stream(prefix.tokens()).allMatch(token -> token >= 0)
                    && recent.stream().noneMatch(prefix::begins)) {
                recent.removeIf(other -> other.begins(prefix));
                recent.add(prefix);
            }
        }
        return recent;
    }

    private RecentPrefix recent(Checkpoint checkpoint) {
        int[] tokens = new int[checkpoint.position()];
        for (CachedBlock block : checkpoint.block().pathToRoot()) {
            int[] ids = block.tokens();
            System.arraycopy(ids, 0, tokens, block.end() - ids.length, ids.length);
        }
        int[] tail = checkpoint.tail();
        System.arraycopy(tail, 0, tokens, tokens.length - tail.length, tail.length);
        return new RecentPrefix(
                scopeOf(checkpoint),
                tokens,
                Duration.ofNanos(clock.getAsLong() - checkpoint.lastUse()));
    }

    /**
     * Tokens whose rows are kept: those of whole blocks, which prompts share, and those between the
     * last whole block and each checkpoint.
     */
    long keptTokens() {
        return blockTokens + tailTokens;
    }

    /** Evicts everything that is not in use. */
    void clear() {
        List.copyOf(checkpoints).stream()
                .filter(checkpoint -> !checkpoint.isPinned())
                .forEach(this::remove);
        recentEvictions.clear();
        memory.shrink();
    }

    HostMemoryPool memory() {
        return memory;
    }

    /** Number of evicted checkpoints. */
    long evictions() {
        return evictions;
    }

    /** All checkpoints, including those that are not ready. */
    List<Checkpoint> checkpoints() {
        return checkpoints;
    }

    /** Removes a checkpoint, and the blocks that only it needs. */
    void remove(Checkpoint checkpoint) {
        if (checkpoint.isRemoved()) {
            return;
        }
        checkpoints.remove(checkpoint);
        tailTokens -= checkpoint.tail().length;
        checkpoint.block().pathToRoot().forEach(block -> block.addKept(-1));
        checkpoint.remove();
        prune(checkpoint.block());
    }

    /** Removes a block that was given up before it was filled, with all its descendants. */
    void abandon(CachedBlock block) {
        if (block.isRemoved()) {
            return;
        }
        List.copyOf(block.children()).forEach(this::abandon);
        List.copyOf(block.checkpoints()).forEach(this::remove);
        if (block.isRemoved()) {
            return;
        }
        Optional<CachedBlock> parent = block.parent();
        remove(block);
        parent.ifPresent(this::prune);
    }

    /** Ends a {@link PrefixMatch#pin}. */
    void unpin(PrefixMatch found) {
        found.checkpoint().ifPresent(Checkpoint::unpin);
        if (!found.blocks().isEmpty()) {
            unpin(found.blocks().getLast());
        }
    }

    /** Records a use. */
    void use(PrefixMatch found) {
        found.checkpoint().ifPresent(used -> used.use(clock.getAsLong()));
    }

    /** Unpins a block; removes it and its ancestors if they are not needed any more. */
    void unpin(CachedBlock block) {
        block.unpin();
        prune(block);
    }

    private void prune(CachedBlock block) {
        for (CachedBlock at : block.pathToRoot()) {
            if (at.parent().isEmpty() && at.isEmpty() && !at.isPinned()) {
                roots.values().remove(at);
            }
            if (!at.isRemovable()) {
                return;
            }
            remove(at);
        }
    }

    private void remove(CachedBlock block) {
        block.remove();
        blockTokens -= CachedBlock.TOKENS;
    }

    @Override
    public void close() {
        memory.close();
    }
}

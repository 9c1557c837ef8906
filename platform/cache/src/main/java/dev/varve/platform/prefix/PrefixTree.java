package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkBoundaries;

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
 * The blocks and checkpoints of all scopes, within one amount of memory. What is stored is reserved
 * first, filled by whoever reserved it, and found only when it is {@linkplain #ready ready}. Where
 * memory is short, the checkpoints go that save least for what they take, as many as needed, and
 * with them the blocks that no other one needs. Not thread-safe.
 */
final class PrefixTree implements AutoCloseable {
    /** Checkpoints from which on several give way at once, since each search looks at all. */
    private static final int MANY = 256;

    /** Tokens in which prompts begin alike that are not alike by chance. */
    private static final int LIKE = 16;

    private final HostMemoryPool memory;
    private final boolean anywhere;
    private final EvictionScore usefulness;
    private final LongSupplier clock;
    private final Optional<CacheEventEmitter> news;
    private final Map<CacheScope, TokenBlock> roots = new HashMap<>();
    private final List<Checkpoint> checkpoints = new ArrayList<>();
    private final RecentEvictions forgotten = new RecentEvictions();
    private long evictions;
    private long blockTokens;

    /**
     * @param memory is closed with the tree
     * @param anywhere whether a sequence can go on from any position whose rows are there, or only
     *     from a checkpoint
     * @param clock nanoseconds
     */
    PrefixTree(HostMemoryPool memory, boolean anywhere, LongSupplier clock) {
        this(memory, anywhere, clock, Optional.empty());
    }

    /**
     * Likewise.
     *
     * @param news hears of blocks that come and go
     */
    PrefixTree(
            HostMemoryPool memory,
            boolean anywhere,
            LongSupplier clock,
            Optional<CacheEventEmitter> news) {
        this.news = news;
        this.memory = memory;
        this.anywhere = anywhere;
        this.clock = clock;
        usefulness = new EvictionScore(clock);
    }

    /** Where the tokens of a scope begin. */
    TokenBlock root(CacheScope scope) {
        return roots.computeIfAbsent(
                scope,
                name ->
                        TokenBlock.root(
                                news.map(each -> each.of(name))
                                        .orElse(CacheEventEmitter.Watcher.NONE)));
    }

    /**
     * The deepest position from which a prompt can go on.
     *
     * @param limit last position that is of use
     */
    Optional<PrefixMatch> find(CacheScope scope, int[] tokens, int limit) {
        return find(scope, tokens, limit, ChunkBoundaries.NONE);
    }

    /**
     * Likewise.
     *
     * @param replay how the tokens were computed before, as far as they were: only what was
     *     computed in the same way will do then
     */
    Optional<PrefixMatch> find(CacheScope scope, int[] tokens, int limit, ChunkBoundaries replay) {
        TokenBlock root = roots.get(scope);
        return root == null
                ? Optional.empty()
                : new TreeSearch(tokens, limit, replay, anywhere).from(root);
    }

    /** Leading tokens that some prompt of the scope has in common with these. */
    int alike(CacheScope scope, int[] tokens) {
        TokenBlock root = roots.get(scope);
        return root == null ? 0 : TreeSearch.alike(root, tokens);
    }

    /**
     * Room for a block that is not there yet. It is pinned, for its bytes to be written.
     *
     * @param ids {@value TokenBlock#TOKENS} tokens
     * @param cuts digest of how they were computed
     * @param bytes per layer that keeps rows
     * @return empty if there is none, whatever gives way
     */
    Optional<TokenBlock> reserveBlock(TokenBlock parent, int[] ids, long cuts, long[] bytes) {
        parent.pin();
        try {
            Optional<TokenBlock> block = take(bytes).map(rows -> parent.add(ids, cuts, rows));
            block.ifPresent(TokenBlock::pin);
            blockTokens += block.isPresent() ? TokenBlock.TOKENS : 0;
            return block;
        } finally {
            parent.unpin();
        }
    }

    /**
     * Room for a checkpoint that is not there yet. It is pinned, for its bytes to be written.
     *
     * @param block the last whole block before it
     * @param tail tokens behind that
     * @param cuts how it was computed
     * @param bytes per part of a layer that is kept
     */
    Optional<Checkpoint> reserveCheckpoint(
            TokenBlock block, int[] tail, ChunkBoundaries cuts, long[] bytes) {
        block.pin();
        try {
            return take(bytes)
                    .map(pieces -> new Checkpoint(block, tail, cuts, pieces, clock.getAsLong()))
                    .map(this::enter);
        } finally {
            block.unpin();
        }
    }

    private Checkpoint enter(Checkpoint checkpoint) {
        checkpoint.pin();
        checkpoint.block().checkpoints().add(checkpoint);
        checkpoints.add(checkpoint);
        checkpoint.block().wayUp().forEach(block -> block.addKept(1));
        return checkpoint;
    }

    private Optional<LayerBuffers> take(long[] bytes) {
        long wanted = Arrays.stream(bytes).map(HostMemoryPool::rounded).sum();
        if (wanted > free() && wanted > free() + obtainable()) {
            return Optional.empty();
        }
        if (wanted > free()) {
            evict(wanted);
        }
        List<HostAllocation> parts = new ArrayList<>(bytes.length);
        for (long count : bytes) {
            Optional<HostAllocation> part = memory.take(count);
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

    /** Bytes that would be free if everything gave way that may. */
    private long obtainable() {
        long fixed = 0;
        for (TokenBlock root : roots.values()) {
            fixed += fixedBytes(root);
        }
        return memory.used() - fixed;
    }

    private static long fixedBytes(TokenBlock block) {
        long behind = 0;
        for (TokenBlock child : block.children()) {
            behind += fixedBytes(child);
        }
        for (Checkpoint checkpoint : block.checkpoints()) {
            behind += checkpoint.isPinned() ? checkpoint.pieces().usedBytes() : 0;
        }
        boolean stays = behind > 0 || block.isPinned();
        return stays ? behind + block.rows().usedBytes() : 0;
    }

    /** Lets checkpoints go until some bytes are free, and a few more where there are many. */
    private void evict(long bytes) {
        long enough = checkpoints.size() < MANY ? bytes : bytes + memory.limit() / MANY;
        for (Checkpoint least : usefulness.ascending(checkpoints)) {
            if (enough <= free()) {
                return;
            }
            evictions++;
            forgotten.add(scopeOf(least), least);
            remove(least);
        }
        if (bytes > free()) {
            throw new IllegalStateException("nothing more can give way");
        }
    }

    private CacheScope scopeOf(Checkpoint checkpoint) {
        TokenBlock root = checkpoint.block().wayUp().getLast();
        return roots.entrySet().stream()
                .filter(entry -> entry.getValue() == root)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    /** Why nothing was found for a prompt. */
    MissReason whyNot(CacheScope scope, int[] tokens) {
        if (forgotten.contains(scope, tokens)) {
            return MissReason.EVICTED;
        }
        return alike(scope, tokens) >= LIKE ? MissReason.BEFORE_CHECKPOINT : MissReason.UNKNOWN;
    }

    /** Everything that can be found, with its scope. */
    List<CacheEntry> entries() {
        long now = clock.getAsLong();
        return checkpoints.stream()
                .filter(Checkpoint::isReady)
                .sorted(Comparator.comparingLong(Checkpoint::lastUse).reversed())
                .map(
                        kept ->
                                new CacheEntry(
                                        scopeOf(kept),
                                        kept.position(),
                                        kept.bytesAlone(),
                                        kept.uses(),
                                        Duration.ofNanos(now - kept.lastUse())))
                .toList();
    }

    /** Tokens whose rows are kept in whole blocks. */
    long blockTokens() {
        return blockTokens;
    }

    /** Lets everything go that is not in use. */
    void clear() {
        List.copyOf(checkpoints).stream()
                .filter(checkpoint -> !checkpoint.isPinned())
                .forEach(this::remove);
        forgotten.clear();
        memory.shrink();
    }

    HostMemoryPool memory() {
        return memory;
    }

    /** Checkpoints that gave way. */
    long evictions() {
        return evictions;
    }

    /** All checkpoints, those included that are not ready. */
    List<Checkpoint> checkpoints() {
        return checkpoints;
    }

    /** Takes a checkpoint out, and the blocks that nobody needs without it. */
    void remove(Checkpoint checkpoint) {
        if (checkpoint.isGone()) {
            return;
        }
        checkpoints.remove(checkpoint);
        checkpoint.block().wayUp().forEach(block -> block.addKept(-1));
        checkpoint.remove();
        prune(checkpoint.block());
    }

    /** Takes a block out that was given up before it was filled, with all that lies behind it. */
    void abandon(TokenBlock block) {
        if (block.isGone()) {
            return;
        }
        List.copyOf(block.children()).forEach(this::abandon);
        List.copyOf(block.checkpoints()).forEach(this::remove);
        if (block.isGone()) {
            return;
        }
        Optional<TokenBlock> parent = block.parent();
        remove(block);
        parent.ifPresent(this::prune);
    }

    /** Ends what {@link PrefixMatch#pin} began. */
    void unpin(PrefixMatch found) {
        found.checkpoint().ifPresent(Checkpoint::unpin);
        if (!found.blocks().isEmpty()) {
            unpin(found.blocks().getLast());
        }
    }

    /** Takes note of a use. */
    void use(PrefixMatch found) {
        found.checkpoint().ifPresent(used -> used.use(clock.getAsLong()));
    }

    /** Lets a block go that its pin kept. */
    void unpin(TokenBlock block) {
        block.unpin();
        prune(block);
    }

    private void prune(TokenBlock block) {
        for (TokenBlock at : block.wayUp()) {
            if (at.parent().isEmpty() && at.isEmpty() && !at.isPinned()) {
                roots.values().remove(at);
            }
            if (!at.isLoose()) {
                return;
            }
            remove(at);
        }
    }

    private void remove(TokenBlock block) {
        block.remove();
        blockTokens -= TokenBlock.TOKENS;
    }

    @Override
    public void close() {
        memory.close();
    }
}

package dev.varve.platform.prefix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A block of tokens after those of its parent, with their rows. The root of a tree has no tokens.
 * Only {@link HostPrefixTree} changes it.
 */
final class CachedBlock {
    /** Tokens of a whole block. */
    static final int TOKENS = 256;

    private final Optional<CachedBlock> parent;
    private final CacheEventEmitter.BlockListener watcher;
    private final Tokens tokens;
    private final int end;
    private final long chain;
    private final LayerBuffers rows;
    private long chunkHistoryDigest;
    private final Map<Tokens, CachedBlock> children = new HashMap<>();
    private final List<Checkpoint> checkpoints = new ArrayList<>();

    /** Number of checkpoints in this block and its descendants. */
    private int kept;

    /** Number of users that pin it, in addition to its checkpoints. */
    private int pins;

    private boolean ready;
    private boolean loading;
    private boolean removed;
    private Optional<CacheSource> origin = Optional.empty();
    private Optional<FeaturePage> features = Optional.empty();

    /** Tokens as a map key: equality compares the tokens themselves, not the hash. */
    record Tokens(int[] ids) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Tokens(int[] others) && Arrays.equals(ids, others);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(ids);
        }
    }

    private CachedBlock(
            Optional<CachedBlock> parent,
            CacheEventEmitter.BlockListener watcher,
            int[] ids,
            long chunkHistoryDigest,
            LayerBuffers rows) {
        this.parent = parent;
        this.watcher = watcher;
        tokens = new Tokens(ids);
        end = parent.map(before -> before.end).orElse(0) + ids.length;
        chain = parent.map(before -> chain(before.chain, ids)).orElse(0L);
        this.chunkHistoryDigest = chunkHistoryDigest;
        this.rows = rows;
    }

    static CachedBlock root() {
        return root(CacheEventEmitter.BlockListener.NONE);
    }

    /**
     * Creates the root of a scope.
     *
     * @param watcher is notified of all blocks below it
     */
    static CachedBlock root(CacheEventEmitter.BlockListener watcher) {
        CachedBlock root =
                new CachedBlock(Optional.empty(), watcher, new int[0], 0, LayerBuffers.NONE);
        root.ready = true;
        return root;
    }

    CachedBlock add(int[] ids, long digest, LayerBuffers pieces) {
        CachedBlock child = new CachedBlock(Optional.of(this), watcher, ids, digest, pieces);
        children.put(child.tokens, child);
        return child;
    }

    Optional<CachedBlock> child(int[] ids) {
        return Optional.ofNullable(children.get(new Tokens(ids)));
    }

    Collection<CachedBlock> children() {
        return children.values();
    }

    Optional<CachedBlock> parent() {
        return parent;
    }

    /** This block and its ancestors, ending with the root. */
    List<CachedBlock> pathToRoot() {
        List<CachedBlock> path = new ArrayList<>();
        for (Optional<CachedBlock> at = Optional.of(this); at.isPresent(); at = at.get().parent()) {
            path.add(at.get());
        }
        return path;
    }

    int[] tokens() {
        return tokens.ids();
    }

    /** Hash of tokens after a chain of earlier blocks. */
    static long chain(long before, int[] ids) {
        long chain = before;
        for (int id : ids) {
            chain = (chain ^ id) * 0x9E37_79B9_7F4A_7C15L;
            chain ^= chain >>> 32;
        }
        return chain;
    }

    /** Hash of all tokens up to its end. */
    long chain() {
        return chain;
    }

    /** Position after its tokens. */
    int end() {
        return end;
    }

    LayerBuffers rows() {
        return rows;
    }

    /** Digest of the chunk boundaries of its rows and those before them. */
    long chunkHistoryDigest() {
        return chunkHistoryDigest;
    }

    /** Hidden states of its last positions, or of all; empty if there are none. */
    Optional<FeaturePage> features() {
        return features.filter(page -> !page.isFreed());
    }

    /** Keeps hidden states of its last positions, if they cover more than the present ones. */
    void setFeatures(FeaturePage page) {
        if (features().filter(known -> known.begin() <= page.begin()).isEmpty()) {
            features = Optional.of(page);
        }
    }

    List<Checkpoint> checkpoints() {
        return checkpoints;
    }

    int kept() {
        return kept;
    }

    void addKept(int more) {
        kept += more;
    }

    void pin() {
        pins++;
    }

    void unpin() {
        pins--;
    }

    boolean isPinned() {
        return pins > 0;
    }

    /** Whether all of its rows are in host memory. */
    boolean isReady() {
        return ready;
    }

    void markReady() {
        ready = true;
        watcher.onReady(this);
    }

    /** Whether its rows are being loaded from a store; an export must not wait for them. */
    boolean isLoading() {
        return loading;
    }

    void load() {
        loading = true;
    }

    /**
     * Marks its rows as loaded from a store.
     *
     * @param digest digest of their chunk boundaries
     * @param from tier of the store
     */
    void markLoaded(long digest, CacheSource from) {
        chunkHistoryDigest = digest;
        loading = false;
        origin = Optional.of(from);
        markReady();
    }

    /** Tier that its rows were loaded from; empty if they were computed here. */
    Optional<CacheSource> origin() {
        return origin;
    }

    /** Whether it was removed from the tree. */
    boolean isRemoved() {
        return removed;
    }

    /** Whether it has no children and no checkpoints. */
    boolean isEmpty() {
        return children.isEmpty() && checkpoints.isEmpty();
    }

    /** Whether it may be removed: it is not a root, not pinned and empty. */
    boolean isRemovable() {
        return parent.isPresent() && pins == 0 && isEmpty();
    }

    /** Removes it from the tree and frees its rows. */
    void remove() {
        removed = true;
        parent.ifPresent(before -> before.children.remove(tokens));
        rows.release();
        watcher.onRemoved(this);
    }
}

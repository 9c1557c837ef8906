package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.TokenTree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A cache of sequences with pools of 512 slots, and a device that does what its batches say. The
 * row of a position is a number for all tokens up to it, so that any sequence can say what its rows
 * must be.
 */
final class PagedRig {
    static final int POOL = 512;
    static final int TAU = 64;
    static final long PAGE_BYTES = 1000;
    private static final int ROWS = 64;

    final KvCacheManager cache;
    final PagedDevice device;
    final List<SequenceCache> left = new ArrayList<>();

    PagedRig(int blocks, PagePolicy policy, boolean forgets) {
        device = new PagedDevice(blocks * KvSlotSpan.BLOCK);
        SequenceEvictionHandler exports =
                new SequenceEvictionHandler() {
                    @Override
                    public boolean isStored(SequenceCache sequence) {
                        return false;
                    }

                    @Override
                    public void onEvict(SequenceCache sequence) {
                        left.add(sequence);
                    }

                    @Override
                    public void onHandOver(SequenceCache from, SequenceCache to, int shared) {
                        left.add(from);
                    }

                    @Override
                    public boolean releaseRows() {
                        return false;
                    }
                };
        KvCacheConfig sizes =
                new KvCacheConfig(
                                blocks * KvSlotSpan.BLOCK,
                                ROWS,
                                forgets ? new RollbackBufferSizes(4, 16) : RollbackBufferSizes.NONE)
                        .with(new PagingOptions(POOL, policy, TAU).withPageBytes(PAGE_BYTES));
        cache = new KvCacheManager(sizes, forgets, exports);
    }

    static PrefixQuery request(int... tokens) {
        return new PrefixQuery(
                new TokenList(tokens),
                new ChunkHistory(),
                CacheScope.common(),
                RequestedOutput.BEST);
    }

    Optional<SequenceCache> tryBegin(int... tokens) {
        return cache.begin(request(tokens), 0);
    }

    SequenceCache begin(int... tokens) {
        return tryBegin(tokens).orElseThrow();
    }

    /** Computes the known tokens up to a position in windows that a pool can bear. */
    void prefill(SequenceCache sequence, int end) {
        while (sequence.computed() < end) {
            int next = Math.min(end, (sequence.computed() / 128 + 1) * 128);
            run(window(sequence, next));
        }
    }

    /** Likewise, as the engine computes the prompt of a sequence: room is made cell by cell. */
    void prefillInCells(SequenceCache sequence, int end) {
        int prompt = sequence.tokens().size();
        while (sequence.computed() < end) {
            int next = Math.min(end, (sequence.computed() / 128 + 1) * 128);
            run(window(sequence, next).reserving(cache.reservedEnd(sequence, prompt, next)));
        }
    }

    static ScheduledTokens window(SequenceCache sequence, int end) {
        return new ScheduledTokens(
                sequence,
                System.identityHashCode(sequence),
                sequence.tokens().range(sequence.computed(), end),
                RequestedOutput.NONE,
                ChunkKind.WINDOW);
    }

    /** Tokens of decode, which need not be the sequence's yet. */
    static ScheduledTokens rows(
            SequenceCache sequence, int guessed, TokenTree tree, int... tokens) {
        return new ScheduledTokens(
                sequence,
                System.identityHashCode(sequence),
                tokens,
                RequestedOutput.BEST_EACH,
                ChunkKind.ROWS,
                false,
                guessed,
                tree);
    }

    /** Computes one token after the other, until so many are. */
    void decode(SequenceCache sequence, int end) {
        while (sequence.computed() < end) {
            decode(sequence);
        }
    }

    Batch decode(SequenceCache sequence) {
        int next = sequence.computed();
        if (sequence.tokens().size() == next) {
            sequence.tokens().add(7_000_000 + next);
        }
        return run(rows(sequence, 0, TokenTree.CHAIN, sequence.tokens().get(next)));
    }

    Batch run(ScheduledTokens... advances) {
        for (ScheduledTokens advance : advances) {
            assertTrue(
                    cache.ensure(advance.sequence(), Math.max(advance.end(), advance.reserved())),
                    "room for " + advance.end());
        }
        List<Integer> firsts =
                Arrays.stream(advances).map(advance -> advance.sequence().computed()).toList();
        Batch batch = cache.advance(List.of(advances), List.of());
        device.make(batch.changes().moves());
        for (int i = 0; i < advances.length; i++) {
            SequenceChunk chunk = batch.chunks().get(i);
            assertEquals(firsts.get(i), chunk.firstPosition());
            requireSeen(chunk, advances[i].sequence());
            write(chunk, advances[i].sequence().tokens());
        }
        return batch;
    }

    /** A chunk sees the right rows wherever its map says that they lie. */
    private void requireSeen(SequenceChunk chunk, SequenceCache sequence) {
        assertTrue(chunk.slots().capacity() <= POOL, () -> "slots " + chunk.slots());
        SlotPositionMap map = chunk.place().positions();
        assertTrue(map.isInOrder(), () -> sequence.computed() + " tokens, map " + map);
        long[] expected = expected(sequence.tokens(), chunk.firstPosition());
        for (int position = 0; position < expected.length; position++) {
            if (map.holds(position)) {
                assertEquals(
                        expected[position],
                        device.read(chunk.slots().begin() + map.offset(position)),
                        () -> sequence.computed() + " tokens, map " + map);
            }
        }
    }

    private void write(SequenceChunk chunk, TokenList tokens) {
        long[] before = expected(tokens, chunk.firstPosition());
        long[] rows = new long[chunk.tokens().length];
        for (int token = 0; token < rows.length; token++) {
            int parent = chunk.tree().parent(token);
            long state = before.length == 0 ? 1 : before[before.length - 1];
            rows[token] = next(parent < 0 ? state : rows[parent], chunk.tokens()[token]);
            int position = chunk.firstPosition() + token;
            device.write(
                    chunk.slots().begin() + chunk.place().positions().offset(position),
                    rows[token]);
        }
    }

    private static long next(long state, int token) {
        return (state ^ token) * 0x9E37_79B9_7F4A_7C15L + 1;
    }

    /** Rows of the first tokens. */
    static long[] expected(TokenList tokens, int count) {
        long[] rows = new long[count];
        long state = 1;
        for (int position = 0; position < count; position++) {
            state = next(state, tokens.get(position));
            rows[position] = state;
        }
        return rows;
    }

    /** Does what the next batch would do first. */
    void flush() {
        device.make(cache.takeChanges().moves());
    }

    /** All rows of a sequence are right wherever they are said to lie; nothing may be due. */
    void require(SequenceCache sequence) {
        assertArrayEquals(
                expected(sequence.tokens(), sequence.computed()),
                device.read(sequence.rows(0, sequence.computed())),
                () -> "rows of " + sequence.computed() + " tokens");
        assertTrue(sequence.span().capacity() <= POOL, () -> "span " + sequence.span());
        sequence.pagingStatus()
                .ifPresent(
                        figures ->
                                assertTrue(
                                        figures.resident() <= POOL / Pages.TOKENS,
                                        () -> figures.toString()));
    }

    /** Everything goes, and the host keeps nothing. */
    void requireNothingLeft(List<SequenceCache> running) {
        running.forEach(cache::drop);
        cache.evictAll();
        flush();
        assertEquals(0, device.hostPages().size(), "pages that nobody needs");
        assertEquals(0, cache.paging().orElseThrow().hostPages());
        assertEquals(0, cache.paging().orElseThrow().hostBytes());
        assertEquals(0, cache.slotUse().running());
        assertEquals(0, cache.slotUse().resident());
    }
}

package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.paging.PageResidency;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.shard.PageQuery.PagePlace;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Sequences that grow, fork, are cut, have their pages chosen and go, each with a table and a plain
 * pager. After each step both say the same, a device that made all moves holds the right rows
 * wherever they are said to lie, and the host holds what somebody still needs.
 */
class PageTableWalkTest {
    private static final int PAGE = PagePoolSizing.PAGE;
    private static final int STEPS = Effort.of(300, 1500);
    private static final int MOST_SEQUENCES = 5;
    private static final int MOST_TOKENS = 3000;

    /** A sequence, and what its rows must be. */
    private static final class Tokens {
        final PageTable table;
        final PlainPager plain;
        final int begin;
        long[] rows = new long[0];
        Optional<Before> before = Optional.empty();

        /** How it lay once. */
        private record Before(
                int tokens,
                PageResidency residency,
                List<Integer> inBlocks,
                List<Float> scores,
                int scoredAt) {}

        Tokens(PageTable table, PlainPager plain, int begin) {
            this.table = table;
            this.plain = plain;
            this.begin = begin;
        }

        int computed() {
            return rows.length;
        }

        void cut(int tokens) {
            rows = Arrays.copyOf(rows, tokens);
        }
    }

    /** All there is of a walk. */
    private static final class Walk {
        private final SplittableRandom random;
        private final int pool;
        private final PageContentRegistry pageContents = new PageContentRegistry();
        private final List<PlainPager> pagers = new ArrayList<>();
        private final List<Tokens> sequences = new ArrayList<>();
        private final PagedDevice device;

        /** Spans of sequences that are not there. */
        private final List<Integer> spans = new ArrayList<>();

        /** Pages that the shards know or knew, with their names. */
        private final Map<PlainPager.Content, Long> known = new IdentityHashMap<>();

        private final Map<Long, PlainPager.Content> byName = new HashMap<>();
        private final Map<Long, Boolean> gone = new HashMap<>();
        private long stamp;
        private String step = "";

        Walk(long seed, int pool) {
            random = new SplittableRandom(seed);
            this.pool = pool;
            device = new PagedDevice((MOST_SEQUENCES + 1) * pool);
            for (int span = 0; span < MOST_SEQUENCES + 1; span++) {
                spans.add(span * pool);
            }
        }

        private Tokens pick() {
            return sequences.get(random.nextInt(sequences.size()));
        }

        private int takeSpan() {
            return spans.remove(random.nextInt(spans.size()));
        }

        void step(int number) {
            int kind = sequences.isEmpty() ? 0 : random.nextInt(44);
            boolean isFull = sequences.size() >= MOST_SEQUENCES;
            step = "step " + number + ", kind " + kind;
            if (kind == 0 && !isFull) {
                begin();
            } else if (kind < 22) {
                advance(pick());
            } else if (kind < 29) {
                choose(pick());
            } else if (kind < 32) {
                ask(pick());
            } else if (kind < 35 && !isFull) {
                fork(pick());
            } else if (kind < 36) {
                handOver(pick());
            } else if (kind < 38 && !isFull) {
                await(pick());
            } else if (kind < 41) {
                writeDown(pick());
            } else if (kind < 43) {
                goBack(pick());
            } else if (kind < 44 || isFull) {
                release(pick());
            }
            pageContents.takeDrops().forEach(this::drop);
            requireAll();
        }

        private Tokens add(PageTable table, PlainPager plain) {
            Tokens made = new Tokens(table, plain, takeSpan());
            sequences.add(made);
            return made;
        }

        private void grow(Tokens sequence, int tokens) {
            int slots = Math.min(pool, KvSlotSpan.roundUp(tokens));
            sequence.table.growTo(slots / PAGE);
            sequence.plain.growTo(slots / PAGE);
        }

        private void begin() {
            Tokens made = add(new PageTable(pageContents, 1000), new PlainPager(pagers));
            grow(made, 1);
        }

        /** Some tokens and room for more; some of them may be no good in the end. */
        private void advance(Tokens sequence) {
            if (sequence.computed() > MOST_TOKENS) {
                release(sequence);
                return;
            }
            int first = sequence.computed();
            int most = random.nextInt(3) == 0 ? pool - 2 * PAGE : 40;
            int count = random.nextInt(1, most);
            int reserved = first + count + random.nextInt(pool - 2 * PAGE - count + 1);
            grow(sequence, reserved);
            long before = sequence.table.epoch();

            List<KvRowOperation> moves = new ArrayList<>();
            sequence.table.allocate(first, reserved, sequence.begin, moves::add);
            sequence.plain.allocate(first, reserved);

            requireEpoch(sequence, before);
            requireOrder(moves);
            device.make(moves);
            sequence.cut(first + count);
            for (int position = first; position < first + count; position++) {
                int slot = sequence.table.slot(position);
                assertTrue(slot >= 0, step + ": position " + position + " has no slot");
                sequence.rows[position] = ++stamp;
                device.write(sequence.begin + slot, stamp);
            }
            if (random.nextInt(3) == 0) {
                sequence.cut(first + random.nextInt(1, count + 1));
            }
        }

        private void requireEpoch(Tokens sequence, long before) {
            assertEquals(
                    sequence.plain.takeChanged(),
                    sequence.table.epoch() != before,
                    step + ": the epoch follows what lies where");
        }

        private void choose(Tokens sequence) {
            int pages = sequence.computed() / PAGE;
            int scored = random.nextInt(4) == 0 ? random.nextInt(pages + 1) : pages;
            List<Float> scores = new ArrayList<>();
            int levels = random.nextInt(1, 12);
            for (int page = 0; page < scored; page++) {
                scores.add((float) random.nextInt(-levels, levels));
            }
            float[] given = new float[scored];
            for (int page = 0; page < scored; page++) {
                given[page] = scores.get(page);
            }
            long before = sequence.table.epoch();
            List<KvRowOperation> moves = new ArrayList<>();

            int events =
                    sequence.table.reselect(given, sequence.computed(), sequence.begin, moves::add);

            assertEquals(sequence.plain.reselect(scores, sequence.computed()), events, step);
            requireEpoch(sequence, before);
            requireOrder(moves);
            device.make(moves);
        }

        /** Moves out, shifts and moves in; each row moves at most once. */
        private void requireOrder(List<KvRowOperation> moves) {
            List<Integer> stages = new ArrayList<>();
            Set<Integer> written = new HashSet<>();
            for (KvRowOperation move : moves) {
                switch (move) {
                    case KvSlotCopy(int from, int to, int count) -> {
                        stages.add(1);
                        assertNotEquals(from, to, step);
                        for (int slot = to; slot < to + count; slot++) {
                            assertTrue(written.add(slot), step + ": slot " + slot + " twice");
                        }
                    }
                    case PageMove page ->
                            stages.add(page.direction() == PageMove.Direction.OUT ? 0 : 2);
                    case HostPageFree drop -> throw new AssertionError(step + ": " + drop);
                }
            }
            assertEquals(stages.stream().sorted().toList(), stages, step);
        }

        private void ask(Tokens sequence) {
            List<PagePlace> places = sequence.table.places(sequence.computed(), sequence.begin);
            sequence.plain.ask(sequence.computed());

            assertEquals(sequence.computed() / PAGE, places.size(), step);
            for (int page = 0; page < places.size(); page++) {
                int block = sequence.plain.block(page);
                int slot = block < 0 ? PagePlace.ON_HOST : sequence.begin + block * PAGE;
                assertEquals(slot, places.get(page).slot(), step + ", page " + page);
                name(sequence.plain.content(page), places.get(page).page());
            }
        }

        private void fork(Tokens source) {
            int tokens = source.computed() == 0 ? 0 : random.nextInt(1, source.computed() + 1);
            if (tokens == 0) {
                return;
            }
            Tokens made = add(source.table.copy(tokens), source.plain.fork(tokens));
            boolean straight = source.plain.isStraightUpTo(tokens);
            grow(made, straight ? tokens : pool);
            device.make(
                    new KvSlotCopy(source.begin, made.begin, straight ? tokens : slots(source)));
            made.rows = Arrays.copyOf(source.rows, tokens);
            assertEquals(straight, made.table.isStraight(), step);
            made.plain.takeChanged();
        }

        private int slots(Tokens sequence) {
            return PAGE
                    * (sequence.table.map().isStraight()
                            ? sequence.table.residentPages()
                            : sequence.table.map().size());
        }

        private void handOver(Tokens sequence) {
            if (sequence.computed() == 0) {
                return;
            }
            int tokens = random.nextInt(1, sequence.computed() + 1);
            long before = sequence.table.epoch();

            sequence.table.transferTo(tokens);
            sequence.plain.handOver(tokens);

            requireEpoch(sequence, before);
            sequence.cut(tokens);
        }

        private void writeDown(Tokens sequence) {
            sequence.before =
                    Optional.of(
                            new Tokens.Before(
                                    sequence.computed(),
                                    sequence.table.residency(),
                                    sequence.plain.pagesInBlocks(),
                                    sequence.plain.scores(),
                                    sequence.plain.scoredAt()));
        }

        /** To where its places were written down, or to somewhat before that. */
        private void goBack(Tokens sequence) {
            if (sequence.before.isEmpty()
                    || sequence.before.get().tokens() > sequence.computed()
                    || sequence.before.get().tokens() == 0) {
                return;
            }
            Tokens.Before before = sequence.before.get();
            int tokens = Math.max(1, before.tokens() - random.nextInt(2) * random.nextInt(PAGE));
            long epoch = sequence.table.epoch();
            List<KvRowOperation> moves = new ArrayList<>();
            sequence.table.transferTo(tokens);
            sequence.plain.handOver(tokens);
            sequence.cut(tokens);
            List<PlainPager.Content> contents =
                    IntStream.range(0, sequence.plain.pageCount())
                            .mapToObj(sequence.plain::content)
                            .toList();
            int[] pages = new int[pool / PAGE];
            Arrays.setAll(pages, sequence.plain::pageIn);

            sequence.table.restoreResidency(tokens, before.residency(), sequence.begin, moves::add);
            sequence.plain.restoreResidency(
                    tokens, before.inBlocks(), before.scores(), before.scoredAt());

            requireEpoch(sequence, epoch);
            requireOrder(moves);
            for (KvRowOperation move : moves) {
                if (move instanceof PageMove page && page.direction() == PageMove.Direction.OUT) {
                    int block = (page.slot() - sequence.begin) / PAGE;
                    name(contents.get(pages[block]), page.page());
                }
            }
            device.make(moves);
            for (int block = 0; block < before.inBlocks().size(); block++) {
                int page = before.inBlocks().get(block);
                if (page >= 0 && page < PagePoolSizing.pages(tokens)) {
                    assertEquals(page, sequence.plain.pageIn(block), step);
                }
            }
        }

        /**
         * Copies computed rows to a new sequence. Its table assigns the pages as before, if they
         * fit, or as a computation from the beginning does.
         */
        private void await(Tokens source) {
            int tokens = source.computed();
            if (tokens == 0) {
                return;
            }
            PageResidency residency = source.table.residency();
            boolean known = random.nextBoolean();
            Tokens made = add(new PageTable(pageContents, 1000), new PlainPager(pagers));
            grow(made, random.nextBoolean() ? tokens : Math.max(tokens, slots(source)));

            made.table.await(tokens, known ? residency : PageResidency.STRAIGHT);
            made.plain.await(
                    tokens,
                    known ? source.plain.pagesInBlocks() : List.of(),
                    source.plain.scores(),
                    source.plain.scoredAt());

            device.adopt(made.table.rows(0, tokens, made.begin), source.rows);
            made.rows = source.rows.clone();
            made.plain.takeChanged();
        }

        private void release(Tokens sequence) {
            sequence.table.release();
            sequence.plain.release();
            sequences.remove(sequence);
            spans.add(sequence.begin);
        }

        private void drop(HostPageFree drop) {
            PlainPager.Content content = byName.get(drop.page());
            assertTrue(content != null, step + ": nobody knows page " + drop.page());
            assertTrue(isGone(content), step + ": somebody needs page " + drop.page());
            assertEquals(null, gone.put(drop.page(), true), step + ": dropped before");
            device.make(drop);
        }

        private boolean isGone(PlainPager.Content content) {
            return pagers.stream().noneMatch(pager -> pager.holds(content));
        }

        /** Takes note of how a content is called. */
        private void name(PlainPager.Content content, long name) {
            Long before = known.putIfAbsent(content, name);
            assertTrue(before == null || before == name, step + ": two names of a page");
            PlainPager.Content named = byName.putIfAbsent(name, content);
            assertTrue(named == null || named == content, step + ": a name of two pages");
            assertFalse(gone.containsKey(name), step + ": page " + name + " is gone");
        }

        private void requireAll() {
            for (Tokens sequence : sequences) {
                requireSame(sequence);
                assertArrayEquals(
                        sequence.rows,
                        device.read(sequence.table.rows(0, sequence.computed(), sequence.begin)),
                        step);
            }
            long onHost = 0;
            for (Map.Entry<PlainPager.Content, Long> each : known.entrySet()) {
                assertEquals(isGone(each.getKey()), gone.containsKey(each.getValue()), step);
                onHost += !isGone(each.getKey()) && each.getKey().onHost ? 1 : 0;
            }
            assertEquals(onHost, pageContents.onHost(), step);
            assertEquals(onHost, device.hostPages().size(), step);
        }

        private void requireSame(Tokens sequence) {
            PageTable table = sequence.table;
            PlainPager plain = sequence.plain;
            SlotPositionMap map = table.map();
            assertTrue(map.isInOrder(), step + ": " + map);
            int resident = 0;
            for (int page = 0; page < plain.pageCount(); page++) {
                int block = plain.block(page);
                resident += block < 0 ? 0 : 1;
                assertEquals(
                        block < 0 ? -1 : block * PAGE + 5,
                        table.slot(page * PAGE + 5),
                        step + ", page " + page);
                if (block >= 0) {
                    assertEquals(map.isStraight() ? block : map.page(block), page, step);
                } else {
                    RowRun run = table.rows(page * PAGE, 1, sequence.begin).getFirst();
                    name(plain.content(page), run.page());
                }
            }
            assertEquals(-1, table.slot(plain.pageCount() * PAGE), step);
            assertEquals(resident, table.residentPages(), step);
            assertEquals(plain.pageCount() - resident, table.hostPages(), step);
            assertEquals(plain.isStraightUpTo(plain.pageCount() * PAGE), table.isStraight(), step);
            assertEquals(plain.counts(), table.counts(), step);
            assertEquals(plain.scoredAt(), table.scoredAt(), step);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 512", "2, 512", "3, 512", "4, 512", "5, 768", "6, 768", "7, 768", "8, 1024", "9, 1024",
        "10, 512", "11, 512", "12, 512"
    })
    @ByDay({1, 3, 5, 8})
    void tableMatchesAPlainPagerAndLosesNothing(long seed, int pool) {
        Walk walk = new Walk(seed, pool);
        for (int step = 0; step < STEPS; step++) {
            walk.step(step);
        }
        while (!walk.sequences.isEmpty()) {
            walk.release(walk.sequences.getFirst());
        }

        walk.pageContents.takeDrops().forEach(walk::drop);

        assertTrue(walk.known.size() > 100, "only " + walk.known.size() + " pages were known");
        assertEquals(walk.known.size(), walk.gone.size(), "all that was known is dropped");
        assertEquals(0, walk.device.hostPages().size());
        assertEquals(0, walk.pageContents.onHost());
    }
}

package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.TokenTree;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Requests with equal prefixes share a cache that is too small for all of them. The walk computes
 * them together, verifies draft tokens, and keeps, copies, loads, drops and loses sequences. After
 * the device has made all due changes, all rows of all sequences are right, in slots and on the
 * host.
 */
class PagedWalkTest {
    private static final int STEPS = Effort.of(1000, 4000);
    private static final int MOST_RUNNING = 4;
    private static final int MOST_TOKENS = 2500;
    private static final TokenLogits OUTPUT =
            new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST);

    /** All there is of a walk. */
    private static final class Walk {
        private final SplittableRandom random;
        private final PagedRig rig;
        private final KvCacheManager cache;
        private final PagePolicy policy;
        private final boolean forgets;
        private final List<SequenceCache> running = new ArrayList<>();
        private final List<SequenceCache> kept = new ArrayList<>();
        private final List<int[]> prompts = new ArrayList<>();
        private long begunWithSome;
        private long losses;
        private PagingCounts counts = PagingCounts.NONE;

        Walk(long seed, int blocks, PagePolicy policy, boolean forgets) {
            random = new SplittableRandom(seed);
            rig = new PagedRig(blocks, policy, forgets);
            cache = rig.cache;
            this.policy = policy;
            this.forgets = forgets;
        }

        void step() {
            int kind = running.isEmpty() ? 0 : random.nextInt(30);
            if (kind < 3) {
                begin();
            } else if (kind < 14) {
                prefill(pick());
            } else if (kind < 20) {
                decodeTogether();
            } else if (kind < 22) {
                guess(pick());
            } else if (kind < 24) {
                keep(pick());
            } else if (kind < 25) {
                keepCopy(pick());
            } else if (kind < 26) {
                drop(pick());
            } else if (kind < 27) {
                bring(pick());
            } else if (kind < 29) {
                choose(pick());
            } else if (random.nextInt(12) == 0) {
                lose();
            }
            requireAll();
        }

        private SequenceCache pick() {
            return running.get(random.nextInt(running.size()));
        }

        /** A prompt that is new, or begins like one that was there. */
        private int[] prompt() {
            int[] before =
                    prompts.isEmpty() || random.nextInt(4) == 0
                            ? new int[0]
                            : prompts.get(random.nextInt(prompts.size()));
            int common = random.nextInt(before.length + 1);
            int[] prompt = Arrays.copyOf(before, common + random.nextInt(1, 900));
            for (int i = common; i < prompt.length; i++) {
                prompt[i] = random.nextInt(1 << 20);
            }
            prompts.add(prompt);
            if (prompts.size() > 12) {
                prompts.removeFirst();
            }
            return prompt;
        }

        private void begin() {
            if (running.size() >= MOST_RUNNING) {
                return;
            }
            Optional<SequenceCache> begun = rig.tryBegin(prompt());
            begun.ifPresent(running::add);
            begunWithSome += begun.filter(sequence -> sequence.computed() > 0).isPresent() ? 1 : 0;
        }

        private boolean hasRoom(SequenceCache sequence, int end) {
            if (end <= MOST_TOKENS && cache.ensure(sequence, end)) {
                return true;
            }
            drop(sequence);
            return false;
        }

        /** A window, or the first piece of one, for all of which room is made. */
        private void prefill(SequenceCache sequence) {
            int left = sequence.tokens().size() - sequence.computed();
            if (left <= 0) {
                return;
            }
            int window = sequence.computed() + Math.min(left, random.nextInt(1, 129));
            int end = sequence.computed() + random.nextInt(1, window - sequence.computed() + 1);
            if (hasRoom(sequence, window)) {
                boolean keepsState = forgets && random.nextInt(3) == 0;
                ScheduledTokens advance =
                        new ScheduledTokens(
                                sequence,
                                running.indexOf(sequence),
                                sequence.tokens().range(sequence.computed(), end),
                                RequestedOutput.NONE,
                                ChunkKind.WINDOW,
                                keepsState,
                                0);
                rig.run(advance.reserving(window));
            }
        }

        private void decodeTogether() {
            for (int round = random.nextInt(1, 30); round > 0; round--) {
                List<ScheduledTokens> advances = new ArrayList<>();
                for (SequenceCache each : List.copyOf(running)) {
                    if (hasRoom(each, each.computed() + 1)) {
                        if (each.tokens().size() == each.computed()) {
                            each.tokens().add(random.nextInt(1 << 20));
                        }
                        int next = each.tokens().get(each.computed());
                        advances.add(PagedRig.rows(each, 0, TokenTree.CHAIN, next));
                    }
                }
                if (advances.isEmpty()) {
                    return;
                }
                answer(rig.run(advances.toArray(ScheduledTokens[]::new)), advances);
            }
        }

        /** Some of the shards' answers come, and are heeded. */
        private void answer(Batch batch, List<ScheduledTokens> advances) {
            for (PageQuery query : batch.queries()) {
                if (random.nextInt(5) > 0) {
                    SequenceCache sequence = advances.get(query.chunkIndex()).sequence();
                    int asked = query.pages().size();
                    cache.choosePages(sequence, scores(asked), asked, sequence.computed());
                }
            }
        }

        private List<PageScores> scores(int pages) {
            float[] values = new float[pages];
            for (int page = 0; page < pages; page++) {
                values[page] = random.nextInt(-2, 3) / 4f;
            }
            return List.of(new PageScores(0, 1, values));
        }

        private void guess(SequenceCache sequence) {
            int most = Math.min(cache.mostDraftTokens(sequence), 14);
            int computed = sequence.computed();
            if (computed < sequence.tokens().size()
                    || most < 1
                    || !hasRoom(sequence, computed + most + 1)) {
                return;
            }
            int count = random.nextInt(2, most + 2);
            int[] tokens = random.ints(count, 0, 1 << 20).toArray();
            int[] parents = new int[count];
            parents[0] = -1;
            for (int token = 1; token < count; token++) {
                parents[token] = random.nextInt(3) == 0 ? random.nextInt(token) : token - 1;
            }
            TokenTree tree = TokenTree.of(parents);
            rig.run(PagedRig.rows(sequence, count - 1, tree, tokens));
            AcceptedPath path = AcceptedPath.of(tree.path(random.nextInt(count)));
            for (int i = 0; i < path.length(); i++) {
                sequence.tokens().add(tokens[path.token(i)]);
            }
            cache.accept(sequence, path);
            assertEquals(computed + path.length(), sequence.computed());
        }

        private void keep(SequenceCache sequence) {
            running.remove(sequence);
            cache.retain(sequence);
            if (sequence.computed() > 0) {
                kept.add(sequence);
            }
        }

        private void keepCopy(SequenceCache sequence) {
            if (sequence.computed() > 0) {
                cache.retainCopy(sequence, OUTPUT);
            }
        }

        private void drop(SequenceCache sequence) {
            running.remove(sequence);
            cache.drop(sequence);
        }

        /**
         * Begins another sequence with the computed rows of this one, as if a store had loaded
         * them.
         */
        private void bring(SequenceCache source) {
            int computed = source.computed();
            if (running.size() >= MOST_RUNNING || computed == 0) {
                return;
            }
            int[] more = source.tokens().range(0, computed + 1);
            more[computed] = random.nextInt(1 << 20);
            Optional<SequenceCache> brought =
                    cache.beginAfter(
                            PagedRig.request(more), source.chunkHistory().upTo(computed), 0);
            brought.ifPresent(
                    sequence -> {
                        rig.flush();
                        rig.device.adopt(
                                sequence.rows(0, computed),
                                PagedRig.expected(sequence.tokens(), computed));
                        running.add(sequence);
                    });
        }

        private void choose(SequenceCache sequence) {
            if (policy == PagePolicy.QK && sequence.computed() > 0) {
                int pages = sequence.computed() / 64;
                cache.choosePages(sequence, scores(pages), pages, sequence.computed());
            }
        }

        private void lose() {
            cache.clear();
            rig.device.loseSlots();
            running.clear();
            kept.clear();
            losses++;
        }

        /** Now and then, so that what is due for several steps is done together, too. */
        private void requireAll() {
            kept.removeAll(rig.left);
            if (random.nextInt(3) > 0) {
                return;
            }
            rig.flush();
            running.forEach(rig::require);
            kept.forEach(rig::require);
            assertEquals(rig.device.hostPages().size(), cache.paging().orElseThrow().hostPages());
            PagingCounts now = cache.paging().orElseThrow().counts();
            assertTrue(
                    now.pagesOut() >= counts.pagesOut()
                            && now.pagesIn() >= counts.pagesIn()
                            && now.movedBytes() >= counts.movedBytes()
                            && now.recallHits() <= now.recalls(),
                    counts + " and then " + now);
            counts = now;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 16, LRU, false", "2, 16, QK, false", "3, 8, LRU, false", "4, 8, QK, false",
        "5, 9, QK, false", "6, 10, LRU, true", "7, 12, QK, true", "8, 8, QK, true",
        "9, 11, QK, false", "10, 13, QK, true"
    })
    @ByDay({2, 3, 5, 7, 9})
    void allRowsAreCorrectUnderRandomOperations(
            long seed, int blocks, PagePolicy policy, boolean forgets) {
        Walk walk = new Walk(seed, blocks, policy, forgets);
        for (int step = 0; step < STEPS; step++) {
            int number = step;
            try {
                walk.step();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("step " + number, e);
            }
        }

        assertTrue(walk.begunWithSome > 10, walk.begunWithSome + " went on from another");
        assertTrue(walk.counts.pagesOut() > STEPS / 40, walk.counts.toString());
        assertTrue(walk.losses > 0, "nothing was lost");
        walk.rig.requireNothingLeft(walk.running);
    }
}

package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/** Properties of the tokens that a selection keeps of any text. */
class SelectionPropertiesTest {
    /** A text with whatever else decides. */
    private record Case(ScoredText text, SelectionSettings settings, KeepRatio keep, int most) {
        static Case of(int tokens, Random random) {
            int vocabulary = 1 + random.nextInt(2 * tokens);
            int[] ids = random.ints(tokens, 0, vocabulary).toArray();
            List<TokenRange> spans = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                int begin = random.nextInt(tokens);
                int end = begin + 1 + random.nextInt(tokens - begin);
                spans.add(new TokenRange(begin, Math.min(end, begin + 1 + tokens / 5)));
            }
            ScoredText text =
                    new ScoredText(
                            ids,
                            ChunkScorerTest.scores(tokens, random.nextLong()),
                            new ProtectedSpans(spans));
            return new Case(
                    text,
                    settings(random),
                    new KeepRatio(1 - random.nextDouble()),
                    random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(20));
        }

        private static SelectionSettings settings(Random random) {
            return new SelectionSettings(
                    new SelectionSettings.Edges(random.nextInt(9), random.nextInt(25)),
                    new AnchorSettings(
                            random.nextInt(100),
                            1 + random.nextInt(4),
                            OptionalInt.of(random.nextInt(3)),
                            OptionalInt.of(random.nextInt(9))),
                    random.nextBoolean(),
                    random.nextBoolean()
                            ? Optional.of(RecurringTokenSettings.USUAL)
                            : Optional.empty());
        }

        Selection select() {
            return new ChunkSelector(settings).select(text, keep, most);
        }

        ChunkedText chunks() {
            return ChunkedText.of(text, ChunkSelector.CHUNK_TOKENS);
        }

        @Override
        public String toString() {
            return text.tokens()
                    + " tokens, "
                    + text.spans()
                    + ", "
                    + settings
                    + ", "
                    + keep
                    + ", "
                    + most;
        }
    }

    @Property(tries = 500)
    void keptTokensAreOrderedAndContainAllProtectedOnes(
            @ForAll @IntRange(min = 9, max = 1500) int tokens, @ForAll long seed) {
        Case tried = Case.of(tokens, new Random(seed));

        Selection selection = tried.select();

        BitSet kept = bits(selection);
        assertEquals(selection.keptTokens(), kept.cardinality(), tried.toString());
        assertTrue(kept.length() <= tokens, tried.toString());
        BitSet lost = tried.chunks().fixed();
        assertEquals(
                lost.cardinality(), Texts.kept(selection, KeepReason.PROTECTED), tried.toString());
        lost.andNot(kept);
        assertTrue(lost.isEmpty(), tried + " lost " + lost);
        TokenRange before = null;
        for (TokenRange run : selection.runs()) {
            assertTrue(before == null || before.end() < run.begin(), selection.toString());
            before = run;
        }
    }

    @Property(tries = 300)
    void keptTokensMeetTheRatioAndTheMaximum(
            @ForAll @IntRange(min = 9, max = 1500) int tokens, @ForAll long seed) {
        Case tried = Case.of(tokens, new Random(seed));
        BitSet droppable = tried.chunks().droppable();

        Selection selection = tried.select();

        BitSet kept = bits(selection);
        int whole = 0;
        for (int chunk : droppable.stream().toArray()) {
            TokenRange range = tried.chunks().grid().range(chunk);
            boolean any = false;
            boolean all = true;
            for (int token = range.begin(); token < range.end(); token++) {
                boolean stays = kept.get(token) && !tried.chunks().fixed().get(token);
                any |= stays;
                all &= kept.get(token);
            }
            assertEquals(any, all, tried + ": half of a chunk stays");
            whole += all ? 1 : 0;
        }
        if (!droppable.isEmpty()) {
            int count = droppable.cardinality();
            int most = Math.min(count, tried.most());
            assertTrue(whole >= Math.min(most, tried.keep().of(count)), tried + ": " + whole);
            assertTrue(whole <= most, tried + ": " + whole);
        }
    }

    @Property(tries = 100)
    void selectionIsDeterministic(
            @ForAll @IntRange(min = 9, max = 1500) int tokens, @ForAll long seed) {
        assertEquals(
                Case.of(tokens, new Random(seed)).select(),
                Case.of(tokens, new Random(seed)).select());
    }

    @Property(tries = 300)
    void anchorsMatchANaiveScan(
            @ForAll @IntRange(min = 9, max = 600) int tokens, @ForAll long seed) {
        Case tried = Case.of(tokens, new Random(seed));
        AnchorSettings settings = tried.settings().anchors();

        BitSet direct = new AnchorSearch(tried.chunks(), settings).direct();

        assertEquals(naive(tried.chunks(), settings), direct, tried.toString());
    }

    private static BitSet naive(ChunkedText chunks, AnchorSettings settings) {
        int[] ids = chunks.ids();
        int words = settings.ngram();
        int begin = Math.max(0, ids.length - settings.queryTokens());
        BitSet found = new BitSet();
        for (int q = begin; q + words <= ids.length; q++) {
            List<Integer> hits = new ArrayList<>();
            for (int p = 0; p <= Math.max(0, begin - words) && p + words <= ids.length; p++) {
                boolean same = true;
                for (int i = 0; i < words; i++) {
                    same &= ids[p + i] == ids[q + i];
                }
                if (same) {
                    hits.add(p);
                }
            }
            if (hits.size() <= settings.mostHits().getAsInt()) {
                for (int p : hits) {
                    boolean free = true;
                    for (int i = 0; i < words; i++) {
                        free &= !chunks.fixed().get(p + i);
                    }
                    int chunk = p / chunks.grid().chunkTokens();
                    int radius = settings.radius().getAsInt();
                    for (int c = chunk - radius; free && c <= chunk + radius; c++) {
                        if (c >= 0 && c < chunks.grid().chunks()) {
                            found.set(c);
                        }
                    }
                }
            }
        }
        return found;
    }

    @Property(tries = 200)
    void ratioOfOneKeepsTheWholeText(
            @ForAll @IntRange(min = 1, max = 500) int tokens, @ForAll long seed) {
        Case tried = Case.of(Math.max(9, tokens), new Random(seed));

        Selection selection =
                new ChunkSelector(tried.settings())
                        .select(tried.text(), KeepRatio.ALL, Integer.MAX_VALUE);

        assertTrue(selection.isWhole(), tried.toString());
    }

    private static BitSet bits(Selection selection) {
        BitSet bits = new BitSet();
        selection.kept().forEach(each -> bits.set(each.tokens().begin(), each.tokens().end()));
        return bits;
    }
}

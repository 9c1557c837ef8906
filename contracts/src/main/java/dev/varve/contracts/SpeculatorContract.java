package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.contracts.SpeculatorDriver.Sequence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Contract of speculators. It does not rate the quality of drafts, which a server measures. */
@Timeout(60)
public abstract class SpeculatorContract {
    private static final long SEED = 4711;

    @TempDir private Path folder;
    private Optional<SpeculationTarget> target = Optional.empty();

    /** For extending classes. */
    protected SpeculatorContract() {}

    /** Creates a new provider. */
    protected abstract SpeculatorProvider provider();

    /**
     * Returns a model for which it can draft; a context of a few hundred tokens and a few sequences
     * suffice, 32 tokens and one sequence are the minimum.
     *
     * @param folder for files that are written for it
     */
    protected abstract SpeculationTarget target(Path folder) throws IOException;

    private SpeculatorDriver open() throws IOException {
        return new SpeculatorDriver(provider(), target());
    }

    private SpeculationTarget target() throws IOException {
        if (target.isEmpty()) {
            target = Optional.of(target(folder));
        }
        return target.get();
    }

    // The provider

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void nameIsAStableWord() {
        SpeculatorProvider provider = provider();

        String name = provider.name();

        ProviderRules.requireWord(name);
        assertEquals(name, provider.name());
        assertEquals(name, provider().name());
    }

    @Test
    void speculatorsOfOneProviderAreIndependent() throws IOException {
        SpeculatorProvider provider = provider();
        SpeculatorDriver second = new SpeculatorDriver(provider, target());
        try (SpeculatorDriver first = new SpeculatorDriver(provider, target())) {
            Sequence one = first.begin(first.text(20));
            Sequence other = second.begin(second.text(25));
            requireFits(first, one);
            requireFits(second, other);

            second.close();

            one.append(first.text(1));
            requireFits(first, one);
        }
    }

    // Constant properties

    @Test
    void capturesAreStableAscendingLayers() throws IOException {
        int layers = target().shape().layerCount();
        try (SpeculatorDriver driver = open()) {
            List<Integer> captures = List.copyOf(driver.speculator().captures());
            use(driver);

            assertEquals(
                    captures.stream().sorted().distinct().toList(),
                    captures,
                    "ascending, none twice");
            assertTrue(
                    captures.stream().allMatch(layer -> layer >= 0 && layer <= layers),
                    "expected 0 to " + layers + ", found " + captures);
            assertEquals(captures, driver.speculator().captures());
        }
    }

    @Test
    void maximumDraftLengthIsPositiveAndStable() throws IOException {
        try (SpeculatorDriver driver = open()) {
            int most = driver.speculator().mostTokens();
            use(driver);

            assertTrue(most >= 1, "mostTokens: expected 1 or more, found " + most);
            assertEquals(most, driver.speculator().mostTokens());
        }
    }

    private static void use(SpeculatorDriver driver) {
        Sequence sequence = driver.begin(driver.text(20));
        driver.propose(sequence, 1);
        driver.speculator().forget(sequence.number());
    }

    // Drafts

    @Test
    void eachSequenceGetsADraftInOrder() throws IOException {
        try (SpeculatorDriver driver = open()) {
            List<Sequence> sequences = sequences(driver);
            int most = Math.min(100, driver.speculator().mostTokens());
            Random random = new Random(SEED);
            for (int round = 0; round < 20; round++) {
                Collections.shuffle(sequences, random);
                // The draft of another sequence would exceed most of these limits.
                int[] limits = random.ints(sequences.size(), 1, most + 2).toArray();

                List<Draft> drafts = driver.propose(sequences, limits);

                assertEquals(sequences.size(), drafts.size(), "a draft for each sequence");
                for (int i = 0; i < limits.length; i++) {
                    requireFits(driver, drafts.get(i), limits[i]);
                }
                sequences.forEach(sequence -> sequence.append(driver.text(1)));
            }
        }
    }

    @Test
    void draftIsNeverLongerThanRequested() throws IOException {
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(20));
            int most = driver.speculator().mostTokens();
            for (int asked : new int[] {1, 2, most, 10_000, Integer.MAX_VALUE}) {
                int length = driver.propose(sequence, asked).tokens().length;

                assertTrue(
                        length <= Math.min(asked, most),
                        length + " tokens where " + asked + " are of use, mostTokens " + most);
            }
        }
    }

    @Test
    void treeIsProposedOnlyWhenRequested() throws IOException {
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(20));
            int most = Math.min(7, driver.speculator().mostTokens());
            boolean branches = driver.speculator().branches();
            assertEquals(branches, driver.speculator().branches());
            for (int asked : new int[] {0, most, most + 1, 3 * most + 5, 63}) {
                Draft draft = driver.proposeTree(sequence, most, asked);

                String what = ids(draft.tokens()) + " behind " + ids(draft.parents());
                int largest = asked == 0 || !branches ? most : asked;
                assertTrue(draft.tokens().length <= largest, what + ": more than " + largest);
                assertTrue(
                        !draft.branches() || branches && asked > 0, what + ": no tree is wanted");
                requireTree(draft, most, what);
            }
        }
    }

    private static void requireTree(Draft draft, int most, String what) {
        int[] depths = new int[draft.parents().length];
        Set<List<Integer>> known = new HashSet<>();
        for (int i = 0; i < depths.length; i++) {
            int parent = draft.parents()[i];
            depths[i] = parent < 0 ? 1 : depths[parent] + 1;
            assertTrue(depths[i] <= most, what + ": deeper than " + most);
            assertTrue(known.add(List.of(parent, draft.tokens()[i])), what + ": a guess twice");
        }
    }

    @Test
    void draftTokensAreInTheVocabulary() throws IOException {
        int vocabulary = target().shape().vocabularySize();
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(20));
            for (int token : new int[] {0, vocabulary - 1, vocabulary - 1, 0, 0, 0}) {
                sequence.append(token);

                int[] tokens = driver.propose(sequence, 10_000).tokens();

                assertTrue(
                        IntStream.of(tokens).allMatch(each -> each >= 0 && each < vocabulary),
                        "expected ids of 0 to " + (vocabulary - 1) + ", found " + ids(tokens));
            }
        }
    }

    private static List<Integer> ids(int[] tokens) {
        return IntStream.of(tokens).boxed().toList();
    }

    // Sequences

    @Test
    void historyOfOneTokenIsEnough() throws IOException {
        try (SpeculatorDriver driver = open()) {
            for (int token : new int[] {0, target().shape().vocabularySize() - 1}) {
                Sequence sequence = driver.begin(token);
                requireFits(driver, sequence);
                driver.speculator().forget(sequence.number());
            }
        }
    }

    @Test
    void historyGrowsByAcceptedTokens() throws IOException {
        int context = target().limits().contextTokens();
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(5));
            Random random = new Random(SEED);
            while (sequence.size() < context) {
                Draft draft = driver.propose(sequence, context - sequence.size());
                requireFits(driver, draft, context - sequence.size());

                int right = random.nextInt(draft.tokens().length + 1);
                sequence.append(IntStream.of(draft.tokens()).limit(right).toArray());
                sequence.append(driver.text(Math.min(1, context - sequence.size())));
            }
        }
    }

    @Test
    void maximumNumberOfSequencesIsSupported() throws IOException {
        try (SpeculatorDriver driver = open()) {
            List<Sequence> sequences = sequences(driver);
            Random random = new Random(SEED);
            for (int round = 0; round < 20; round++) {
                List<Sequence> some =
                        sequences.stream().filter(sequence -> random.nextBoolean()).toList();
                requireFits(driver, some.isEmpty() ? sequences : some);
                some.forEach(sequence -> sequence.append(driver.text(1)));
            }
        }
    }

    @Test
    void sequencesWithEqualTokensAreDrafted() throws IOException {
        try (SpeculatorDriver driver = open()) {
            int[] text = driver.text(25);
            for (int round = 0; round < 3; round++) {
                List<Sequence> alike =
                        Stream.generate(() -> driver.begin(text)).limit(sequences()).toList();
                requireFits(driver, alike);
                alike.forEach(sequence -> driver.speculator().forget(sequence.number()));
            }
        }
    }

    @Test
    void manySequencesAreAddedAndRemoved() throws IOException {
        try (SpeculatorDriver driver = open()) {
            List<Sequence> running = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                if (running.size() == sequences()) {
                    driver.speculator().forget(running.remove(i % running.size()).number());
                }
                running.add(driver.begin(driver.text(3 + i % 20)));
                requireFits(driver, running);
            }
        }
    }

    @Test
    void unknownSequenceMayBeRemoved() throws IOException {
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(20));

            driver.speculator().forget(sequence.number());
            driver.speculator().forget(Long.MAX_VALUE);

            requireFits(driver, sequence);
            driver.speculator().forget(sequence.number());
            driver.speculator().forget(sequence.number());
        }
    }

    /** As for a preempted request: its number stays the same. */
    @Test
    void removedSequenceNumberMayBeReused() throws IOException {
        try (SpeculatorDriver driver = open()) {
            Sequence first = driver.begin(driver.text(30));
            requireFits(driver, first);
            for (int length : new int[] {30, 1, 12, 31}) {
                driver.speculator().forget(first.number());
                Sequence again = SpeculatorDriver.again(first, driver.text(length));
                requireFits(driver, again);
                again.append(driver.text(1));
                requireFits(driver, again);
            }
        }
    }

    /** As for a prompt with a cached prefix, partial or complete. */
    @Test
    void hiddenStatesMayBeMissingAnywhere() throws IOException {
        try (SpeculatorDriver driver = open()) {
            for (int begin : new int[] {1, 13, 27, 28}) {
                Sequence sequence = driver.begin(driver.text(28));
                sequence.skipTo(begin);
                requireFits(driver, sequence);
                sequence.append(driver.text(1));
                sequence.skipTo(sequence.size() - 1);
                requireFits(driver, sequence);
                sequence.append(driver.text(1));
                requireFits(driver, sequence);
                driver.speculator().forget(sequence.number());
            }
        }
    }

    @Test
    void hiddenStatesMayArriveWithoutADraftRequest() throws IOException {
        try (SpeculatorDriver driver = open()) {
            Sequence sequence = driver.begin(driver.text(30));
            driver.show(sequence, 30);
            driver.speculator().forget(sequence.number());

            requireFits(driver, driver.begin(driver.text(9)));
        }
    }

    // Threads and close

    @Test
    void threadsThatUseAndCloseMayDifferFromTheOpeningThread() throws Exception {
        SpeculatorDriver driver = open();
        Sequence sequence = driver.begin(driver.text(20));
        for (int thread = 0; thread < 2; thread++) {
            on("speculator-user", () -> requireFits(driver, sequence));
        }
        on("speculator-closer", driver::close);
    }

    private static void on(String name, Runnable task) throws Exception {
        FutureTask<Object> future = new FutureTask<>(task, name);
        Thread.ofPlatform().daemon().name(name).start(future);
        future.get();
    }

    @Test
    void closingTwiceIsAllowed() throws IOException {
        SpeculatorDriver unused = open();
        unused.close();
        unused.close();
        SpeculatorDriver used = open();
        requireFits(used, used.begin(used.text(20)));

        used.close();
        used.close();
    }

    private int sequences() throws IOException {
        return target().limits().sequences();
    }

    private List<Sequence> sequences(SpeculatorDriver driver) throws IOException {
        List<Sequence> sequences = new ArrayList<>();
        for (int i = 0; i < sequences(); i++) {
            sequences.add(driver.begin(driver.text(3 + i % 9)));
        }
        return sequences;
    }

    private static void requireFits(SpeculatorDriver driver, Sequence sequence) {
        requireFits(driver, List.of(sequence));
    }

    private static void requireFits(SpeculatorDriver driver, List<Sequence> sequences) {
        List<Draft> drafts = driver.propose(sequences, 5);
        assertEquals(sequences.size(), drafts.size(), "a draft for each sequence");
        drafts.forEach(draft -> requireFits(driver, draft, 5));
    }

    private static void requireFits(SpeculatorDriver driver, Draft draft, int most) {
        Speculator speculator = driver.speculator();
        int[] tokens = draft.tokens();
        assertTrue(
                tokens.length <= Math.min(most, speculator.mostTokens()),
                tokens.length + " tokens where " + most + " are of use");
        assertTrue(
                IntStream.of(tokens).allMatch(token -> driver.isOfVocabulary(token)),
                "ids outside the vocabulary: " + ids(tokens));
    }
}

package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.speculation.TokenHistory;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Speculators that break one rule each fail the test of that rule. */
class BrokenSpeculatorsTest {
    /** Whatever a test does not break, an {@link EchoSpeculator} does. */
    private static class Wrapped implements Speculator {
        final SpeculationTarget target;
        final Speculator echo;

        Wrapped(SpeculationTarget target) {
            this.target = target;
            echo = new EchoSpeculator(target);
        }

        @Override
        public List<Integer> captures() {
            return echo.captures();
        }

        @Override
        public int mostTokens() {
            return echo.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return echo.propose(sequences);
        }

        @Override
        public void observe(HiddenStates states) {
            echo.observe(states);
        }

        @Override
        public void forget(long sequence) {
            echo.forget(sequence);
        }

        @Override
        public void close() {
            echo.close();
        }
    }

    private static final class Branching extends Wrapped {
        Branching(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return sequences.stream()
                    .map(
                            request ->
                                    request.most() == 1
                                            ? Draft.of(1)
                                            : new Draft(new int[] {1, 2}, new int[] {-1, -1}, 0))
                    .toList();
        }
    }

    private static final class Unsorted extends Wrapped {
        Unsorted(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Integer> captures() {
            return echo.captures().reversed();
        }
    }

    private static final class Growing extends Wrapped {
        private int most = 1;

        Growing(SpeculationTarget target) {
            super(target);
        }

        @Override
        public int mostTokens() {
            return most++;
        }
    }

    private static final class Reversing extends Wrapped {
        Reversing(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return super.propose(sequences).reversed();
        }
    }

    private static final class Silent extends Wrapped {
        Silent(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return super.propose(sequences).stream()
                    .filter(draft -> draft.tokens().length > 0)
                    .toList();
        }
    }

    private static final class Chatty extends Wrapped {
        Chatty(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return sequences.stream().map(request -> Draft.of(new int[mostTokens()])).toList();
        }
    }

    private static final class Inventive extends Wrapped {
        Inventive(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return sequences.stream()
                    .map(each -> each.tokens().get(each.tokens().size() - 1) + 1)
                    .map(Draft::of)
                    .toList();
        }
    }

    private static final class Retaining extends Wrapped {
        private final Map<Long, TokenHistory> histories = new HashMap<>();

        Retaining(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            for (DraftRequest request : sequences) {
                histories.computeIfAbsent(request.sequence(), key -> request.tokens()).size();
            }
            return super.propose(sequences);
        }
    }

    private static final class Normalising extends Wrapped {
        Normalising(SpeculationTarget target) {
            super(target);
        }

        @Override
        public void observe(HiddenStates states) {
            states.layers().getFirst().values()[0] = 0;
        }
    }

    private static final class Counting extends Wrapped {
        private final Map<Long, Integer> positions = new HashMap<>();

        Counting(SpeculationTarget target) {
            super(target);
        }

        @Override
        public void observe(HiddenStates states) {
            int expected = positions.getOrDefault(states.sequence(), 0);
            if (states.firstPosition() != expected) {
                throw new IllegalStateException("a gap before " + states.firstPosition());
            }
            positions.put(states.sequence(), expected + states.tokens());
        }

        @Override
        public void forget(long sequence) {
            positions.remove(sequence);
        }
    }

    private static final class Remembering extends Wrapped {
        private final Map<Long, Integer> positions = new HashMap<>();

        Remembering(SpeculationTarget target) {
            super(target);
        }

        @Override
        public void observe(HiddenStates states) {
            if (states.firstPosition() < positions.getOrDefault(states.sequence(), 0)) {
                throw new IllegalStateException("seen before: " + states.firstPosition());
            }
            positions.put(states.sequence(), states.firstPosition() + states.tokens());
        }
    }

    private static final class Strict extends Wrapped {
        private final Set<Long> known = new HashSet<>();

        Strict(SpeculationTarget target) {
            super(target);
        }

        @Override
        public void observe(HiddenStates states) {
            known.add(states.sequence());
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            sequences.forEach(request -> known.add(request.sequence()));
            return super.propose(sequences);
        }

        @Override
        public void forget(long sequence) {
            if (!known.remove(sequence)) {
                throw new IllegalStateException("not known: " + sequence);
            }
        }
    }

    /** A place for each sequence, and none is given back. */
    private static final class Leaking extends Wrapped {
        private final Set<Long> places = new HashSet<>();

        Leaking(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            sequences.forEach(request -> places.add(request.sequence()));
            if (places.size() > 4 * target.limits().sequences()) {
                throw new IllegalStateException("no place");
            }
            return super.propose(sequences);
        }
    }

    private static final class Confined extends Wrapped {
        private final Thread owner = Thread.currentThread();

        Confined(SpeculationTarget target) {
            super(target);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            if (Thread.currentThread() != owner) {
                throw new IllegalStateException("another thread");
            }
            return super.propose(sequences);
        }
    }

    private static final class ClosedOnce extends Wrapped {
        private boolean closed;

        ClosedOnce(SpeculationTarget target) {
            super(target);
        }

        @Override
        public void close() {
            if (closed) {
                throw new IllegalStateException("closed already");
            }
            closed = true;
        }
    }

    /** All speculators share one state. Closing any one of them loses that state. */
    private static final class Shared extends Wrapped {
        private static final List<Shared> ALL = new ArrayList<>();

        private boolean lost;

        Shared(SpeculationTarget target) {
            super(target);
            ALL.add(this);
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            if (lost) {
                throw new IllegalStateException("closed");
            }
            return super.propose(sequences);
        }

        @Override
        public void close() {
            ALL.forEach(each -> each.lost = true);
            ALL.clear();
        }
    }

    private enum Fault {
        UNSORTED(Unsorted::new, "capturesAreStableAscendingLayers"),
        GROWING(Growing::new, "maximumDraftLengthIsPositiveAndStable"),
        REVERSING(Reversing::new, "eachSequenceGetsADraftInOrder"),
        SILENT(Silent::new, "eachSequenceGetsADraftInOrder"),
        CHATTY(Chatty::new, "draftIsNeverLongerThanRequested"),
        BRANCHING(Branching::new, "treeIsProposedOnlyWhenRequested"),
        INVENTIVE(Inventive::new, "draftTokensAreInTheVocabulary"),
        KEEPING(Retaining::new, "historyGrowsByAcceptedTokens"),
        NORMALISING(Normalising::new, "hiddenStatesMayArriveWithoutADraftRequest"),
        COUNTING(Counting::new, "hiddenStatesMayBeMissingAnywhere"),
        REMEMBERING(Remembering::new, "removedSequenceNumberMayBeReused"),
        STRICT(Strict::new, "unknownSequenceMayBeRemoved"),
        LEAKING(Leaking::new, "manySequencesAreAddedAndRemoved"),
        CONFINED(Confined::new, "threadsThatUseAndCloseMayDifferFromTheOpeningThread"),
        CLOSED_ONCE(ClosedOnce::new, "closingTwiceIsAllowed"),
        SHARED(Shared::new, "speculatorsOfOneProviderAreIndependent");

        final Function<SpeculationTarget, Speculator> opening;
        final String expected;

        Fault(Function<SpeculationTarget, Speculator> opening, String expected) {
            this.opening = opening;
            this.expected = expected;
        }
    }

    @TempDir static Path folder;

    /** One for all, since nobody changes it. */
    private static SpeculationTarget target;

    @BeforeAll
    static void writeModel() throws IOException {
        target = EchoContractTest.small(folder);
    }

    /** The one that is tried; tests of a class run one after another. */
    private static Fault tried;

    /** Opens what is broken. */
    public static final class Provider implements SpeculatorProvider {
        /** The service loader needs this public constructor. */
        public Provider() {}

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public Speculator open(SpeculationTarget target) {
            return tried.opening.apply(target);
        }
    }

    static final class Contract extends SpeculatorContract {
        @Override
        protected SpeculatorProvider provider() {
            return new Provider();
        }

        @Override
        protected SpeculationTarget target(Path unused) {
            return target;
        }
    }

    @ParameterizedTest
    @EnumSource
    void brokenRuleIsFound(Fault fault) {
        tried = fault;

        Set<String> failed = BrokenProvidersTest.failed(Contract.class);

        assertTrue(failed.contains(fault.expected), fault + ": " + failed);
        assertEquals(
                Set.of(),
                intersection(failed, Set.of("constructorIsCheap", "nameIsAStableWord")),
                "what is not broken passes");
    }

    private static Set<String> intersection(Set<String> one, Set<String> other) {
        Set<String> both = new HashSet<>(one);
        both.retainAll(other);
        return both;
    }
}

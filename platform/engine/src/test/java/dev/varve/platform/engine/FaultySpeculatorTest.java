package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;

/** Tests that requests get the same response as without a speculator, whatever its fault is. */
@Timeout(60)
class FaultySpeculatorTest {
    private static final int MOST = 5;
    private static final int PARALLEL = 3;
    private static final int COUNT = 40;

    /** Number of calls that succeed before the fault. */
    private static final int GOOD = 3;

    /** Proposes four draft tokens and has one fault. */
    private static class Guessing implements Speculator {
        int calls;
        volatile boolean closed;

        @Override
        public List<Integer> captures() {
            return List.of(1);
        }

        @Override
        public int mostTokens() {
            return MOST;
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return ++calls > GOOD ? fault(sequences) : good(sequences);
        }

        static List<Draft> good(List<DraftRequest> sequences) {
            return sequences.stream()
                    .map(each -> Draft.of(new int[Math.min(4, each.most())]))
                    .toList();
        }

        List<Draft> fault(List<DraftRequest> sequences) {
            return good(sequences);
        }

        @Override
        public void forget(long sequence) {
            // This speculator keeps no state per sequence.
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static List<Draft> each(List<DraftRequest> sequences, int... tokens) {
        return sequences.stream().map(each -> Draft.of(tokens)).toList();
    }

    private enum Fault {
        THROWS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                throw new IllegalStateException("out of guesses");
            }
        },
        OVERFLOWS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return propose(sequences);
            }
        },
        GIVES_NULL {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return null;
            }
        },
        GIVES_NULL_DRAFTS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return new ArrayList<>(Collections.nCopies(sequences.size(), null));
            }
        },
        GIVES_NULL_TOKENS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return Collections.nCopies(sequences.size(), new Draft(null, 0));
            }
        },
        GIVES_TOO_FEW_DRAFTS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return List.of();
            }
        },
        GIVES_TOO_MANY_DRAFTS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return Collections.nCopies(sequences.size() + 1, Draft.of(1));
            }
        },
        GUESSES_AS_MANY_AS_ARE_OF_USE {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return sequences.stream().map(each -> Draft.of(new int[each.most()])).toList();
            }
        },
        GUESSES_FAR_MORE {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return each(sequences, new int[1000]);
            }
        },
        GUESSES_WHAT_IS_BEHIND_THE_VOCABULARY {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return each(sequences, 1, 2, 61);
            }
        },
        GUESSES_NEGATIVE_TOKENS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return each(sequences, -1);
            }
        },
        GUESSES_HUGE_TOKENS {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return each(sequences, Integer.MAX_VALUE);
            }
        },
        EMPTIES_WHAT_IT_IS_ASKED {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                sequences.clear();
                return List.of();
            }
        },
        READS_BEHIND_THE_HISTORY {
            @Override
            List<Draft> propose(List<DraftRequest> sequences) {
                return each(
                        sequences,
                        sequences.getFirst().tokens().get(sequences.getFirst().tokens().size()));
            }
        };

        abstract List<Draft> propose(List<DraftRequest> sequences);
    }

    /** Faults other than wrong draft tokens. */
    private enum Manner {
        CANNOT_FORGET {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public void forget(long sequence) {
                        throw new IllegalStateException("how could I");
                    }
                };
            }
        },
        CANNOT_OBSERVE {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public void observe(HiddenStates states) {
                        if (calls > GOOD) {
                            throw new IllegalStateException("too much to see");
                        }
                    }
                };
            }
        },
        CHANGES_WHAT_IT_SEES {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public void observe(HiddenStates states) {
                        states.layers().forEach(layer -> Arrays.fill(layer.values(), Float.NaN));
                    }
                };
            }
        },
        CHANGES_ITS_CAPTURES {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public List<Integer> captures() {
                        return List.of(calls > GOOD ? 0 : 1);
                    }
                };
            }
        },
        FORGETS_ITS_CAPTURES {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public List<Integer> captures() {
                        if (calls > GOOD) {
                            throw new IllegalStateException("which ones?");
                        }
                        return super.captures();
                    }
                };
            }
        },
        CHANGES_ITS_MOST {
            @Override
            Guessing make() {
                return new Guessing() {
                    @Override
                    public int mostTokens() {
                        return calls > GOOD ? 0 : MOST;
                    }
                };
            }
        };

        abstract Guessing make();
    }

    private static List<List<Integer>> answers(
            PlainModel model, Optional<Speculator> speculator, OptionalInt width) throws Exception {
        EngineOptions options =
                new EngineOptions(
                        new EngineOptions.Capacity(
                                PlainEngine.CONTEXT,
                                PARALLEL,
                                new KvCacheConfig(
                                        12 * KvSlotSpan.BLOCK,
                                        EngineOptions.Capacity.rowsFor(PARALLEL),
                                        new RollbackBufferSizes(PARALLEL, 1 + MOST))),
                        64);
        PlainShard.Sizes sizes = PlainEngine.sizes(options);
        PlainShard shard =
                new PlainShard(
                        model,
                        model.shape().allLayers(),
                        new PlainShard.Sizes(
                                sizes.slots(),
                                sizes.stateRows(),
                                List.of(1),
                                sizes.rollbackBuffers()));
        Random random = new Random(9);
        try (EngineCore engine =
                EngineCore.start(
                        new ShardPipeline(List.of(shard)),
                        model.shape(),
                        options,
                        speculator.map(each -> new SpeculationOptions(each, MOST, width)))) {
            List<Collected> asked = new ArrayList<>();
            for (int i = 0; i < 2 * PARALLEL; i++) {
                int[] prompt = random.ints(12 + 9 * i, 0, 61).toArray();
                asked.add(Collected.ask(engine, prompt, COUNT));
            }
            List<List<Integer>> answers = new ArrayList<>();
            for (Collected each : asked) {
                answers.add(each.await());
            }
            return answers;
        }
    }

    private static void requireSameAnswers(Guessing guessing, boolean forgets, OptionalInt width)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        List<List<Integer>> plain = answers(model, Optional.empty(), width);

        List<List<Integer>> guessed = answers(model, Optional.of(guessing), width);

        assertEquals(plain, guessed, "forgets " + forgets + ", width " + width);
        assertTrue(guessing.closed, "it is closed, in the end or when it fails");
        // With a measured draft length, speculation may have been off before the fault.
        if (width.isPresent()) {
            assertFalse(guessing.calls <= GOOD, "it was asked " + guessing.calls + " times");
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 3, 5, 8, 12})
    void badDraftTokensDoNotChangeTheOutput(Fault fault) throws Exception {
        for (boolean forgets : new boolean[] {false, true}) {
            for (OptionalInt width : List.of(OptionalInt.of(MOST), OptionalInt.empty())) {
                Guessing guessing =
                        new Guessing() {
                            @Override
                            List<Draft> fault(List<DraftRequest> sequences) {
                                return fault.propose(sequences);
                            }
                        };

                requireSameAnswers(guessing, forgets, width);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void misbehavingSpeculatorDoesNotChangeTheOutput(Manner manner) throws Exception {
        for (boolean forgets : new boolean[] {false, true}) {
            Guessing guessing = manner.make();

            requireSameAnswers(guessing, forgets, OptionalInt.of(MOST));
        }
    }
}

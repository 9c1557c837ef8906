package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * Scenarios that compare pipelines of devices that compute at the same time to one device with all
 * layers, in simulated time. All answers are those of one device.
 */
public final class PipelineThroughput {
    private static final long MICRO = 1_000;

    /** Rows of decode cost more than the weights, as with experts or long contexts. */
    private static final PipelineLoad.Costs ROWS =
            new PipelineLoad.Costs(2_000 * MICRO, 4_000 * MICRO, 100 * MICRO);

    /** Weights cost more than rows, as with a dense model and short contexts. */
    private static final PipelineLoad.Costs WEIGHTS =
            new PipelineLoad.Costs(10_000 * MICRO, 100 * MICRO, 50 * MICRO);

    /** Ratios of rates that differ only by the time of the engine's thread. */
    private static final double SAME = 0.99;

    private PipelineThroughput() {}

    /** A scenario that compares rates. */
    private abstract static class Comparison implements Scenario {
        private Simulation simulation;

        @Override
        public final void run(Simulation run) throws Exception {
            simulation = run;
            compare();
        }

        abstract void compare() throws Exception;

        /** Records both rates in the trace, and checks that the answers are the same. */
        final void requireSameAnswers(
                String what, PipelineLoad.Rates one, PipelineLoad.Rates found) {
            simulation.event(what + ": one device " + one.text() + "; found " + found.text());
            assertEquals(one.answers(), found.answers(), what);
        }

        final void requireRatio(String what, double least, double found) {
            String ratio = String.format(Locale.ROOT, "%s: %.3f times", what, found);
            simulation.event(ratio);
            assertTrue(found >= least, () -> ratio + ", expected at least " + least);
        }

        final double decodeRatio(int streams, PipelineLoad.Costs costs, Double... shares)
                throws Exception {
            PipelineLoad.Rates one = PipelineLoad.of(costs, 1.0).decode(streams);
            PipelineLoad.Rates found = PipelineLoad.of(costs, shares).decode(streams);
            requireSameAnswers(streams + " streams", one, found);
            return found.decode() / one.decode();
        }
    }

    /** Two devices with half of the layers each decode. */
    public static final class Decode extends Comparison {
        /** Half of the rows at a time, on two devices: (2 + 4 n) / (2 + 4 n / 2). */
        private static final Map<Integer, Double> LEAST =
                Map.of(1, SAME, 2, 1.6, 3, 1.35, 4, 1.75, 8, 1.8, 16, 1.9, 64, 1.95);

        @Override
        void compare() throws Exception {
            for (int streams : LEAST.keySet().stream().sorted().toList()) {
                requireRatio(
                        streams + " streams",
                        LEAST.get(streams),
                        decodeRatio(streams, ROWS, 0.5, 0.5));
            }
        }
    }

    /** Weights limit the gain; it is never a loss. */
    public static final class DecodeOfWeights extends Comparison {
        @Override
        void compare() throws Exception {
            for (int streams : new int[] {1, 3, 8, 64}) {
                requireRatio(
                        streams + " streams, 0.5 and 0.5",
                        streams == 64 ? 1.2 : SAME,
                        decodeRatio(streams, WEIGHTS, 0.5, 0.5));
                requireRatio(
                        streams + " streams, 0.8 and 0.2",
                        SAME,
                        decodeRatio(streams, WEIGHTS, 0.8, 0.2));
            }
        }
    }

    /** A device with most of the layers decides; four devices gain more than two. */
    public static final class DecodeOfOtherSplits extends Comparison {
        @Override
        void compare() throws Exception {
            requireRatio("0.8 and 0.2", 1.15, decodeRatio(8, ROWS, 0.8, 0.2));
            requireRatio("0.3 and 0.7", 1.25, decodeRatio(8, ROWS, 0.3, 0.7));
            requireRatio("four", 3, decodeRatio(16, ROWS, 0.25, 0.25, 0.25, 0.25));
        }
    }

    /** Shards that share processors have the batches of one shard. */
    public static final class SharedProcessors extends Comparison {
        @Override
        void compare() throws Exception {
            PipelineLoad one = PipelineLoad.of(ROWS, 1.0);
            PipelineLoad shared =
                    new PipelineLoad(
                            ROWS, PipelineLoad.of(ROWS, 0.5, 0.5).shares(), false, one.pace());

            PipelineLoad.Rates decode = one.decode(8);
            PipelineLoad.Rates mixed = one.mixed(4, 2, 2048);
            PipelineLoad.Rates sharedDecode = shared.decode(8);
            PipelineLoad.Rates sharedMixed = shared.mixed(4, 2, 2048);

            requireSameAnswers("8 streams", decode, sharedDecode);
            requireSameAnswers("prompts beside 4 streams", mixed, sharedMixed);
            assertEquals(decode.text(), sharedDecode.text());
            assertEquals(mixed.text(), sharedMixed.text());
        }
    }

    /** Two devices with half of the layers each compute prompts. */
    public static final class Prefill extends Comparison {
        @Override
        void compare() throws Exception {
            prompts(1, 16_384, 1.9);
            prompts(8, 2048, 1.9);
            prompts(64, 400, 1.9);
            prompts(64, 100, 1.75);
        }

        private void prompts(int count, int length, double least) throws Exception {
            String what = count + " prompts of " + length + " tokens";
            PipelineLoad.Rates one = PipelineLoad.of(WEIGHTS, 1.0).prefill(count, length);
            PipelineLoad.Rates two = PipelineLoad.of(WEIGHTS, 0.5, 0.5).prefill(count, length);
            requireSameAnswers(what, one, two);
            requireRatio(what, least, two.prefill() / one.prefill());
        }
    }

    /** Prompts beside streams, in shared batches and in batches of their own. */
    public static final class Mixed extends Comparison {
        private static final int GAP_MILLIS = 150;

        @Override
        void compare() throws Exception {
            for (int streams : new int[] {1, 4, 16}) {
                prompts(streams, true, 1.8);
                prompts(streams, false, 1.1);
            }
        }

        private void prompts(int streams, boolean mixes, double least) throws Exception {
            EngineOptions.PrefillScheduling pace =
                    new EngineOptions.PrefillScheduling(Duration.ofMillis(GAP_MILLIS), mixes);
            PipelineLoad two = PipelineLoad.of(ROWS, 0.5, 0.5);
            PipelineLoad.Rates one =
                    new PipelineLoad(ROWS, PipelineLoad.of(ROWS, 1.0).shares(), true, pace)
                            .mixed(streams, 2, 4096);
            PipelineLoad.Rates found =
                    new PipelineLoad(ROWS, two.shares(), true, pace).mixed(streams, 2, 4096);
            String what = streams + " streams, " + (mixes ? "shared batches" : "own batches");
            requireSameAnswers(what, one, found);
            requireRatio("prefill beside " + what, least, found.prefill() / one.prefill());
            assertTrue(found.gapMillis() < GAP_MILLIS, () -> what + ": " + found.text());
        }
    }
}

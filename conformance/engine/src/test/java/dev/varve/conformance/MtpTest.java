package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Claim;
import dev.varve.testkit.NextTokenOracle;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** A block for multi-token prediction drafts the tokens that libllama gives for it. */
@Timeout(300)
class MtpTest {
    private static final int CONTEXT = 600;
    private static final int MOST = 4;

    /** Logits lie several units apart; keys and values in half precision cost this. */
    private static final double CLOSE = 0.05;

    @TempDir static Path folder;

    /** Random tokens and what the trunk is said to have made of them. */
    private static final class Text implements TokenHistory {
        final long sequence;
        final int[] tokens;
        final float[] states;
        int size = 1;

        Text(MtpModels spec, long sequence, int length) {
            this.sequence = sequence;
            SplittableRandom random = new SplittableRandom(TestSeed.of(sequence));
            tokens = random.ints(length + 1, 0, spec.vocabulary()).toArray();
            states = new float[length * spec.width()];
            for (int i = 0; i < states.length; i++) {
                states[i] = 3 * (float) random.nextGaussian();
            }
        }

        /** Some tokens more, between columns of others. */
        HiddenStates extend(int count, int layer) {
            int width = states.length / (tokens.length - 1);
            float[] values = new float[(count + 2) * width];
            Arrays.fill(values, Float.NaN);
            System.arraycopy(states, (size - 1) * width, values, width, count * width);
            int first = size - 1;
            size += count;
            return new HiddenStates(
                    sequence, first, count, List.of(new HiddenStates.Layer(layer, values, 1)));
        }

        DraftRequest request(int most) {
            return new DraftRequest(sequence, this, most);
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public int get(int position) {
            if (position >= size) {
                throw new IndexOutOfBoundsException(position);
            }
            return tokens[position];
        }
    }

    private record Opened(MtpSpeculator speculator, MtpModels spec, int layer)
            implements AutoCloseable {
        static Opened of(MtpModels spec) throws Exception {
            return of(spec, WeightResidency.PERSISTENT);
        }

        static Opened of(MtpModels spec, WeightResidency residency) throws Exception {
            MtpFile file = spec.block(folder);
            return new Opened(
                    MtpSpeculator.open(
                            file,
                            new SpeculationTarget.Limits(CONTEXT, 3, MOST),
                            Cpu.device(),
                            new DflashSettings(residency, FlashAttention.AUTO)),
                    spec,
                    file.captures().getFirst());
        }

        void extend(Text text, int count) {
            speculator.observe(text.extend(count, layer), text);
        }

        int[] guess(Text text, int most) {
            return speculator.propose(List.of(text.request(most))).getFirst().tokens();
        }

        @Override
        public void close() {
            speculator.close();
        }
    }

    @ParameterizedTest
    @EnumSource(MtpModels.class)
    @Proves(Claim.MTP)
    void draftTokensMatchLibllama(MtpModels spec) throws Exception {
        try (Opened opened = Opened.of(spec);
                NextTokenOracle oracle = NextTokenOracle.open(spec.write(folder), CONTEXT)) {
            Text text = new Text(spec, 5, 400);
            for (int more : new int[] {1, 16, 1, 2, 5, 300, 3}) {
                opened.extend(text, more);

                int[] draftTokens = opened.guess(text, MOST);

                assertEquals(MOST, draftTokens.length);
                requireLikely(oracle, spec, text, draftTokens);
            }
        }
    }

    /**
     * The oracle appends each draft token to the text, beside the state that libllama made there.
     */
    private static void requireLikely(
            NextTokenOracle oracle, MtpModels spec, Text text, int[] draftTokens) throws Exception {
        int width = spec.width();
        int[] tokens = Arrays.copyOf(text.tokens, text.size());
        float[] states = spec.normed(folder, text.states, text.size() - 1);
        for (int i = 0; i < draftTokens.length; i++) {
            NextTokenOracle.Made made = oracle.last(tokens, states);
            float best = Float.NEGATIVE_INFINITY;
            for (float logit : made.logits()) {
                best = Math.max(best, logit);
            }
            String what = "guess " + i + " behind " + text.size() + " tokens";
            assertTrue(best > 4, what + ": logits are flat: " + best);
            assertEquals(best, made.logits()[draftTokens[i]], CLOSE, what);
            tokens = Arrays.copyOf(tokens, tokens.length + 1);
            tokens[tokens.length - 1] = draftTokens[i];
            states = Arrays.copyOf(states, states.length + width);
            System.arraycopy(made.state(), 0, states, states.length - width, width);
        }
    }

    @ParameterizedTest
    @EnumSource(MtpModels.class)
    void stateDoesNotDependOnTheNumberOfAcceptedTokens(MtpModels spec) throws Exception {
        int[] first = {40, 300};
        for (int begin : first) {
            for (int right = 0; right <= MOST; right++) {
                int[] stepwise;
                try (Opened opened = Opened.of(spec)) {
                    Text text = new Text(spec, 9, 400);
                    opened.extend(text, begin);
                    opened.guess(text, MOST);
                    // Asked for once more without anything new.
                    opened.guess(text, MOST);
                    opened.extend(text, right + 1);
                    opened.guess(text, 1);
                    opened.extend(text, 1);
                    stepwise = opened.guess(text, MOST);
                }
                try (Opened opened = Opened.of(spec)) {
                    Text text = new Text(spec, 9, 400);
                    opened.extend(text, begin + right + 2);

                    assertArrayEquals(opened.guess(text, MOST), stepwise, right + " were right");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MtpModels.class)
    void sequencesAreIndependent(MtpModels spec) throws Exception {
        List<List<int[]>> alone = new ArrayList<>();
        for (long sequence = 1; sequence <= 3; sequence++) {
            alone.add(new ArrayList<>());
            try (Opened opened = Opened.of(spec)) {
                Text text = new Text(spec, sequence, 400);
                for (int step = 0; step < 5; step++) {
                    opened.extend(text, more(sequence, step));
                    alone.getLast().add(opened.guess(text, MOST));
                }
            }
        }
        try (Opened opened = Opened.of(spec)) {
            // A sequence does not see the rows that earlier sequences left. A new sequence begins
            // without a state.
            Text earlier = new Text(spec, 99, 400);
            opened.extend(earlier, 350);
            opened.guess(earlier, MOST);
            opened.speculator().forget(99);
            List<Text> texts =
                    LongStream.rangeClosed(1, 3).mapToObj(i -> new Text(spec, i, 400)).toList();
            for (int step = 0; step < 5; step++) {
                for (Text text : texts) {
                    opened.extend(text, more(text.sequence, step));
                }
                List<Draft> drafts =
                        opened.speculator()
                                .propose(texts.stream().map(text -> text.request(MOST)).toList());
                for (int i = 0; i < 3; i++) {
                    assertArrayEquals(alone.get(i).get(step), drafts.get(i).tokens());
                }
            }
            Text late = new Text(spec, 4, 400);
            opened.extend(late, 20);
            assertEquals(0, opened.guess(late, MOST).length, "no room for a fourth one");
        }
    }

    private static int more(long sequence, int step) {
        return step == 0 ? (int) sequence * 9 : 1 + (int) (sequence + step) % 4;
    }

    @ParameterizedTest
    @EnumSource(WeightResidency.class)
    void afterAGapNothingIsDraftedUntilEnoughFeaturesAreKnown(WeightResidency residency)
            throws Exception {
        try (Opened opened = Opened.of(MtpModels.DENSE, residency)) {
            MtpSpeculator speculator = opened.speculator();
            Text text = new Text(MtpModels.DENSE, 5, 400);
            assertEquals(0, opened.guess(text, MOST).length, "nothing was seen");
            opened.extend(text, 40);
            assertEquals(MOST, opened.guess(text, MOST).length);
            text.extend(1, opened.layer());
            assertEquals(0, opened.guess(text, MOST).length, "the last state was not seen");
            // The first state only stands beside the next token.
            for (int i = 1; i <= 17; i++) {
                opened.extend(text, 1);
                assertEquals(i < 17 ? 0 : MOST, opened.guess(text, MOST).length, i + " seen");
            }
            assertTrue(speculator.bytes() > 0);
            speculator.forget(5);
            assertEquals(residency == WeightResidency.PERSISTENT, speculator.bytes() > 0);
            assertEquals(0, opened.guess(text, MOST).length, "it was forgotten");
        }
    }

    /** Attention goes by distances, so what comes behind a gap is a text of its own. */
    @Test
    void afterAGapDraftsUseTheFeaturesBehindIt() throws Exception {
        MtpModels spec = MtpModels.DENSE;
        try (Opened opened = Opened.of(spec);
                NextTokenOracle oracle = NextTokenOracle.open(spec.write(folder), CONTEXT)) {
            Text text = new Text(spec, 5, 400);
            opened.extend(text, 40);
            text.extend(9, opened.layer());
            opened.extend(text, 30);

            int guess = opened.guess(text, 1)[0];

            // The first row is that of the token behind the first state that was seen.
            float[] normed = spec.normed(folder, text.states, text.size() - 1);
            float[] logits =
                    oracle.last(
                                    Arrays.copyOfRange(text.tokens, 50, text.size()),
                                    Arrays.copyOfRange(normed, 50 * spec.width(), normed.length))
                            .logits();
            for (float logit : logits) {
                assertTrue(logits[guess] > logit - CLOSE, logit + " is above " + logits[guess]);
            }
        }
    }
}

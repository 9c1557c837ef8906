package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator.Conduct;
import dev.varve.platform.draft.DflashSpeculator.Residency;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.NextTokenOracle;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What a block for multi-token prediction guesses is what libllama makes of it. */
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
            SplittableRandom random = new SplittableRandom(sequence);
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
            return of(spec, Residency.PERSISTENT);
        }

        static Opened of(MtpModels spec, Residency residency) throws Exception {
            MtpFile file = spec.block(folder);
            return new Opened(
                    MtpSpeculator.open(
                            file,
                            new SpeculationTarget.Limits(CONTEXT, 3, MOST),
                            Cpu.device(),
                            new Conduct(residency, FlashAttention.AUTO)),
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
    void guessesAreThoseOfLibllama(MtpModels spec) throws Exception {
        try (Opened opened = Opened.of(spec);
                NextTokenOracle oracle = NextTokenOracle.open(spec.write(folder), CONTEXT)) {
            Text text = new Text(spec, 5, 400);
            for (int more : new int[] {1, 16, 1, 2, 5, 300, 3}) {
                opened.extend(text, more);
                if (text.size() == 2) {
                    continue;
                }

                int[] guesses = opened.guess(text, 1);

                int rows = text.size();
                float[] normed = spec.normed(folder, text.states, rows - 1);
                float[][] logits = oracle.logits(Arrays.copyOf(text.tokens, rows), normed);
                float[] last = logits[rows - 1];
                double best =
                        IntStream.range(0, last.length)
                                .mapToDouble(i -> last[i])
                                .max()
                                .orElseThrow();
                assertEquals(1, guesses.length);
                assertEquals(best, last[guesses[0]], CLOSE, "after " + rows + " tokens");
            }
        }
    }
}

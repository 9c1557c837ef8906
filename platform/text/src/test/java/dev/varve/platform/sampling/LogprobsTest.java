package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;

final class LogprobsTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 511, 513, 3000})
    void logprobsMatchTheLogSoftmaxInDouble(int size) {
        float[] logits = SamplerTest.gaussian(size + 5, 4, new Random(size));
        double total = IntStream.range(5, size + 5).mapToDouble(i -> Math.exp(logits[i])).sum();
        List<Integer> ranked =
                IntStream.range(0, size)
                        .boxed()
                        .sorted(Comparator.comparingDouble(token -> -logits[5 + token]))
                        .limit(20)
                        .toList();

        TokenLogprobs actual =
                new Sampler(SamplingOptions.greedy(), size).logprobs(logits, 5, size / 2, 20);

        // rounding to float at magnitudes up to 32
        float tolerance = 2e-6f;
        assertEquals((float) (logits[5 + size / 2] - Math.log(total)), actual.chosen(), tolerance);
        assertEquals(ranked, actual.top().stream().map(TokenLogprobs.Alternative::id).toList());
        for (TokenLogprobs.Alternative alternative : actual.top()) {
            assertEquals(
                    logits[5 + alternative.id()] - Math.log(total),
                    alternative.logprob(),
                    tolerance);
        }
    }

    @Test
    void allTogetherSumToOne() {
        float[] row = SamplerTest.gaussian(2000, 3, new Random(3));

        TokenLogprobs all = new Sampler(SamplingOptions.greedy(), 2000).logprobs(row, 0, 0, 5000);

        assertEquals(2000, all.top().size());
        assertEquals(1, all.top().stream().mapToDouble(a -> Math.exp(a.logprob())).sum(), 1e-5);
    }

    @Test
    void tiesAreOrderedById() {
        float[] row = new float[1500];
        row[1400] = 1;
        row[900] = 1;

        TokenLogprobs actual = new Sampler(SamplingOptions.greedy(), 1500).logprobs(row, 0, 0, 4);

        assertEquals(
                List.of(900, 1400, 0, 1),
                actual.top().stream().map(TokenLogprobs.Alternative::id).toList());
    }

    @Test
    void logprobsIgnoreTemperaturePenaltiesBiasAndSuppression() {
        float[] row = SamplerTest.gaussian(50, 2, new Random(4));
        SamplingOptions options =
                new SamplingOptions(
                        0.2f,
                        new SamplingOptions.Cutoffs(3, 0.5f, 0.1f),
                        new SamplingOptions.Penalties(2, 1, 1),
                        OptionalLong.of(1),
                        Map.of(3, 50f));
        Sampler sampler = new Sampler(options, 50, new int[] {7});
        sampler.accept(sampler.sample(row, 0));

        TokenLogprobs actual = sampler.logprobs(row, 0, 7, 50);

        assertEquals(new Sampler(SamplingOptions.greedy(), 50).logprobs(row, 0, 7, 50), actual);
    }

    @Test
    void noneAreListedUnlessRequested() {
        TokenLogprobs actual =
                new Sampler(SamplingOptions.greedy(), 3).logprobs(new float[3], 0, 1, 0);

        assertTrue(actual.top().isEmpty());
        assertEquals((float) -Math.log(3), actual.chosen(), 1e-6f);
    }
}

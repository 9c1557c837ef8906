package dev.varve.conformance;

import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TestSeed;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A sequence of random tokens and hidden states. */
final class DraftText implements TokenHistory {
    private final Qwen35Model.Size target;
    final long sequence;
    final List<Integer> tokens = new ArrayList<>();
    final List<float[]> features = new ArrayList<>();
    final SplittableRandom random;
    final float scale;

    DraftText(Qwen35Model.Size target, long sequence) {
        this(target, sequence, sequence, 1);
    }

    /**
     * Creates a text whose states are those of another one with the seed, multiplied by a scale.
     */
    DraftText(Qwen35Model.Size target, long sequence, long seed, float scale) {
        this.target = target;
        this.sequence = sequence;
        this.scale = scale;
        random = new SplittableRandom(TestSeed.of(seed));
        tokens.add(random.nextInt(target.vocabulary()));
    }

    /** Some tokens more, whose states are those of the ones before. */
    HiddenStates extend(int count, List<Integer> captures) {
        int first = features.size();
        int width = target.embedding();
        int before = 2;
        List<float[]> all = new ArrayList<>();
        captures.forEach(layer -> all.add(new float[(before + count) * width]));
        for (int i = 0; i < count; i++) {
            float[] row = new float[captures.size() * width];
            for (int j = 0; j < row.length; j++) {
                row[j] = scale * (float) random.nextGaussian();
                all.get(j / width)[(before + i) * width + j % width] = row[j];
            }
            features.add(row);
            tokens.add(random.nextInt(target.vocabulary()));
        }
        List<HiddenStates.Layer> layers =
                IntStream.range(0, captures.size())
                        .mapToObj(i -> new HiddenStates.Layer(captures.get(i), all.get(i), before))
                        .toList();
        return new HiddenStates(sequence, first, count, layers);
    }

    DraftRequest request(int most) {
        return new DraftRequest(sequence, this, most);
    }

    @Override
    public int size() {
        return tokens.size();
    }

    @Override
    public int get(int position) {
        return tokens.get(position);
    }
}

package dev.varve.conformance;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.testkit.Await;

import java.nio.file.Path;
import java.util.List;

/** A random model whose second half is in a process that a test can harm. */
final class FragileModel implements AutoCloseable {
    private static final List<String> WHOLE = List.of("cpu:0", "cpu:0");
    private static final List<String> FRAGILE = List.of("cpu:0", "cpu:0@process");

    private final RandomModel spec;
    private final SplitModel split;
    private final int cut;
    private final ModelSettings settings;
    private final FragileLink link;
    private final LoadedModel model;

    private FragileModel(
            RandomModel spec, SplitModel split, ModelSettings settings, FragileLink link) {
        this.spec = spec;
        this.split = split;
        this.settings = settings;
        this.link = link;
        cut = split.cuts().getLast();
        model = split.load(settings, FRAGILE, cut);
    }

    static FragileModel load(
            RandomModel spec, Path folder, ModelSettings settings, FragileLink link)
            throws Exception {
        Path file = spec.write(folder);
        SplitModel split = SplitModel.of(file, settings, BoundaryType.F32, device -> link);
        return new FragileModel(spec, split, settings, link);
    }

    FragileLink link() {
        return link;
    }

    Engine engine() {
        return model.engine();
    }

    int[] tokens(int count, long seed) {
        return spec.tokens(count, seed);
    }

    /**
     * Returns the answers of an undisturbed model, all of it in this process, to each prompt alone.
     */
    int[][] undisturbed(int count, SamplingOptions sampling, int[]... prompts) throws Exception {
        int[][] answers = new int[prompts.length][];
        for (int i = 0; i < prompts.length; i++) {
            try (LoadedModel whole = split.load(settings, WHOLE, cut)) {
                answers[i] = Answer.ask(whole.engine(), prompts[i], 0, count, sampling).tokens();
            }
        }
        return answers;
    }

    /** Health of the part in the other process. */
    ShardHealth health() {
        return model.shards().getLast().health();
    }

    /** Waits until the health has a state. */
    void awaitHealth(State state) {
        Await.value(state.name(), this::health, health -> health.state() == state);
    }

    /** Waits until the part was lost and is back for the {@code count}th time. */
    void awaitRestarts(int count) {
        Await.value(
                count + " restarts",
                this::health,
                health -> health.state() == State.READY && health.restarts() == count);
    }

    @Override
    public void close() {
        model.close();
    }
}

package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphProperties;
import dev.varve.api.model.LayerRange;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.OpenedModel;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The graphs of decode steps stay the same, address by address, from one multiple of 256 positions
 * to the next: a device that captures graphs captures them only there.
 */
class SteadyGraphTest {
    private static final int CONTEXT = 1024;
    private static final int PROMPT = 250;

    /** Enough to pass two multiples of 256. */
    private static final int ANSWER = 270;

    @TempDir static Path folder;

    /** Compares the graphs of each step with those of the step before. */
    private static final class Steps {
        private final int shards;
        private List<GraphProperties> before = List.of();
        private List<GraphProperties> step = new ArrayList<>();
        private int steps;
        private int changes;
        private final List<String> unexpected = new ArrayList<>();

        Steps(int shards) {
            this.shards = shards;
        }

        synchronized void add(Graph graph) {
            step.add(GraphProperties.of(graph));
            if (step.size() == shards) {
                compare();
                before = step;
                step = new ArrayList<>();
                steps++;
            }
        }

        private void compare() {
            if (before.isEmpty()) {
                return;
            }
            boolean changed = false;
            for (int shard = 0; shard < shards; shard++) {
                var difference = before.get(shard).difference(step.get(shard));
                changed |= difference.isPresent();
                if (difference.isPresent() && Arrays.equals(blocks(before), blocks(step))) {
                    unexpected.add("shard " + shard + ", step " + steps + ": " + difference.get());
                }
            }
            changes += changed ? 1 : 0;
        }

        /** The block of the position of each column; columns that leave shorten the array. */
        private static int[] blocks(List<GraphProperties> graphs) {
            return graphs.stream()
                    .map(GraphProperties::positions)
                    .filter(positions -> positions.length > 0)
                    .findFirst()
                    .stream()
                    .flatMapToInt(Arrays::stream)
                    .map(position -> position / KvSlotSpan.BLOCK)
                    .toArray();
        }

        /** The processor as a device whose decode graphs are compared. */
        ComputeDevice device() {
            return (ComputeDevice)
                    Proxy.newProxyInstance(
                            SteadyGraphTest.class.getClassLoader(),
                            new Class<?>[] {ComputeDevice.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("compute")
                                        && arguments[1] == Phase.DECODE) {
                                    add((Graph) arguments[0]);
                                }
                                try {
                                    return method.invoke(Cpu.oneThread(), arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }
    }

    @ParameterizedTest
    @EnumSource(Family.class)
    void theGraphOfOneSequenceStaysTheSame(Family family) throws Exception {
        Steps steps = new Steps(1);

        GraphCounts.PhaseCounts counts = decode(family, steps, 1, false);

        assertEquals(List.of(), steps.unexpected);
        assertEquals(ANSWER - 1, steps.steps);
        assertEquals(2, steps.changes);
        assertTrue(counts.recorded() >= 3 && counts.reused() >= ANSWER - 4, counts.toString());
    }

    @ParameterizedTest
    @SomeFamilies(first = 0)
    void theGraphOfFourSequencesStaysTheSame(Family family) throws Exception {
        Steps steps = new Steps(1);

        decode(family, steps, 4, false);

        assertEquals(List.of(), steps.unexpected);
        assertTrue(steps.changes >= 2, steps.changes + " changes");
    }

    @ParameterizedTest
    @SomeFamilies(first = 1)
    void theGraphsOfTwoRangesStayTheSame(Family family) throws Exception {
        Steps steps = new Steps(2);

        decode(family, steps, 1, true);

        assertEquals(List.of(), steps.unexpected);
        assertEquals(ANSWER - 1, steps.steps);
        assertEquals(2, steps.changes);
    }

    /** Answers prompts of slightly different lengths together; returns the counters of decode. */
    private static GraphCounts.PhaseCounts decode(
            Family family, Steps steps, int parallel, boolean split) throws Exception {
        RandomModel spec = family.odd(family.quantisableSeed());
        Path file = spec.write(folder);
        ModelSettings settings = Cpu.settings(CONTEXT, parallel, Cpu.F16);
        OpenedModel model = Cpu.open(file, settings.modelOptions());
        int layers = model.shape().layerCount();
        int cut = split ? Cpu.legalCuts(file)[0] : layers;
        List<LayerRange> ranges = new ArrayList<>(List.of(new LayerRange(0, cut)));
        if (split) {
            ranges.add(new LayerRange(cut, layers));
        }
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < parallel; i++) {
            answers.add(Answer.of(spec.tokens(PROMPT + 3 * i, i), ANSWER));
        }
        try (LoadedModel loaded =
                LoadedModel.load(
                        model,
                        steps.device(),
                        settings,
                        ranges,
                        LoadedModel.EngineComponents.NONE)) {
            Answer.submit(loaded.engine(), answers);
            for (Answer answer : answers) {
                answer.end();
            }
            return loaded.engine().status().shards().stream()
                    .map(ShardStatus::work)
                    .map(ShardStatus.ForwardTotals::graphs)
                    .reduce(GraphCounts.NONE, GraphCounts::plus)
                    .decode();
        }
    }
}

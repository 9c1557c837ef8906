package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Forecasts of a plan that measures devices in simulated time, compared with an engine over shards
 * on the same devices.
 */
public final class ForecastScenarios {
    private static final double TOLERANCE = 0.2;

    /** A long prompt: the forecast leaves out that the last device waits for the first chunk. */
    private static final int PROMPT = 16 * StepTime.CHUNK;

    private static final int TOKENS = 128;
    private static final int CONTEXT = KvSlotSpan.roundUp(PROMPT + TOKENS);
    private static final long PLENTY = 1L << 30;

    /** Recurrent layers and such with a window take a third of the time of others. */
    private static final PlainModel MODEL =
            PlainModel.seeded(
                    List.of(
                            PlainModel.full(),
                            PlainModel.recurrent(),
                            PlainModel.sliding(6),
                            PlainModel.full(),
                            PlainModel.recurrent(),
                            PlainModel.full()),
                    CONTEXT,
                    4713);

    private ForecastScenarios() {}

    /**
     * Speed of a device, in nanoseconds.
     *
     * @param step of each step, whatever its tokens and layers
     * @param layer of a layer with full attention, whatever its tokens
     * @param token of each token in such a layer
     */
    private record Speed(long step, long layer, long token) {
        long of(LayerRange range, int tokens) {
            double layers = 0;
            for (int i = range.begin(); i < range.end(); i++) {
                LayerState state = MODEL.shape().layers().get(i);
                layers += state instanceof LayerState.FullAttention ? 1 : 1 / 3.0;
            }
            return step + (long) (layers * (layer + tokens * token));
        }
    }

    /** A shard that takes the time of its device for each batch, and computes nothing. */
    private static final class SimulatedTimeShard extends FakeShard {
        private final Simulation simulation = Simulation.current();
        private final Speed speed;
        private final EmptyShard results;

        SimulatedTimeShard(LayerRange range, String turn, Speed speed) {
            super(range, "timed:" + range.begin(), turn);
            this.speed = speed;
            results = EmptyShard.of(MODEL.shape(), range, turn);
        }

        @Override
        public CompletableFuture<ShardResult> forward(
                Batch batch, Optional<LayerActivations> boundary) {
            simulation.sleep(speed.of(range(), batch.tokens()));
            return results.forward(batch, boundary);
        }
    }

    /** Devices and their layers. */
    private abstract static class Comparison implements Scenario {
        private final String devices;
        private final SplitRule split;
        private final Map<String, Speed> speeds;

        Comparison(String devices, SplitRule split, Map<String, Speed> speeds) {
            this.devices = devices;
            this.split = split;
            this.speeds = speeds;
        }

        @Override
        public final void run(Simulation simulation) throws Exception {
            SplitForecast forecast = forecast();
            GenerationEnd end = generate(forecast.placement());
            require("decode", forecast.decodeTokensPerSecond(), end.decodeTokensPerSecond());
            require("prefill", forecast.prefillTokensPerSecond(), end.prefillTokensPerSecond());
        }

        private SplitForecast forecast() {
            ModelBlocks blocks = ModelBlocks.of(MODEL);
            SplitForecast shards =
                    new SplitPlanner(
                                    MODEL,
                                    () -> blocks,
                                    ModelSettings.single(CONTEXT),
                                    Comparison::info,
                                    device -> measure(device, blocks))
                            .forecast(
                                    PlacementRequest.of(DeviceReference.parseList(devices), split));
            return shards.serving(
                    EngineBenchmark.tokenMillis(MODEL.shape(), EngineProbe.stages(shards)));
        }

        private static DeviceInfo info(DeviceReference device) {
            boolean isProcessor = device.backend().equals("cpu");
            return new DeviceInfo(device.device(), "", PLENTY, PLENTY, isProcessor);
        }

        private static String pool(DeviceReference device) {
            return SplitMemoryPlan.memoryOf(device, info(device));
        }

        private Measurement measure(DeviceReference device, ModelBlocks blocks) {
            DeviceSpeed speed =
                    new BlockBenchmark(MODEL, blocks, range -> shard(range, device), PLENTY)
                            .measure();
            return new Measurement(speed, Instant.EPOCH, Duration.ZERO, OptionalDouble.empty());
        }

        private Shard shard(LayerRange range, DeviceReference device) {
            return new SimulatedTimeShard(range, pool(device), speeds.get(device.device()));
        }

        private GenerationEnd generate(Placement placement) throws InterruptedException {
            EngineOptions options =
                    new EngineOptions(EngineOptions.Capacity.of(CONTEXT, 1, CONTEXT), 1);
            List<Shard> shards =
                    placement.parts().stream()
                            .map(part -> shard(part.range(), part.device()))
                            .toList();
            try (EngineCore engine =
                    EngineCore.start(new ShardPipeline(shards), MODEL.shape(), options)) {
                return end(engine);
            }
        }

        private static GenerationEnd end(EngineCore engine) throws InterruptedException {
            BlockingQueue<GenerationEvent<Integer>> events = new LinkedBlockingQueue<>();
            engine.submit(
                    GenerationRequest.greedy(new int[PROMPT], TOKENS),
                    GenerationEvent.into(events));
            while (true) {
                switch (events.take()) {
                    case GenerationEvent.Prefill<Integer> _, GenerationEvent.Output<Integer> _ -> {}
                    case GenerationEvent.End<Integer>(var end) -> {
                        return end;
                    }
                    case GenerationEvent.Failure<Integer>(var error) -> throw error;
                }
            }
        }

        private static void require(String what, double forecast, double found) {
            String both =
                    String.format(
                            Locale.ROOT,
                            "%s: forecast %.1f tokens/s, found %.1f",
                            what,
                            forecast,
                            found);
            Simulation.current().event(both);
            assertTrue(Math.abs(forecast / found - 1) <= TOLERANCE, both);
        }
    }

    /** One device whose step takes about as long as the server's work for it. */
    public static final class SmallModel extends Comparison {
        /** Creates the scenario. */
        public SmallModel() {
            super("cpu:0", new SplitRule.Equal(), Map.of("cpu:0", new Speed(2_000, 500, 500)));
        }
    }

    /** One device with long steps. */
    public static final class LargeModel extends Comparison {
        /** Creates the scenario. */
        public LargeModel() {
            super(
                    "cpu:0",
                    new SplitRule.Equal(),
                    Map.of("cpu:0", new Speed(200_000, 4_000_000, 90_000)));
        }
    }

    /** Two unlike devices, whose layers an automatic split chooses. */
    public static final class UnlikeDevices extends Comparison {
        /** Creates the scenario. */
        public UnlikeDevices() {
            super(
                    "cuda:0,cpu:0",
                    new SplitRule.Automatic(),
                    Map.of(
                            "cuda:0", new Speed(60_000, 300_000, 20_000),
                            "cpu:0", new Speed(30_000, 1_000_000, 90_000)));
        }
    }

    /** Two shards of a small model on devices of their own, which have threads of their own. */
    public static final class SmallShards extends Comparison {
        /** Creates the scenario. */
        public SmallShards() {
            super(
                    "cuda:0,cuda:1",
                    new SplitRule.Equal(),
                    Map.of(
                            "cuda:0", new Speed(3_000, 1_000, 500),
                            "cuda:1", new Speed(2_000, 500, 500)));
        }
    }

    /** Two shards on the processor, which take turns. */
    public static final class SharedProcessor extends Comparison {
        /** Creates the scenario. */
        public SharedProcessor() {
            super(
                    "cpu:0,cpu:0",
                    new SplitRule.Weights(List.of(2.0, 1.0)),
                    Map.of("cpu:0", new Speed(50_000, 200_000, 80_000)));
        }
    }
}

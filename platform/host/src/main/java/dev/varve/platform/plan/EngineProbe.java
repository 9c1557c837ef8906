package dev.varve.platform.plan;

import dev.varve.api.model.ModelShape;
import dev.varve.platform.engine.EngineCore;

import java.util.List;

/** Measures the server's own time for a token, and caches the result. */
public final class EngineProbe {
    private final ModelShape shape;
    private final MeasurementCache cache;

    /** Creates a probe for one model. */
    public EngineProbe(ModelShape shape, MeasurementCache cache) {
        this.shape = shape;
        this.cache = cache;
    }

    /**
     * Returns the milliseconds that a token takes in addition to the times of its shards.
     *
     * @param forecast its shards
     */
    public double tokenMillis(SplitForecast forecast) {
        List<EngineBenchmark.Stage> stages = stages(forecast);
        return cache.get(
                        new MeasurementCache.Task(key(stages), 0, true),
                        known ->
                                new DeviceSpeed(
                                        new StepTime(EngineBenchmark.tokenMillis(shape, stages), 0),
                                        List.of()))
                .speed()
                .perShard()
                .decodeMillis();
    }

    /** Returns the shards of a forecast. */
    static List<EngineBenchmark.Stage> stages(SplitForecast forecast) {
        return forecast.parts().stream()
                .map(part -> new EngineBenchmark.Stage(part.memory().where().range(), part.pool()))
                .toList();
    }

    private String key(List<EngineBenchmark.Stage> stages) {
        return String.join(
                " | ",
                "engine of " + EngineCore.class.getPackage().getImplementationVersion(),
                "java " + Runtime.version(),
                "processors " + Runtime.getRuntime().availableProcessors(),
                "vocabulary " + shape.vocabularySize(),
                "shards " + stages.stream().map(EngineBenchmark.Stage::pool).toList());
    }
}

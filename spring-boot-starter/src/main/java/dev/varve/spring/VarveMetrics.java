package dev.varve.spring;

import dev.varve.embedded.Varve;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.util.function.ToDoubleFunction;

/**
 * Publishes the load of a model: running, waiting and retried responses.
 *
 * @since 0.1.0
 */
public final class VarveMetrics implements MeterBinder {
    private static final String TAG = "model";

    private final Varve model;

    /** Creates the metrics of a model. */
    public VarveMetrics(Varve model) {
        this.model = model;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(
                registry,
                "varve.responses.running",
                "Responses that are computed",
                each -> each.load().running());
        gauge(
                registry,
                "varve.responses.waiting",
                "Responses in the queue",
                each -> each.load().waiting());
        FunctionCounter.builder("varve.responses.retried", model, each -> each.load().retried())
                .description("Responses that were computed again after a failure")
                .tag(TAG, model.info().name())
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, String name, String help, ToDoubleFunction<Varve> value) {
        Gauge.builder(name, model, value)
                .description(help)
                .tag(TAG, model.info().name())
                .register(registry);
    }
}

package dev.varve.spring;

import dev.varve.embedded.ModelLoad;
import dev.varve.embedded.Varve;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports whether the model accepts requests, and its load.
 *
 * @since 0.1.0
 */
public final class VarveHealthIndicator implements HealthIndicator {
    private final Varve model;

    /** Creates an indicator of a model. */
    public VarveHealthIndicator(Varve model) {
        this.model = model;
    }

    @Override
    public Health health() {
        ModelLoad load = model.load();
        return (load.available() ? Health.up() : Health.down())
                .withDetail("model", model.info().name())
                .withDetail("running", load.running())
                .withDetail("waiting", load.waiting())
                .build();
    }
}

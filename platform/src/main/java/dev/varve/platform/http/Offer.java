package dev.varve.platform.http;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.http.conversation.ConversationAnswers;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.model.ModelFacts;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.ToolSupport;

import java.util.Optional;

/** The model that the server offers, from when it is loaded to the end. Thread-safe. */
final class Offer {
    /** The model, and those who read requests for it. */
    record OfferedModel(ServedModel served, ModelFacts facts, ConversationAnswers answers) {
        static OfferedModel of(ServedModel served, Metrics metrics) {
            ToolSupport tools = ToolSupport.of(served);
            return new OfferedModel(
                    served,
                    new ModelFacts(served, tools),
                    new ConversationAnswers(served, tools, metrics::countFailedCompression));
        }
    }

    private volatile Optional<OfferedModel> model = Optional.empty();
    private volatile boolean draining;
    private final Metrics metrics;

    Offer(Metrics metrics) {
        this.metrics = metrics;
    }

    void ready(ServedModel served) {
        if (served.compressor().isPresent()) {
            metrics.tellCompression();
        }
        model = Optional.of(OfferedModel.of(served, metrics));
    }

    /** Takes no more work. */
    void drain() {
        draining = true;
    }

    boolean isReady() {
        return model.isPresent();
    }

    /** Whether there is a model that takes work. */
    boolean takesWork() {
        return isReady() && !draining;
    }

    /**
     * The model.
     *
     * @throws ApiException a 503 while it loads, and when the server takes no more work
     */
    OfferedModel require() {
        Optional<OfferedModel> offered = model;
        if (draining) {
            throw ApiException.draining();
        }
        return offered.orElseThrow(ApiException::loading);
    }

    /** The status of its engine, also when that takes no more work; empty while it loads. */
    Optional<EngineStatus> status() {
        return model.map(offered -> offered.served().engine().status());
    }
}

package dev.varve.platform.http;

import dev.varve.platform.http.conversation.ConversationPreparer;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.Exposition;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.metrics.ModelSample;
import dev.varve.platform.http.model.ModelInfo;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.ToolSupport;
import dev.varve.platform.http.serving.ModelLease;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelState;
import dev.varve.platform.http.serving.ModelStatus;
import dev.varve.platform.http.serving.RunningModel;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;

/** The models that the server offers, from when the first one is loaded to the end. Thread-safe. */
final class OfferedModels {
    /** A model, and those who read requests for it. */
    record OfferedModel(ServedModel served, ModelInfo facts, ConversationPreparer answers) {
        static OfferedModel of(ServedModel served, Metrics metrics) {
            ToolSupport tools = ToolSupport.of(served);
            String id = served.description().id();
            return new OfferedModel(
                    served,
                    new ModelInfo(served, tools),
                    new ConversationPreparer(
                            served, tools, () -> metrics.countFailedCompression(id)));
        }
    }

    /** A model that stays loaded until this is closed. */
    record Taken(OfferedModel model, ModelLease lease) implements AutoCloseable {
        @Override
        public void close() {
            lease.close();
        }
    }

    private volatile Optional<ModelManager> models = Optional.empty();
    private volatile boolean draining;
    private final Metrics metrics;

    /** Those of loaded models; what was unloaded falls out by itself. */
    private final Map<RunningModel, OfferedModel> offered = new WeakHashMap<>();

    OfferedModels(Metrics metrics) {
        this.metrics = metrics;
    }

    void ready(ModelManager served) {
        // What can be done now need not be done by the first request.
        served.defaultModel().flatMap(ModelStatus::running).ifPresent(this::offered);
        models = Optional.of(served);
    }

    /** Takes no more work. */
    void drain() {
        draining = true;
    }

    boolean isReady() {
        return models.isPresent();
    }

    /** Whether there is a model that takes work. */
    boolean takesWork() {
        return isReady() && !draining;
    }

    /**
     * The models.
     *
     * @throws ApiException a 503 while the first one loads, and when the server takes no more work
     */
    ModelManager require() {
        Optional<ModelManager> ready = models;
        if (draining) {
            throw ApiException.draining();
        }
        return ready.orElseThrow(ApiException::loading);
    }

    /** Whether a request has to say which model it means before it is read. */
    boolean isChoice() {
        return require().areSeveral();
    }

    /**
     * Checks that the name in a body means a model.
     *
     * @throws ApiException a 404 if it does not
     */
    void requireKnown(ObjectNode body) {
        require().require(RequestedModel.in(body));
    }

    /** Id of the model that a name means; {@code ""} if that is not known. */
    String idOf(Optional<String> name) {
        return models.flatMap(all -> all.idOf(name)).orElse("");
    }

    /**
     * Takes the model that a request names, which may have to be loaded.
     *
     * @param gone whether the client went away
     */
    Taken take(Optional<String> name, BooleanSupplier gone)
            throws IOException, InterruptedException {
        ModelLease lease = require().acquire(name, gone);
        try {
            return new Taken(offered(lease.model()), lease);
        } catch (RuntimeException | Error e) {
            lease.close();
            throw e;
        }
    }

    /**
     * The model that a name means, or the default one.
     *
     * @throws ApiException a 404 if there is none
     */
    ModelStatus view(Optional<String> name) {
        ModelManager all = require();
        return name.map(all::find).orElseGet(all::defaultModel).orElseThrow(all::unknown);
    }

    /** Its facts, if it is loaded. */
    Optional<ModelInfo> facts(ModelStatus view) {
        return view.running().map(running -> offered(running).facts());
    }

    /** All models that are loaded. */
    List<ServedModel> loaded() {
        return require().views().stream()
                .flatMap(view -> view.running().stream())
                .map(RunningModel::served)
                .toList();
    }

    private OfferedModel offered(RunningModel running) {
        synchronized (offered) {
            return offered.computeIfAbsent(
                    running,
                    fresh -> {
                        String id = fresh.served().description().id();
                        // Its series begin at 0, so that a rate is not missing its first step.
                        metrics.of(id);
                        if (fresh.served().compressor().isPresent()) {
                            metrics.tellCompression(id);
                        }
                        return OfferedModel.of(fresh.served(), metrics);
                    });
        }
    }

    /**
     * All metrics, also when no more work is taken.
     *
     * @param accept header of that name, if there is one
     */
    Exposition metrics(Optional<String> accept) {
        return metrics.expose(
                models.map(ModelManager::known).orElse(List.of()).stream()
                        .map(OfferedModels::sample)
                        .toList(),
                accept);
    }

    private static ModelSample sample(ModelStatus view) {
        return new ModelSample(
                view.id(),
                ModelSample.State.valueOf(view.state().name()),
                view.state() == ModelState.READY
                        ? view.running().map(running -> running.served().engine().status())
                        : Optional.empty(),
                new ModelSample.Counts(
                        view.counts().requests(), view.counts().loads(), view.counts().unloads()));
    }
}

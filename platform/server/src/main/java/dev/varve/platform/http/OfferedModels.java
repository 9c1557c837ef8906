package dev.varve.platform.http;

import dev.varve.platform.http.conversation.ConversationPreparer;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.EncodedMetrics;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.metrics.ModelSample;
import dev.varve.platform.http.model.ModelQueries;
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

/** The models that the server serves, from the first load until the server closes. Thread-safe. */
final class OfferedModels {
    /** A model and the objects that read requests for it. */
    record ModelWithReaders(
            ServedModel served, ModelQueries queries, ConversationPreparer preparer) {
        static ModelWithReaders of(ServedModel served, Metrics metrics) {
            ToolSupport tools = ToolSupport.of(served);
            String id = served.description().id();
            return new ModelWithReaders(
                    served,
                    new ModelQueries(served, tools),
                    new ConversationPreparer(
                            served, tools, () -> metrics.countFailedCompression(id)));
        }
    }

    /** A model that stays loaded until this is closed. */
    record AcquiredModel(ModelWithReaders model, ModelLease lease) implements AutoCloseable {
        @Override
        public void close() {
            lease.close();
        }
    }

    private volatile Optional<ModelManager> models = Optional.empty();
    private volatile boolean draining;
    private final Metrics metrics;

    /** Entries of loaded models; an entry is collected after its model is unloaded. */
    private final Map<RunningModel, ModelWithReaders> entries = new WeakHashMap<>();

    OfferedModels(Metrics metrics) {
        this.metrics = metrics;
    }

    void ready(ModelManager served) {
        // Prepared now, so that the first request does not wait for it.
        served.defaultModel().flatMap(ModelStatus::running).ifPresent(this::entries);
        models = Optional.of(served);
    }

    /** Refuses further work. */
    void drain() {
        draining = true;
    }

    boolean isReady() {
        return models.isPresent();
    }

    /** Returns whether a model accepts work. */
    boolean acceptsRequests() {
        return isReady() && !draining;
    }

    /**
     * Returns the models.
     *
     * @throws ApiException a 503 while the first one loads, and while the server drains
     */
    ModelManager require() {
        Optional<ModelManager> ready = models;
        if (draining) {
            throw ApiException.draining();
        }
        return ready.orElseThrow(ApiException::loading);
    }

    /** Returns whether the model name of a request must be read before its body is parsed. */
    boolean hasSeveralModels() {
        return require().areSeveral();
    }

    /**
     * Checks that the name in a body resolves to a model.
     *
     * @throws ApiException a 404 if it does not
     */
    void requireKnown(ObjectNode body) {
        require().require(RequestedModelName.in(body));
    }

    /** Returns the id of the model that a name resolves to; {@code ""} if it resolves to none. */
    String idOf(Optional<String> name) {
        return models.flatMap(all -> all.idOf(name)).orElse("");
    }

    /**
     * Acquires the model that a request names, and loads it if necessary.
     *
     * @param disconnected whether the client disconnected
     */
    AcquiredModel acquire(Optional<String> name, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        ModelLease lease = require().acquire(name, disconnected);
        try {
            return new AcquiredModel(entries(lease.model()), lease);
        } catch (RuntimeException | Error e) {
            lease.close();
            throw e;
        }
    }

    /**
     * Returns the model that a name resolves to, or the default one.
     *
     * @throws ApiException a 404 if there is none
     */
    ModelStatus view(Optional<String> name) {
        ModelManager all = require();
        return name.map(all::find).orElseGet(all::defaultModel).orElseThrow(all::unknown);
    }

    /** Returns the queries about a model, if it is loaded. */
    Optional<ModelQueries> queries(ModelStatus view) {
        return view.running().map(running -> entries(running).queries());
    }

    /** Returns all loaded models. */
    List<ServedModel> loaded() {
        return require().views().stream()
                .flatMap(view -> view.running().stream())
                .map(RunningModel::served)
                .toList();
    }

    private ModelWithReaders entries(RunningModel running) {
        synchronized (entries) {
            return entries.computeIfAbsent(
                    running,
                    fresh -> {
                        String id = fresh.served().description().id();
                        // Series begin at 0, so that a rate includes the first increment.
                        metrics.of(id);
                        if (fresh.served().compressor().isPresent()) {
                            metrics.exposeCompression(id);
                        }
                        return ModelWithReaders.of(fresh.served(), metrics);
                    });
        }
    }

    /**
     * Returns all metrics, also while the server drains.
     *
     * @param accept value of the {@code Accept} header, if present
     */
    EncodedMetrics metrics(Optional<String> accept) {
        return metrics.encode(
                models.map(ModelManager::known).orElse(List.of()).stream()
                        .map(OfferedModels::sample)
                        .toList(),
                accept);
    }

    private static ModelSample sample(ModelStatus view) {
        Optional<ServedModel> served =
                view.state() == ModelState.READY
                        ? view.running().map(RunningModel::served)
                        : Optional.empty();
        return new ModelSample(
                view.id(),
                ModelSample.State.valueOf(view.state().name()),
                served.map(each -> each.engine().status()),
                new ModelSample.Counts(
                        view.counts().requests(), view.counts().loads(), view.counts().unloads()),
                served.flatMap(ServedModel::images).map(images -> images.encoder().counts()));
    }
}

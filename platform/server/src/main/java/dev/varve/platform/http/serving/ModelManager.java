package dev.varve.platform.http.serving;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.model.ServedModel;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Manages the models of a server. A request names a model and holds it until its lease ends. A
 * model that is not loaded is loaded on demand, one at a time; requests that wait for it may be
 * abandoned. If it does not fit, idle models are unloaded, the least recently used first. Owns the
 * models that it loads. Thread-safe.
 */
public final class ModelManager implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** Interval at which a request that waits for a model checks its client's connection. */
    private static final long DISCONNECT_CHECK_MILLIS = 100;

    /**
     * Time for which a load failure is returned without a new attempt, so that retries of clients
     * do not load continuously.
     */
    private static final Duration RETRY_AFTER_FAILURE = Duration.ofSeconds(10);

    private final ModelCatalogue catalogue;
    private final ModelNameResolver names;
    private final IdleTtl idleTtl;
    private final boolean several;
    private final ModelLoader loader;
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();

    /** Includes models whose file is missing while they are in memory. */
    private final Map<String, ManagedModel> slots = new LinkedHashMap<>();

    /** Ids of the existing models, the default one first. */
    private List<String> listed = List.of();

    private boolean closed;

    private ModelManager(
            ModelCatalogue catalogue, ModelNameResolver names, IdleTtl idleTtl, boolean several) {
        this.catalogue = catalogue;
        this.names = Objects.requireNonNull(names);
        this.idleTtl = idleTtl;
        this.several = several;
        loader = new ModelLoader(this::unloadIdle, idleTtl.idle());
        refresh();
    }

    /** Manages one loaded model, which the caller owns and closes. */
    public static ModelManager of(ServedModel served) {
        return of(served, served.description().id(), ModelNameResolver.usual());
    }

    /**
     * Manages one loaded model, which the caller owns and closes.
     *
     * @param title display name
     */
    public static ModelManager of(ServedModel served, String title, ModelNameResolver names) {
        RunningModel running = new RunningModel(served, () -> {});
        ModelOutline outline = ModelOutline.of(served, title);
        ModelManager models =
                new ModelManager(
                        () -> List.of(new PreloadedModel(outline, running)),
                        names.ofOnly(outline.id()),
                        IdleTtl.always(),
                        false);
        models.slots.values().forEach(slot -> models.loaded(slot, running, ""));
        return models;
    }

    /** Manages one model that is loaded on demand. */
    public static ModelManager of(LoadableModel source, ModelNameResolver names, IdleTtl idleTtl) {
        ModelNameResolver only = names.ofOnly(source.outline().id());
        return new ModelManager(() -> List.of(source), only, idleTtl, false);
    }

    /** Manages the models of a catalogue, however many it lists. */
    public static ModelManager several(
            ModelCatalogue catalogue, ModelNameResolver names, IdleTtl idleTtl) {
        return new ModelManager(catalogue, names, idleTtl, true);
    }

    /** Returns whether the server may have several models. */
    public boolean areSeveral() {
        return several;
    }

    /**
     * Completes, with the reason, when the only model fails. With several models a failed one is
     * loaded again when a request names it, and the others continue.
     */
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    /** Returns all models, the default one first. Looks for new files. */
    public List<ModelStatus> views() {
        refresh();
        synchronized (this) {
            return listed.stream().map(id -> slots.get(id).view()).toList();
        }
    }

    /** Returns the known models, the default one first. Reads nothing from disk. */
    public synchronized List<ModelStatus> known() {
        return listed.stream().map(id -> slots.get(id).view()).toList();
    }

    /** Returns the model for requests without a name, if there is any. */
    public synchronized Optional<ModelStatus> defaultModel() {
        return listed.stream().findFirst().map(id -> slots.get(id).view());
    }

    /** Returns the model that a name resolves to. Looks for new files. */
    public Optional<ModelStatus> find(String name) {
        refresh();
        synchronized (this) {
            return resolveId(Optional.of(name)).map(id -> slots.get(id).view());
        }
    }

    /**
     * Checks that a name resolves to a model.
     *
     * @throws ApiException a 404 with the ids of all models
     */
    public void require(Optional<String> name) {
        synchronized (this) {
            resolve(name);
        }
    }

    /** Returns the id of the known model that a name resolves to. */
    public synchronized Optional<String> idOf(Optional<String> name) {
        return resolveId(name);
    }

    /**
     * Acquires a model for a request, and waits until it is loaded.
     *
     * @param name the name in the request; empty for the default model
     * @param disconnected whether the client disconnected
     * @throws ApiException a 404 with the ids of all models, or the load failure
     * @throws IOException if the client disconnected
     */
    public ModelLease acquire(Optional<String> name, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        if (several) {
            refresh();
        }
        ManagedModel slot;
        synchronized (this) {
            slot = resolve(name);
            slot.begin();
            slot.countRequest();
        }
        try {
            return new ModelLease(
                    await(slot, true, disconnected), () -> begin(slot), () -> release(slot));
        } catch (Throwable e) {
            release(slot);
            throw e;
        }
    }

    /**
     * Loads a model before any request names it; unloads no other model for it.
     *
     * @throws VarveException if it cannot be loaded
     * @throws IllegalArgumentException if settings contradict each other
     */
    public void load(String id) throws InterruptedException {
        ManagedModel slot;
        synchronized (this) {
            slot = slots.get(id);
            slot.begin();
        }
        try {
            loading(slot, false).get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException reason
                    ? reason
                    : new IllegalStateException(e.getCause());
        } finally {
            release(slot);
        }
    }

    /**
     * Unloads models whose idle time-to-live has passed, and idle models that the catalogue no
     * longer lists.
     */
    public void unloadIdle() {
        List<RunningModel> unused = new ArrayList<>();
        synchronized (this) {
            for (ManagedModel slot : List.copyOf(slots.values())) {
                boolean over =
                        idleTtl.idle()
                                .filter(time -> !now().isBefore(slot.lastUse().plus(time)))
                                .isPresent();
                if (slot.isIdle() && (over || !listed.contains(slot.id()))) {
                    slot.takeRunning().ifPresent(unused::add);
                }
                removeIfUnused(slot);
            }
        }
        unused.forEach(RunningModel::close);
    }

    /**
     * Refuses new work and waits for running requests.
     *
     * @return whether all requests ended within {@code limit}
     */
    public boolean drain(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        boolean ended = true;
        for (RunningModel model : running()) {
            long left = Math.max(0, end - System.nanoTime());
            ended &= model.served().engine().drain(Duration.ofNanos(left));
        }
        return ended;
    }

    /** Interrupts a load in progress and frees all models. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        loader.close();
        List<RunningModel> rest = new ArrayList<>();
        synchronized (this) {
            slots.values().forEach(slot -> slot.takeRunning().ifPresent(rest::add));
        }
        rest.forEach(RunningModel::close);
    }

    private synchronized List<RunningModel> running() {
        return slots.values().stream().flatMap(slot -> slot.running().stream()).toList();
    }

    private Instant now() {
        return idleTtl.clock().instant();
    }

    private void refresh() {
        List<LoadableModel> found = catalogue.models();
        boolean left;
        synchronized (this) {
            for (LoadableModel source : found) {
                slots.computeIfAbsent(source.outline().id(), id -> new ManagedModel(source))
                        .updateSource(source);
            }
            listed = found.stream().map(source -> source.outline().id()).toList();
            List.copyOf(slots.values()).forEach(this::removeIfUnused);
            left = slots.size() > listed.size();
        }
        if (left) {
            loader.execute(this::unloadIdle);
        }
    }

    private void removeIfUnused(ManagedModel slot) {
        if (slot.isUnused() && !listed.contains(slot.id())) {
            slots.remove(slot.id());
        }
    }

    private ManagedModel resolve(Optional<String> name) {
        return resolveId(name).map(slots::get).orElseThrow(this::unknown);
    }

    private Optional<String> resolveId(Optional<String> name) {
        return name.map(each -> names.resolve(each, listed))
                .orElseGet(() -> listed.stream().findFirst());
    }

    /** Returns the 404 for a name that resolves to no model. */
    public synchronized ApiException unknown() {
        return ApiException.status(
                404,
                "model_not_found",
                "model not found; this server offers "
                        + (listed.isEmpty() ? "none" : String.join(", ", listed)));
    }

    private synchronized void begin(ManagedModel slot) {
        slot.begin();
    }

    private synchronized void release(ManagedModel slot) {
        slot.end(now());
    }

    private RunningModel await(ManagedModel slot, boolean makesRoom, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        CompletableFuture<RunningModel> loading = loading(slot, makesRoom);
        while (true) {
            try {
                return loading.get(DISCONNECT_CHECK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (disconnected.getAsBoolean()) {
                    throw new ClientGoneException(e);
                }
                requireOpen();
            } catch (ExecutionException e) {
                throw refusal(slot, e.getCause());
            }
        }
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw ApiException.draining();
        }
    }

    /** Returns the loaded model, or a future for it; begins to load it if necessary. */
    private synchronized CompletableFuture<RunningModel> loading(
            ManagedModel slot, boolean makesRoom) {
        requireOpen();
        // Check this first: once a reload began, the model of the replaced file must not be used.
        if (slot.loading().isPresent()) {
            return slot.loading().get();
        }
        Optional<RunningModel> usable = slot.usable();
        if (usable.isPresent()) {
            return CompletableFuture.completedFuture(usable.get());
        }
        Optional<RuntimeException> recentFailure =
                slot.failure().flatMap(each -> recentFailure(slot, each));
        if (recentFailure.isPresent()) {
            return CompletableFuture.failedFuture(recentFailure.get());
        }
        CompletableFuture<RunningModel> future = slot.beginLoading();
        loader.execute(() -> load(slot, makesRoom, future));
        return future;
    }

    /**
     * Returns the failure if it still applies. A lack of memory is retried at once: another try is
     * cheap and may succeed.
     */
    private Optional<RuntimeException> recentFailure(
            ManagedModel slot, ManagedModel.Failure failure) {
        boolean isRecent =
                !LoadFailureResponses.isShortOfMemory(failure.reason())
                        && failure.stamp().equals(slot.source().stamp())
                        && now().isBefore(failure.when().plus(RETRY_AFTER_FAILURE));
        return isRecent ? Optional.of(failure.reason()) : Optional.empty();
    }

    private void load(
            ManagedModel slot, boolean makesRoom, CompletableFuture<RunningModel> future) {
        LoadableModel source;
        Optional<RunningModel> replaced;
        synchronized (this) {
            source = slot.source();
            replaced = slot.takeRunning();
        }
        replaced.ifPresent(RunningModel::close);
        String stamp = source.stamp();
        try {
            RunningModel model = loader.load(source, () -> makesRoom && unloadOne());
            loaded(slot, model, stamp);
            future.complete(model);
        } catch (RuntimeException e) {
            failed(slot, e, stamp);
            future.completeExceptionally(e);
        } catch (Error e) {
            failed(slot, new IllegalStateException(e.toString(), e), stamp);
            future.completeExceptionally(e);
            throw e;
        }
    }

    private synchronized void failed(ManagedModel slot, RuntimeException reason, String stamp) {
        slot.failed(new ManagedModel.Failure(reason, now(), stamp));
    }

    private void loaded(ManagedModel slot, RunningModel model, String stamp) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                slot.loaded(model, stamp, now());
            }
        }
        if (late) {
            model.close();
            throw new IllegalStateException("the server shut down while the model was loading");
        }
        model.served()
                .engine()
                .broken()
                .thenAccept(reason -> recordFailure(slot, model, reason, stamp));
    }

    private void recordFailure(
            ManagedModel slot, RunningModel model, VarveException reason, String stamp) {
        if (!several) {
            broken.complete(reason);
            return;
        }
        LOG.log(
                System.Logger.Level.ERROR,
                "model {0}: {1}; the next request for it loads it again",
                slot.id(),
                reason.getMessage());
        synchronized (this) {
            slot.recordFailure(model, new ManagedModel.Failure(reason, now(), stamp));
        }
    }

    /** Unloads the least recently used idle model, if any. */
    private boolean unloadOne() {
        Optional<RunningModel> unused;
        synchronized (this) {
            unused =
                    slots.values().stream()
                            .filter(ManagedModel::isIdle)
                            .min(Comparator.comparing(ManagedModel::lastUse))
                            .flatMap(ManagedModel::takeRunning);
        }
        unused.ifPresent(RunningModel::close);
        return unused.isPresent();
    }

    private synchronized ApiException refusal(ManagedModel slot, Throwable reason) {
        if (closed) {
            return ApiException.draining();
        }
        List<String> others =
                slots.values().stream()
                        .filter(each -> each != slot && each.running().isPresent())
                        .map(ManagedModel::id)
                        .collect(Collectors.toList());
        return LoadFailureResponses.refusal(slot.id(), reason, others);
    }
}

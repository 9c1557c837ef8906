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
 * The models that a server offers. A request names one and has it until its lease ends; one that is
 * not loaded is loaded meanwhile, one at a time, and those that wait for it may leave. If it does
 * not fit, models that nobody uses are unloaded first, the least recently used one before others.
 * Owns what it loads. Thread-safe.
 */
public final class ModelManager implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** How often a request that waits for a model looks at its client. */
    private static final long LOOK_MILLIS = 100;

    /** How long a failure stands, so that clients that try again do not load all the time. */
    private static final Duration FAILURE_STANDS = Duration.ofSeconds(10);

    private final ModelCatalogue catalogue;
    private final ModelNameResolver names;
    private final IdleTtl keeping;
    private final boolean several;
    private final ModelLoader loader;
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();

    /** Also those whose file is gone, while they are in memory. */
    private final Map<String, ModelSlot> slots = new LinkedHashMap<>();

    /** Ids of the models that there are, the default one first. */
    private List<String> listed = List.of();

    private boolean closed;

    private ModelManager(
            ModelCatalogue catalogue, ModelNameResolver names, IdleTtl keeping, boolean several) {
        this.catalogue = catalogue;
        this.names = Objects.requireNonNull(names);
        this.keeping = keeping;
        this.several = several;
        loader = new ModelLoader(this::unloadIdle, keeping.idle());
        look();
    }

    /** One model that is loaded, and belongs to the caller. */
    public static ModelManager of(ServedModel served) {
        return of(served, served.description().id(), ModelNameResolver.usual());
    }

    /**
     * One model that is loaded, and belongs to the caller.
     *
     * @param title name for people
     */
    public static ModelManager of(ServedModel served, String title, ModelNameResolver names) {
        RunningModel running = new RunningModel(served, () -> {});
        ModelOutline outline = ModelOutline.of(served, title);
        ModelManager models =
                new ModelManager(
                        () -> List.of(new PreloadedModelSource(outline, running)),
                        names.ofOnly(outline.id()),
                        IdleTtl.always(),
                        false);
        models.slots.values().forEach(slot -> models.loaded(slot, running, ""));
        return models;
    }

    /** One model that is loaded when it is asked for. */
    public static ModelManager of(ModelSource source, ModelNameResolver names, IdleTtl keeping) {
        ModelNameResolver only = names.ofOnly(source.outline().id());
        return new ModelManager(() -> List.of(source), only, keeping, false);
    }

    /** Several models, or as many as there are. */
    public static ModelManager several(
            ModelCatalogue catalogue, ModelNameResolver names, IdleTtl keeping) {
        return new ModelManager(catalogue, names, keeping, true);
    }

    /** Whether there may be several, so that numbers need to say whose they are. */
    public boolean areSeveral() {
        return several;
    }

    /**
     * Completes, with the reason, when the only model can compute no more. One of several is loaded
     * again when a request names it, and ends nobody else's work.
     */
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    /** All models, the default one first. Looks for new files. */
    public List<ModelStatus> views() {
        look();
        synchronized (this) {
            return listed.stream().map(id -> slots.get(id).view()).toList();
        }
    }

    /** Likewise, as far as they are known: nothing is read from disk. */
    public synchronized List<ModelStatus> known() {
        return listed.stream().map(id -> slots.get(id).view()).toList();
    }

    /** The model that requests without a name get, if there is any. */
    public synchronized Optional<ModelStatus> defaultModel() {
        return listed.stream().findFirst().map(id -> slots.get(id).view());
    }

    /** The model that a name means. Looks for new files. */
    public Optional<ModelStatus> find(String name) {
        look();
        synchronized (this) {
            return meant(Optional.of(name)).map(id -> slots.get(id).view());
        }
    }

    /**
     * Checks that a name means a model.
     *
     * @throws ApiException a 404 with the ids of all models
     */
    public void require(Optional<String> name) {
        synchronized (this) {
            resolve(name);
        }
    }

    /** Id of the model that a name means, as far as is known by now. */
    public synchronized Optional<String> idOf(Optional<String> name) {
        return meant(name);
    }

    /**
     * Takes a model for a request, and waits until it is loaded.
     *
     * @param name what the request says; empty for the default model
     * @param gone whether the client went away
     * @throws ApiException a 404 with the ids of all models, or what makes loading impossible
     * @throws IOException if the client went away
     */
    public ModelLease acquire(Optional<String> name, BooleanSupplier gone)
            throws IOException, InterruptedException {
        if (several) {
            look();
        }
        ModelSlot slot;
        synchronized (this) {
            slot = resolve(name);
            slot.begin();
            slot.countRequest();
        }
        try {
            return new ModelLease(await(slot, true, gone), () -> begin(slot), () -> release(slot));
        } catch (Throwable e) {
            release(slot);
            throw e;
        }
    }

    /**
     * Loads a model before anybody asks for it, beside those that are loaded.
     *
     * @throws VarveException if it cannot be loaded
     * @throws IllegalArgumentException if settings contradict each other
     */
    public void load(String id) throws InterruptedException {
        ModelSlot slot;
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

    /** Unloads what nobody has used for as long as models are kept. */
    public void unloadIdle() {
        List<RunningModel> unused = new ArrayList<>();
        synchronized (this) {
            for (ModelSlot slot : List.copyOf(slots.values())) {
                boolean over =
                        keeping.idle()
                                .filter(time -> !now().isBefore(slot.lastUse().plus(time)))
                                .isPresent();
                if (slot.isIdle() && (over || !listed.contains(slot.id()))) {
                    slot.takeRunning().ifPresent(unused::add);
                }
                forgetIfGone(slot);
            }
        }
        unused.forEach(RunningModel::close);
    }

    /**
     * Refuses new work and waits for what runs.
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

    /** Ends what is being loaded and frees all models. */
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
        return keeping.clock().instant();
    }

    private void look() {
        List<ModelSource> found = catalogue.models();
        boolean left;
        synchronized (this) {
            for (ModelSource source : found) {
                slots.computeIfAbsent(source.outline().id(), id -> new ModelSlot(source))
                        .found(source);
            }
            listed = found.stream().map(source -> source.outline().id()).toList();
            List.copyOf(slots.values()).forEach(this::forgetIfGone);
            left = slots.size() > listed.size();
        }
        if (left) {
            loader.execute(this::unloadIdle);
        }
    }

    private void forgetIfGone(ModelSlot slot) {
        if (slot.isGone() && !listed.contains(slot.id())) {
            slots.remove(slot.id());
        }
    }

    private ModelSlot resolve(Optional<String> name) {
        return meant(name).map(slots::get).orElseThrow(this::unknown);
    }

    private Optional<String> meant(Optional<String> name) {
        return name.map(each -> names.resolve(each, listed))
                .orElseGet(() -> listed.stream().findFirst());
    }

    /** The 404 of a name that means no model. */
    public synchronized ApiException unknown() {
        return ApiException.status(
                404,
                "model_not_found",
                "no such model; this server offers "
                        + (listed.isEmpty() ? "none" : String.join(", ", listed)));
    }

    private synchronized void begin(ModelSlot slot) {
        slot.begin();
    }

    private synchronized void release(ModelSlot slot) {
        slot.end(now());
    }

    private RunningModel await(ModelSlot slot, boolean makesRoom, BooleanSupplier gone)
            throws IOException, InterruptedException {
        CompletableFuture<RunningModel> loading = loading(slot, makesRoom);
        while (true) {
            try {
                return loading.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (gone.getAsBoolean()) {
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

    /** The model, now or later. */
    private synchronized CompletableFuture<RunningModel> loading(
            ModelSlot slot, boolean makesRoom) {
        requireOpen();
        // First: a model whose file was replaced is in nobody's hands once loading began.
        if (slot.loading().isPresent()) {
            return slot.loading().get();
        }
        Optional<RunningModel> usable = slot.usable();
        if (usable.isPresent()) {
            return CompletableFuture.completedFuture(usable.get());
        }
        Optional<RuntimeException> standing = slot.failure().flatMap(each -> standing(slot, each));
        if (standing.isPresent()) {
            return CompletableFuture.failedFuture(standing.get());
        }
        CompletableFuture<RunningModel> future = slot.beginLoading();
        loader.execute(() -> load(slot, makesRoom, future));
        return future;
    }

    /** What is short of memory may fit the next moment; looking again costs little. */
    private Optional<RuntimeException> standing(ModelSlot slot, ModelSlot.Failure failure) {
        boolean stands =
                !LoadFailureResponses.isShortOfMemory(failure.reason())
                        && failure.stamp().equals(slot.source().stamp())
                        && now().isBefore(failure.when().plus(FAILURE_STANDS));
        return stands ? Optional.of(failure.reason()) : Optional.empty();
    }

    private void load(ModelSlot slot, boolean makesRoom, CompletableFuture<RunningModel> future) {
        ModelSource source;
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

    private synchronized void failed(ModelSlot slot, RuntimeException reason, String stamp) {
        slot.failed(new ModelSlot.Failure(reason, now(), stamp));
    }

    private void loaded(ModelSlot slot, RunningModel model, String stamp) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                slot.loaded(model, stamp, now());
            }
        }
        if (late) {
            model.close();
            throw new IllegalStateException("the server ended while the model was loaded");
        }
        model.served().engine().broken().thenAccept(reason -> broke(slot, model, reason, stamp));
    }

    private void broke(ModelSlot slot, RunningModel model, VarveException reason, String stamp) {
        if (!several) {
            broken.complete(reason);
            return;
        }
        LOG.log(
                System.Logger.Level.ERROR,
                "model {0}: {1}; it is loaded again when a request names it",
                slot.id(),
                reason.getMessage());
        synchronized (this) {
            slot.broke(model, new ModelSlot.Failure(reason, now(), stamp));
        }
    }

    /** Unloads the model that was not used for longest, if there is one that nobody uses. */
    private boolean unloadOne() {
        Optional<RunningModel> unused;
        synchronized (this) {
            unused =
                    slots.values().stream()
                            .filter(ModelSlot::isIdle)
                            .min(Comparator.comparing(ModelSlot::lastUse))
                            .flatMap(ModelSlot::takeRunning);
        }
        unused.ifPresent(RunningModel::close);
        return unused.isPresent();
    }

    private synchronized ApiException refusal(ModelSlot slot, Throwable reason) {
        if (closed) {
            return ApiException.draining();
        }
        List<String> others =
                slots.values().stream()
                        .filter(each -> each != slot && each.running().isPresent())
                        .map(ModelSlot::id)
                        .collect(Collectors.toList());
        return LoadFailureResponses.refusal(slot.id(), reason, others);
    }
}

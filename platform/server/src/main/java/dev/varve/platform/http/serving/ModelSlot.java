package dev.varve.platform.http.serving;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What a server remembers of a model, loaded or not. Guarded by its {@link ModelManager}. */
final class ModelSlot {
    /**
     * Why a model could not be loaded.
     *
     * @param stamp of the file that was tried
     */
    record Failure(RuntimeException reason, Instant when, String stamp) {}

    private ModelSource source;

    /** What is or was loaded last; another one than {@link #source} if the file was replaced. */
    private String loadedStamp = "";

    private Optional<RunningModel> running = Optional.empty();
    private Optional<CompletableFuture<RunningModel>> loading = Optional.empty();
    private Optional<Failure> failure = Optional.empty();
    private Instant lastUse = Instant.EPOCH;
    private int users;
    private ModelStatus.Counts counts = ModelStatus.Counts.NONE;

    ModelSlot(ModelSource source) {
        this.source = source;
    }

    ModelSource source() {
        return source;
    }

    String id() {
        return source.outline().id();
    }

    /** The file may be another one. */
    void found(ModelSource fresh) {
        source = fresh;
    }

    /** Whether nothing of it is in memory, or about to be. */
    boolean isGone() {
        return users == 0 && running.isEmpty() && loading.isEmpty();
    }

    /** Whether it can be unloaded. */
    boolean isIdle() {
        return users == 0 && running.isPresent() && loading.isEmpty();
    }

    Instant lastUse() {
        return lastUse;
    }

    void begin() {
        users++;
    }

    void end(Instant now) {
        users--;
        lastUse = now;
    }

    void countRequest() {
        counts = counts.plusRequest();
    }

    /** Whether the caller is the only one who has or waits for the model. */
    boolean hasOneUser() {
        return users == 1;
    }

    /**
     * The model, unless its engine is broken, or its file was replaced and nobody else uses the old
     * one.
     */
    Optional<RunningModel> usable() {
        return running.filter(each -> !each.isBroken())
                .filter(each -> loadedStamp.equals(source.stamp()) || !hasOneUser());
    }

    Optional<RunningModel> running() {
        return running;
    }

    Optional<CompletableFuture<RunningModel>> loading() {
        return loading;
    }

    Optional<Failure> failure() {
        return failure;
    }

    CompletableFuture<RunningModel> beginLoading() {
        CompletableFuture<RunningModel> future = new CompletableFuture<>();
        loading = Optional.of(future);
        return future;
    }

    /** Takes the model away, which the caller then closes. */
    Optional<RunningModel> takeRunning() {
        Optional<RunningModel> taken = running;
        running = Optional.empty();
        if (taken.isPresent()) {
            counts = counts.plusUnload();
        }
        return taken;
    }

    void loaded(RunningModel model, String stamp, Instant now) {
        running = Optional.of(model);
        loadedStamp = stamp;
        loading = Optional.empty();
        failure = Optional.empty();
        lastUse = now;
        counts = counts.plusLoad();
    }

    void failed(Failure why) {
        loading = Optional.empty();
        failure = Optional.of(why);
    }

    /** A model that was loaded can compute no more, unless another one has its place by now. */
    void broke(RunningModel model, Failure why) {
        if (running.filter(each -> each == model).isPresent()) {
            failure = Optional.of(why);
        }
    }

    ModelStatus view() {
        return new ModelStatus(
                source.outline(),
                state(),
                failure.filter(each -> state() == ModelState.FAILED)
                        .map(each -> String.valueOf(each.reason().getMessage())),
                running,
                counts);
    }

    private ModelState state() {
        if (loading.isPresent()) {
            return ModelState.LOADING;
        }
        if (running.filter(each -> !each.isBroken()).isPresent()) {
            return ModelState.READY;
        }
        boolean failed = failure.filter(each -> each.stamp().equals(source.stamp())).isPresent();
        return failed ? ModelState.FAILED : ModelState.UNLOADED;
    }
}

package dev.varve.platform.http.serving;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The server's state of a model, loaded or not. Guarded by its {@link ModelManager}. */
final class ManagedModel {
    /**
     * A failure to load a model.
     *
     * @param stamp stamp of the file
     */
    record Failure(RuntimeException reason, Instant when, String stamp) {}

    private LoadableModel source;

    /**
     * Stamp of the file that was loaded last; differs from that of {@link #source} if the file was
     * replaced.
     */
    private String loadedStamp = "";

    private Optional<RunningModel> running = Optional.empty();
    private Optional<CompletableFuture<RunningModel>> loading = Optional.empty();
    private Optional<Failure> failure = Optional.empty();
    private Instant lastUse = Instant.EPOCH;
    private int users;
    private ModelStatus.Counts counts = ModelStatus.Counts.NONE;

    ManagedModel(LoadableModel source) {
        this.source = source;
    }

    LoadableModel source() {
        return source;
    }

    String id() {
        return source.outline().id();
    }

    /** Updates the source, whose file may have changed. */
    void updateSource(LoadableModel fresh) {
        source = fresh;
    }

    /** Returns whether the model is unused, not loaded and not loading. */
    boolean isUnused() {
        return users == 0 && running.isEmpty() && loading.isEmpty();
    }

    /** Returns whether the model can be unloaded. */
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

    /** Returns whether the caller's request is the only one that uses or awaits the model. */
    boolean hasOneUser() {
        return users == 1;
    }

    /**
     * Returns the loaded model, unless its engine failed, or its file was replaced and no other
     * request uses the loaded one.
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

    /** Removes the loaded model; the caller closes it. */
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

    /** Records that a loaded model failed, unless another one has replaced it. */
    void recordFailure(RunningModel model, Failure why) {
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

package dev.varve.platform.http.serving;

import dev.varve.platform.http.model.ServedModel;

import java.util.Set;

/** A loaded model and its owner, which frees it. Each load makes a new instance. */
public final class RunningModel {
    private final ServedModel served;
    private final AutoCloseable owner;
    private final Set<ModelCapability> capabilities;

    /**
     * @param owner closed when the model is unloaded
     */
    public RunningModel(ServedModel served, AutoCloseable owner) {
        this.served = served;
        this.owner = owner;
        capabilities = ModelCapability.of(served);
    }

    /** Returns the model. */
    public ServedModel served() {
        return served;
    }

    Set<ModelCapability> capabilities() {
        return capabilities;
    }

    /** Frees the model. A failure is only logged, so that other models continue. */
    void close() {
        try {
            owner.close();
        } catch (Exception e) {
            System.getLogger("dev.varve.http")
                    .log(
                            System.Logger.Level.WARNING,
                            "unloading model " + served.description().id() + " failed",
                            e);
        }
    }

    /** Returns whether the engine failed. */
    boolean isBroken() {
        return served.engine().broken().isDone();
    }
}

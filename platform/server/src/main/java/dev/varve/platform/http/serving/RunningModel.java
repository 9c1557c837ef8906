package dev.varve.platform.http.serving;

import dev.varve.platform.http.model.ServedModel;

import java.util.Set;

/** A model that is loaded, and what frees it. Each load makes another one. */
public final class RunningModel {
    private final ServedModel served;
    private final AutoCloseable owner;
    private final Set<ModelCapability> capabilities;

    /**
     * @param owner is closed when the model is unloaded
     */
    public RunningModel(ServedModel served, AutoCloseable owner) {
        this.served = served;
        this.owner = owner;
        capabilities = ModelCapability.of(served);
    }

    /** The model. */
    public ServedModel served() {
        return served;
    }

    Set<ModelCapability> capabilities() {
        return capabilities;
    }

    /** Frees it. A failure is told in the log: what runs besides goes on. */
    void close() {
        try {
            owner.close();
        } catch (Exception e) {
            System.getLogger("dev.varve.http")
                    .log(
                            System.Logger.Level.WARNING,
                            "unloading " + served.description().id() + " failed",
                            e);
        }
    }

    /** Whether it can compute no more. */
    boolean isBroken() {
        return served.engine().broken().isDone();
    }
}

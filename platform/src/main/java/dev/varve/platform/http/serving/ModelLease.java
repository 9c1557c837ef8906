package dev.varve.platform.http.serving;

/** A model that a request uses: it stays loaded until this is closed, once. */
public final class ModelLease implements AutoCloseable {
    private final RunningModel model;
    private final Runnable end;

    ModelLease(RunningModel model, Runnable end) {
        this.model = model;
        this.end = end;
    }

    /** The model. */
    public RunningModel model() {
        return model;
    }

    @Override
    public void close() {
        end.run();
    }
}

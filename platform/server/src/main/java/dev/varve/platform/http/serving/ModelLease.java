package dev.varve.platform.http.serving;

/** Keeps a model loaded for a request until the lease is closed. Close it exactly once. */
public final class ModelLease implements AutoCloseable {
    private final RunningModel model;
    private final Runnable begin;
    private final Runnable end;

    /** Makes a lease for a use that has begun; {@code begin} begins another one. */
    ModelLease(RunningModel model, Runnable begin, Runnable end) {
        this.model = model;
        this.begin = begin;
        this.end = end;
    }

    /** Returns a separate lease, for work that outlives the request. */
    public ModelLease share() {
        begin.run();
        return new ModelLease(model, begin, end);
    }

    /** Returns the model. */
    public RunningModel model() {
        return model;
    }

    @Override
    public void close() {
        end.run();
    }
}

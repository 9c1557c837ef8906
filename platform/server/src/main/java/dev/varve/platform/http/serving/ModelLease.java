package dev.varve.platform.http.serving;

/** A model that a request uses: it stays loaded until this is closed, once. */
public final class ModelLease implements AutoCloseable {
    private final RunningModel model;
    private final Runnable begin;
    private final Runnable end;

    /** Of a use that began; {@code begin} begins another one. */
    ModelLease(RunningModel model, Runnable begin, Runnable end) {
        this.model = model;
        this.begin = begin;
        this.end = end;
    }

    /** A lease of its own for what outlives the request. */
    public ModelLease share() {
        begin.run();
        return new ModelLease(model, begin, end);
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

package dev.varve.platform.http.serving;

/** A model that was loaded before the server started and stays loaded. */
record PreloadedModelSource(ModelOutline outline, RunningModel running) implements ModelSource {
    @Override
    public String stamp() {
        return "";
    }

    @Override
    public RunningModel load() {
        return running;
    }
}

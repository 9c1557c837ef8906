package dev.varve.platform.http.serving;

/** A model that was loaded before the server started and stays loaded. */
record PreloadedModel(ModelOutline outline, RunningModel running) implements LoadableModel {
    @Override
    public String stamp() {
        return "";
    }

    @Override
    public RunningModel load() {
        return running;
    }
}

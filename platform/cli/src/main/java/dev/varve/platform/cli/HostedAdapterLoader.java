package dev.varve.platform.cli;

import dev.varve.platform.host.HostedAdapters;
import dev.varve.platform.http.model.AdapterLoader;

/**
 * Adds adapters to a model of this process, and removes them.
 *
 * @param adapters of the model
 */
record HostedAdapterLoader(HostedAdapters adapters) implements AdapterLoader {
    @Override
    public Loaded add(String path) {
        HostedAdapters.Added added = adapters.add(path);
        return new Loaded(added.number(), added.file().toString(), added.content());
    }

    @Override
    public void remove(int number) {
        adapters.remove(number);
    }
}
